/** Owns: the tab Where: the places of a plan, as a list with an optional map. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Dish } from "../../../ui/dish.tsx";
import { Empty, Loading } from "../../../ui/notice.tsx";
import { MapView } from "../../map/components/map-view.tsx";
import { hasStreets } from "../../map/streets.ts";
import { castVote } from "../../outbox/mutations.ts";
import { isPlaced } from "../../places/schema.ts";
import { AnswerToggle } from "../../plans/components/answer-toggle.tsx";
import { Choice } from "../../plans/components/segments.tsx";
import { Waiting } from "../../plans/components/waiting.tsx";
import { isVotingClosed, stateOf } from "../../plans/domain.ts";
import { planQueries } from "../../plans/queries.ts";
import { safetyOf } from "../../plans/safety.ts";
import type { TabProps } from "../../plans/tab-props.ts";
import { areHidden, tallyOf } from "../../plans/tally.ts";
import { placeOptionWords } from "../../plans/words/place-options.ts";
import { planWords } from "../../plans/words/plan.ts";
import { timeOptionWords } from "../../plans/words/time-options.ts";
import { PlaceOptionCard, Unasked } from "./place-option-card.tsx";
import { ProposePlace } from "./propose-place.tsx";

/** Of more places than this, each is short until its details are asked for: twenty whole ones are eleven screens of a phone. */
const WHOLE = 8;

export function WhereTab({ plan, me, now, viewerZone, host }: TabProps) {
  const words = placeOptionWords();
  const trips = useQuery(planQueries.trips(plan.id));
  const ratings = useQuery(planQueries.ratings());
  const [view, setView] = useState<"list" | "map">("list");
  const [marked, setMarked] = useState<string | null>(null);
  const state = stateOf(plan, now);
  const polling = state === "polling";
  const open = polling && !isVotingClosed(plan, now);
  const hidden = areHidden(plan, me);
  const foldable = plan.place_options.length > WHOLE;
  const points = plan.place_options.flatMap(({ id, places }) => {
    if (!places || !isPlaced(places)) return [];
    const { name, latitude, longitude } = places;
    return [{ id, kind: "place" as const, name, latitude, longitude }];
  });
  const mapped = points.length > 1 && hasStreets(points);
  // Trips add a line to a card and ratings take one away: both are known before the cards stand, so that none moves
  // under a finger. Without a connection, or after a failure, the cards stand without them.
  const loads = [trips, ratings].some(
    ({ isPending, fetchStatus, failureCount }) =>
      isPending && fetchStatus === "fetching" && failureCount === 0,
  );
  if (loads && plan.place_options.length > 0) {
    return (
      <Loading
        what={planWords().loading}
        className="flex flex-col gap-3"
        shapes={["h-44 w-full", "h-44 w-full"]}
      />
    );
  }
  return (
    <div className="flex flex-col gap-4">
      {mapped ? (
        <div className="flex">
          <Choice
            label={words.view.label}
            value={view}
            options={[
              ["list", words.view.list],
              ["map", words.view.map],
            ]}
            onChange={setView}
          />
        </div>
      ) : null}
      {view === "map" && mapped ? (
        <MapView
          label={words.map}
          points={points}
          selected={marked}
          onSelect={(id) => {
            setMarked(id);
            document.getElementById(`option-${id}`)?.scrollIntoView({ block: "nearest" });
          }}
          className="h-72"
        />
      ) : null}
      {foldable ? (
        <Unasked plan={plan} people={safetyOf({ safe_diets: [] }, plan.plan_members, []).unasked} />
      ) : null}
      {plan.place_options.length === 0 ? (
        <Empty title={words.empty.title} picture={<Dish seed={plan.id} className="w-24" />}>
          <p>{words.empty.text}</p>
        </Empty>
      ) : (
        <ul className="flex flex-col gap-3">
          {plan.place_options.map((option) => (
            <li
              key={option.id}
              id={`option-${option.id}`}
              onPointerEnter={() => setMarked(option.id)}
              onFocus={() => setMarked(option.id)}
              className="scroll-mt-16"
            >
              <PlaceOptionCard
                option={option}
                plan={plan}
                me={me}
                trips={trips.data ?? []}
                marked={view === "map" && marked === option.id}
                over={!polling && state !== "confirmed"}
                mayWithdraw={open && (host || option.proposed_by === me)}
                foldable={foldable}
                toggle={
                  <AnswerToggle
                    label={timeOptionWords().yourAnswerFor(option.places?.name ?? words.thisPlace)}
                    value={option.place_votes.find((given) => given.user_id === me)?.answer ?? null}
                    tally={hidden ? undefined : tallyOf(option.place_votes, plan.plan_members)}
                    disabled={!open}
                    onChange={(answer) => castVote(plan.id, { places: { [option.id]: answer } })}
                  />
                }
              />
            </li>
          ))}
        </ul>
      )}
      {plan.place_options.length > 0 ? (
        <Waiting plan={plan} me={me} now={now} viewerZone={viewerZone} question="places" />
      ) : null}
      {hidden && plan.place_options.length > 0 ? (
        <p className="rounded-s border border-line bg-card-warm px-3 py-2 text-sm">{words.hidden}</p>
      ) : null}
      {open && (host || plan.guests_may_propose) ? <ProposePlace plan={plan} /> : null}
    </div>
  );
}
