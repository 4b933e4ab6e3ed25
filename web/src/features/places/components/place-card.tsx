/** Owns: a place in a list, with its heart. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ToggleButton } from "react-aria-components";
import { dietWord } from "../../../../../supabase/functions/_shared/diets.ts";
import { openUntil } from "../../../../../supabase/functions/_shared/hours.ts";
import { Dish } from "../../../ui/dish.tsx";
import { HeartIcon } from "../../../ui/icons.ts";
import { Bone } from "../../../ui/notice.tsx";
import type { Place } from "../../plans/schema.ts";
import { useSave } from "../mutations.ts";
import { placeQueries } from "../queries.ts";
import { Price } from "./price.tsx";

export function PlaceCard({
  place,
  me,
  now,
  action,
}: {
  place: Place;
  me: string;
  now: number;
  action?: ReactNode;
}) {
  return (
    <article className="paper rise flex h-full gap-4 p-4">
      <Dish seed={place.id} className="size-20 shrink-0" />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex items-start justify-between gap-2">
          <h2 className="text-lg leading-tight">
            <Link
              to="/places/$id"
              params={{ id: place.id }}
              className="decoration-line decoration-2 underline-offset-4 hover:underline"
            >
              {place.name}
            </Link>
          </h2>
          <SaveHeart place={place} me={me} />
        </div>
        <p className="text-sm text-ink-soft">{place.about}</p>
        <p className="text-sm">
          <Price level={place.price} /> · {place.cuisines.join(", ")} · {openWords(place, now)}
        </p>
        <SafeFor place={place} />
        {action ? <div className="mt-auto pt-2">{action}</div> : null}
      </div>
    </article>
  );
}

export function SafeFor({ place }: { place: Place }) {
  if (place.safe_diets.length === 0) {
    return <p className="text-sm text-ink-soft">No diet is known to be safe here.</p>;
  }
  return (
    <p className="text-sm text-yes">
      Safe for <span>{place.safe_diets.map(dietWord).join(", ")}</span>
    </p>
  );
}

export function SaveHeart({ place, me }: { place: Place; me: string }) {
  const saved = useQuery(placeQueries.saved());
  const save = useSave(me);
  const isSaved = saved.data?.includes(place.id) ?? false;
  return (
    <ToggleButton
      aria-label={`Save ${place.name}`}
      isSelected={isSaved}
      isDisabled={!saved.isSuccess}
      onChange={(next) => save.mutate({ place: place.id, saved: next })}
      className="-m-2 grid size-11 shrink-0 cursor-pointer place-items-center rounded-full hover:bg-card-warm"
    >
      <HeartIcon
        aria-hidden
        className={`size-5 transition-colors duration-150 ${isSaved ? "fill-action text-action" : "text-edge"}`}
      />
    </ToggleButton>
  );
}

/** "open until 23:30", "closed now", "hours unknown" */
export function openWords(place: Place, now: number): string {
  if (place.place_hours.length === 0) return "hours unknown";
  const until = openUntil(place.place_hours, place.time_zone, new Date(now).toISOString());
  return until ? `open until ${until}` : "closed now";
}

export function PlaceCardBones() {
  return (
    <div className="paper flex gap-4 p-4">
      <Bone className="size-20 rounded-full" />
      <div className="flex flex-1 flex-col gap-2">
        <Bone className="h-6 w-2/3" />
        <Bone className="h-4 w-full" />
        <Bone className="h-4 w-1/2" />
      </div>
    </div>
  );
}
