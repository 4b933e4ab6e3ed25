/** Owns: places as a list and a synchronised map: side by side on wide screens, one at a time on a phone. */
import { useEffect, useMemo, useRef, useState } from "react";
import { useWide } from "../../../lib/device/wide.ts";
import { CardSkeleton } from "../../../ui/notice.tsx";
import { MapView } from "../../map/components/map-view.tsx";
import { metresBetween, type Position } from "../../map/geometry.ts";
import type { MapPoint } from "../../map/map-props.ts";
import { hasStreets } from "../../map/streets.ts";
import { mapWords } from "../../map/words.ts";
import { isPlaced, type Place } from "../schema.ts";
import { placeWords } from "../words.ts";
import { PlaceCard } from "./place-card.tsx";

interface BoardProps {
  places: readonly Place[];
  me: string;
  now: number;
  /** Actions on a place's card. */
  action?: ((place: Place) => React.ReactNode) | undefined;
  /** The text about a place's hours, in a list for other times than now. */
  hours?: ((place: Place) => string) | undefined;
  near: Position | null;
  view: "list" | "map";
  /** Shown under the list. */
  after?: React.ReactNode;
}

export function PlaceBoard({ places, me, now, action, hours, near, view, after }: BoardProps) {
  const words = placeWords();
  const wide = useWide();
  const [marked, setMarked] = useState<string | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const points = useMemo(() => pointsOf(places, near), [places, near]);
  const mapped = hasStreets(points);
  const fromMap = useRef(false);
  useEffect(() => {
    if (!fromMap.current || marked === null) return;
    fromMap.current = false;
    list.current?.querySelector(`[data-place="${marked}"]`)?.scrollIntoView({ block: "nearest" });
  }, [marked]);
  const card = (place: Place) => (
    <PlaceCard
      place={place}
      me={me}
      now={now}
      metres={near && isPlaced(place) ? metresBetween(near, place) : null}
      marked={place.id === marked}
      hours={hours?.(place)}
      action={action?.(place)}
    />
  );
  const map = (className: string) => (
    <MapView
      label={words.map}
      points={points}
      selected={marked}
      onSelect={(id) => {
        fromMap.current = true;
        setMarked(id);
      }}
      centre={near}
      roomy
      className={className}
    />
  );
  if (!wide && mapped && view === "map") {
    const chosen = places.find((place) => place.id === marked);
    return (
      <div className="flex flex-col gap-3">
        {map("h-[min(34rem,60dvh)]")}
        <div aria-live="polite">{chosen ? card(chosen) : null}</div>
      </div>
    );
  }
  return (
    <div
      className={`grid gap-4 lg:items-start ${mapped ? "lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]" : ""}`}
    >
      <div className="flex flex-col gap-4">
        <ul
          ref={list}
          className={`grid gap-3 md:grid-cols-2 ${mapped ? "lg:grid-cols-1 2xl:grid-cols-2" : ""}`}
        >
          {places.map((place) => (
            <li
              key={place.id}
              data-place={place.id}
              onPointerEnter={() => setMarked(place.id)}
              onFocus={() => setMarked(place.id)}
              className="[contain:layout_style]"
            >
              {card(place)}
            </li>
          ))}
        </ul>
        {after}
      </div>
      {wide && mapped ? <div className="sticky top-5">{map("h-[max(24rem,calc(100dvh-26rem))]")}</div> : null}
    </div>
  );
}

export function PlaceListSkeleton() {
  return (
    <ul className="grid gap-3 md:grid-cols-2">
      {[1, 2, 3, 4].map((bone) => (
        <li key={bone}>
          <CardSkeleton picture="size-16 sm:size-20" />
        </li>
      ))}
    </ul>
  );
}

function pointsOf(places: readonly Place[], near: Position | null): MapPoint[] {
  return [
    ...places.filter(isPlaced).map(({ id, name, latitude, longitude }) => ({
      id,
      name,
      latitude,
      longitude,
      kind: "place" as const,
    })),
    ...(near ? [{ id: "start", name: mapWords().start, kind: "start" as const, ...near }] : []),
  ];
}
