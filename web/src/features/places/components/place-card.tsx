/** Owns: a place in a list, with its heart. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatMetres } from "../../map/geometry.ts";
import { peopleWords } from "../../people/words.ts";
import { PlacePicture } from "../../pictures/components/place-picture.tsx";
import { cuisineNames } from "../cuisines.ts";
import type { Place } from "../schema.ts";
import { placeWords } from "../words.ts";
import { openWords } from "./opening.ts";
import { PlaceFacts } from "./price.tsx";
import { SaveHeart } from "./save-heart.tsx";

export function PlaceCard({
  place,
  me,
  now,
  metres = null,
  marked = false,
  hours,
  action,
}: {
  place: Place;
  me: string;
  now: number;
  /** Distance, if known. */
  metres?: number | null;
  /** Whether the map highlights it. */
  marked?: boolean;
  /** The text about the place's hours, for other times than now. */
  hours?: string | undefined;
  action?: ReactNode;
}) {
  const words = placeWords();
  return (
    <article
      className={`paper flex h-full flex-wrap content-start gap-4 p-4 transition-colors duration-150 ${marked ? "border-ink bg-card-warm" : ""}`}
    >
      <PlacePicture placeId={place.id} className="size-16 shrink-0 sm:size-20" />
      <div className="flex min-w-0 flex-[1_1_9rem] flex-col gap-1">
        <div className="flex flex-wrap items-start justify-end gap-2">
          <h2 className="min-w-0 flex-1 text-lg leading-tight break-words">
            <PlaceLink place={place} />
          </h2>
          <SaveHeart place={place} me={me} />
        </div>
        <p className="text-sm text-ink-soft">{place.about}</p>
        <p className="text-sm">
          <PlaceFacts
            price={place.price}
            facts={[
              ...cuisineNames(place.cuisines),
              hours ?? openWords(place, now),
              ...(metres === null ? [] : [words.away(formatMetres(metres))]),
            ]}
          />
        </p>
        <SafeFor place={place} />
        {action ? <div className="mt-auto pt-2">{action}</div> : null}
      </div>
    </article>
  );
}

export function PlaceLink({ place: { id, name } }: { place: Pick<Place, "id" | "name"> }) {
  return (
    <Link
      to="/places/$id"
      params={{ id }}
      className="decoration-line decoration-2 underline-offset-4 hover:underline"
    >
      {name}
    </Link>
  );
}

export function SafeFor({ place }: { place: Place }) {
  const words = placeWords();
  if (place.safe_diets.length === 0) return <p className="text-sm text-ink-soft">{words.noDiet}</p>;
  const diets = peopleWords().diets;
  return <p className="text-sm text-yes">{words.safeFor(place.safe_diets.map((diet) => diets[diet]))}</p>;
}
