/**
 * Owns: a place's picture: the newest photo of a meal there on one of the person's plans. The drawn plate stands in, in
 * the same box, while there is no photo, while it loads, and if it fails to load.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dish } from "../../../ui/dish.tsx";
import { newestByPlace, type PlacePhotos, pictureQueries, thumbnailKey } from "../queries.ts";
import { thumbnailOf } from "../thumbnail.ts";
import { pictureWords } from "../words.ts";

interface PlacePictureProps {
  placeId: string;
  /** Sets the width; the box is a square. */
  className?: string;
  /** Shown large: in full quality when there is a connection, and with the name of the plan. */
  large?: boolean;
}

export function PlacePicture({ placeId, className = "", large = false }: PlacePictureProps) {
  const newest = useQuery({ ...pictureQueries.all(), select: newestByPlace }).data;
  const photo = newest?.get(placeId);
  if (!newest || !photo) return <Dish seed={placeId} className={className} />;
  return (
    <Photo
      key={photo.path}
      placeId={placeId}
      photo={photo}
      newest={newest}
      className={className}
      large={large}
    />
  );
}

function Photo({
  placeId,
  photo,
  newest,
  className,
  large,
}: Required<PlacePictureProps> & { photo: PlacePhotos; newest: ReadonlyMap<string, PlacePhotos> }) {
  const queries = useQueryClient();
  const [small] = useState(() => queries.getQueryData<string>(thumbnailKey(photo.path)));
  const [failed, setFailed] = useState<readonly string[]>([]);
  const [loaded, setLoaded] = useState(false);
  const addresses = useQuery({ ...pictureQueries.addresses(newest), enabled: large || !small });
  const full = addresses.data?.[photo.path];
  const src = (large ? [full, small] : [small, full]).find((one) => one && !failed.includes(one));
  const from = pictureWords().from(photo.plan_title);
  const show = (image: HTMLImageElement) => {
    setLoaded(true);
    if (small || queries.getQueryData(thumbnailKey(photo.path))) return;
    const copy = thumbnailOf(image);
    if (copy) queries.setQueryData(thumbnailKey(photo.path), copy);
  };
  return (
    <span className={`block ${className}`}>
      <span className="relative block aspect-square overflow-hidden rounded-m">
        {loaded && src ? null : <Dish seed={placeId} className="size-full" />}
        {src ? (
          <img
            src={src}
            alt={photo.caption || from}
            // A canvas can only read the image for the thumbnail if it was loaded with CORS.
            crossOrigin="anonymous"
            loading="lazy"
            decoding="async"
            onLoad={(event) => show(event.currentTarget)}
            onError={() => {
              setLoaded(false);
              setFailed((before) => [...before, src]);
            }}
            className={`absolute inset-0 size-full object-cover transition-opacity duration-200 ${loaded ? "" : "opacity-0"}`}
          />
        ) : null}
        {large && loaded && src ? (
          <span
            aria-hidden={photo.caption === ""}
            className="absolute inset-x-0 bottom-0 bg-linear-to-t from-[oklch(0.15_0.03_330/0.85)] to-transparent px-3 pt-8 pb-2 text-sm break-words text-[oklch(0.98_0.01_88)]"
          >
            {from}
          </span>
        ) : null}
      </span>
    </span>
  );
}
