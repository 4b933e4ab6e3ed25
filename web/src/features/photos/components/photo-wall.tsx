/** Owns: a plan's album: the wall, adding to it, and looking at one large. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { browserZone } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { CameraIcon } from "../../../ui/icons.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { Empty } from "../../../ui/notice.tsx";
import { firstName } from "../../plans/names.ts";
import { usePlanLive } from "../../plans/realtime.tsx";
import type { Member } from "../../plans/schema.ts";
import { type Photo, photoQueries } from "../queries.ts";
import { photoWords } from "../words.ts";
import { AddPhotos } from "./add-photos.tsx";
import { PhotoViewer } from "./photo-viewer.tsx";

interface PhotoWallProps {
  planId: string;
  me: string;
  host: boolean;
  members: readonly Member[];
}

export function PhotoWall({ planId, me, host, members }: PhotoWallProps) {
  const words = photoWords();
  const queries = useQueryClient();
  const live = usePlanLive();
  const announce = useAnnounce();
  const photos = useQuery(photoQueries.ofPlan(planId));
  const [at, setAt] = useState<string | null>(null);
  const nameOf = (id: string | null) =>
    id === me ? words.you : firstName({ plan_members: members }, id, words.gone);

  useEffect(() => {
    const readAgain = () => void queries.invalidateQueries({ queryKey: ["photos", planId] });
    return live.listen((event) => {
      if (event.table !== "photos") return;
      readAgain();
      if (event.operation === "INSERT" && event.record?.author_id !== me) announce(photoWords().arrived);
    }, readAgain);
  }, [live.listen, queries, planId, me, announce]);

  return (
    <div className="flex flex-col gap-4">
      <AddPhotos planId={planId} me={me} there={photos.data?.length} />
      <Loaded
        query={photos}
        what={words.loading}
        className="grid grid-cols-2 gap-2 sm:grid-cols-3"
        shapes={["aspect-square", "aspect-square", "aspect-square"]}
      >
        {(data) =>
          data.length === 0 ? (
            <Empty
              title={words.empty.title}
              picture={<CameraIcon aria-hidden className="size-10 text-edge" />}
            >
              <p>{words.empty.text}</p>
            </Empty>
          ) : (
            <ul className="grid grid-cols-2 gap-2 sm:grid-cols-3">
              {data.map((photo, index) => (
                <Tile
                  key={photo.id}
                  photo={photo}
                  author={nameOf(photo.author_id)}
                  // The newest one sets the tone of the album.
                  large={index === 0 && data.length > 2}
                  open={() => setAt(photo.id)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {at ? (
        <PhotoViewer
          photos={photos.data ?? []}
          at={at}
          setAt={setAt}
          nameOf={nameOf}
          zone={browserZone()}
          rights={(photo) => ({
            caption: photo.author_id === me,
            remove: photo.author_id === me || host,
          })}
        />
      ) : null}
    </div>
  );
}

function Tile({
  photo,
  author,
  large,
  open,
}: {
  photo: Photo;
  author: string;
  large: boolean;
  open: () => void;
}) {
  const words = photoWords();
  const name = photo.caption || words.aPhotoBy(author);
  return (
    <li className={`rise relative ${large ? "col-span-2 row-span-2" : ""}`}>
      <button
        type="button"
        onClick={open}
        aria-label={photo.url ? words.look(name) : `${words.missing} ${words.look(name)}`}
        className="group relative block size-full cursor-zoom-in overflow-hidden rounded-m border border-line bg-card"
      >
        {photo.url ? (
          <img
            src={photo.url}
            alt=""
            width={photo.width}
            height={photo.height}
            loading="lazy"
            className="aspect-square size-full object-cover transition-transform duration-250 group-hover:scale-[1.02]"
          />
        ) : (
          <span className="grid aspect-square place-items-center p-2 text-sm text-ink-soft">
            {words.missing}
          </span>
        )}
      </button>
      <p className="pointer-events-none absolute inset-x-px bottom-px flex flex-col rounded-b-m bg-linear-to-t from-[oklch(0.15_0.03_330/0.85)] to-transparent px-2.5 pt-8 pb-2 text-left text-sm text-[oklch(0.98_0.01_88)]">
        {/* The button's name says the caption. */}
        {photo.caption ? (
          <span aria-hidden className="line-clamp-2">
            {photo.caption}
          </span>
        ) : null}
        <span className="text-xs">{words.by(author)}</span>
      </p>
    </li>
  );
}
