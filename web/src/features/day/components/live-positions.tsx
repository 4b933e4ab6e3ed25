/** Owns: live positions on the arrival board: sharing one, the people who share, and the map on request. */
import { useMemo, useState } from "react";
import { initialsOf } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { NavigationIcon } from "../../../ui/icons.ts";
import { MapView } from "../../map/components/map-view.tsx";
import type { Position } from "../../map/geometry.ts";
import type { MapPoint } from "../../map/map-props.ts";
import { hasStreets } from "../../map/streets.ts";
import { faceOf } from "../../people/queries.ts";
import { peopleWords } from "../../people/words.ts";
import { isPlaced } from "../../places/schema.ts";
import { chosenPlace } from "../../plans/domain.ts";
import { firstName } from "../../plans/names.ts";
import { usePlanLive } from "../../plans/realtime.tsx";
import type { Plan } from "../../plans/schema.ts";
import { minutesLeft, type Positions, SHARE_MINUTES } from "../position.ts";
import type { BoardProps } from "../positions.ts";
import { startSharing, useSharing } from "../sharing.ts";
import { dayWords } from "../words.ts";

export function LivePositions({ plan, me, now, positions }: BoardProps) {
  const words = dayWords().live;
  const live = usePlanLive();
  const { sharing, ended } = useSharing(plan.id);
  const [open, setOpen] = useState(false);
  const mine = plan.plan_members.find((member) => member.user_id === me);
  const arrived = mine?.arrivals?.status === "arrived";
  const at = sharing?.at ?? null;
  const points = useMemo(() => pointsOf(plan, me, positions, at), [plan, me, positions, at]);
  const mapped = (positions.size > 0 || at !== null) && hasStreets(points);
  // People who have arrived share no position; without others' positions there is nothing to show.
  if (arrived && !sharing && !ended && positions.size === 0) return null;
  return (
    <section aria-label={words.title} className="paper flex flex-col gap-3 p-4">
      <h3 className="font-sans text-base font-semibold">{words.title}</h3>
      {positions.size > 0 ? (
        <ul className="flex flex-col gap-1">
          {[...positions].map(([person, { until }]) => (
            <li key={person} className="numerals flex items-center gap-2">
              <NavigationIcon aria-hidden className="size-4 shrink-0 text-yes" />
              {words.others(firstName(plan, person), minutesLeft(until, Math.max(now, Date.now())))}
            </li>
          ))}
        </ul>
      ) : null}
      {arrived || sharing ? null : (
        <>
          <p className="text-sm text-ink-soft">{words.text}</p>
          <Button
            isDisabled={!live.connected}
            onPress={() => startSharing(plan.id, live)}
            className="self-start"
          >
            <NavigationIcon aria-hidden className="size-4" /> {words.share(SHARE_MINUTES)}
          </Button>
        </>
      )}
      {ended ? (
        <p role="alert" className="text-sm font-semibold text-action">
          {words[ended]}
        </p>
      ) : null}
      {mapped ? (
        <Button aria-expanded={open} onPress={() => setOpen(!open)} className="self-start">
          {open ? words.hideMap : words.showMap}
        </Button>
      ) : null}
      {open && mapped ? <MapView label={words.map} points={points} className="h-72" /> : null}
    </section>
  );
}

function pointsOf(plan: Plan, me: string, positions: Positions, mine: Position | null): MapPoint[] {
  const place = chosenPlace(plan);
  const people = [...new Map<string, Position>(mine ? [...positions, [me, mine]] : positions)];
  return [
    ...(place && isPlaced(place) ? [{ ...place, kind: "place" as const }] : []),
    ...people.map(([person, { latitude, longitude }]) => {
      const member = plan.plan_members.find((one) => one.user_id === person);
      const face = faceOf(person, member?.profiles ?? null);
      return {
        id: person,
        kind: "person" as const,
        name: person === me ? peopleWords().you : face.name,
        mark: initialsOf(face.name),
        latitude,
        longitude,
      };
    }),
  ];
}
