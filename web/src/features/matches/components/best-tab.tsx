/** Owns: the tab Best: the leading pair as a menu card, the runners-up, what if, and suggested places. */
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { AppError, toAppError } from "../../../lib/errors.ts";
import { formatTime } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dish } from "../../../ui/dish.tsx";
import { useFocusBack } from "../../../ui/focus-back.ts";
import { Empty, ErrorNotice } from "../../../ui/notice.tsx";
import { PlacePicture } from "../../pictures/components/place-picture.tsx";
import { type PlacePhotos, pictureQueries } from "../../pictures/queries.ts";
import { makeOnce, usePlanAction } from "../../plans/actions.ts";
import { confirmPlan, hasChosen } from "../../plans/choices.ts";
import { chosenPlace, chosenTime, stateOf } from "../../plans/domain.ts";
import { planQueries, readPlan } from "../../plans/queries.ts";
import type { Plan, Rating, Trip } from "../../plans/schema.ts";
import type { TabProps } from "../../plans/tab-props.ts";
import { areHidden } from "../../plans/tally.ts";
import { applyWhatIf, inputOf, keyOf, type Pair, rankPairs, type WhatIf } from "../ranking.ts";
import { bestWords } from "../words.ts";
import { DoubtfulChoice, objectors } from "./doubtful-choice.tsx";
import { FurtherPlaces } from "./further-places.tsx";
import { MenuCard } from "./menu-card.tsx";
import { RunnerUp } from "./runner-up.tsx";
import { useSteadyOrder } from "./steady-order.ts";
import { WhatIfPanel } from "./what-if.tsx";

/** Beside the menu card; more is a list, not an answer, and is shown on demand. */
const RUNNERS_UP = 4;
const MOST_RUNNERS_UP = 19;

const noTrips: Trip[] = [];
const noRatings: Rating[] = [];
const noPhotos: PlacePhotos[] = [];

export function BestTab({ plan, me, now, viewerZone, host }: TabProps) {
  const words = bestWords();
  const announce = useAnnounce();
  const trips = useQuery(planQueries.trips(plan.id)).data ?? noTrips;
  const ratings = useQuery(planQueries.ratings()).data ?? noRatings;
  const photos = useQuery(pictureQueries.all()).data ?? noPhotos;
  const action = usePlanAction(plan.id);
  const [whatIf, setWhatIf] = useState<WhatIf>({});
  const [all, setAll] = useState(false);
  /** A pair that somebody's answers or diet speak against, while the host is asked about it. */
  const [asking, setAsking] = useState<Pair | null>(null);
  const state = stateOf(plan, now);
  const polling = state === "polling";
  const over = !polling && state !== "confirmed";
  useFocusBack(polling);
  const chosen = chosenTime(plan);
  // A choice stays on the card after its time has passed.
  const asOf = chosen ? Math.min(now, Date.parse(chosen.starts_at) - 1) : now;
  const supposing = Object.keys(whatIf).length > 0;
  const input = useMemo(
    () => applyWhatIf(inputOf(plan, trips, { ratings, photos }, asOf), whatIf),
    [plan, trips, ratings, photos, asOf, whatIf],
  );
  const ranked = useMemo(() => rankPairs(input), [input]);
  // Data that loads late (trips, ratings, photos) is not a change that a person made.
  const asked = JSON.stringify([whatIf, trips === noTrips, ratings === noRatings, photos === noPhotos]);
  const { pairs, moved, showNew, handlers } = useSteadyOrder(ranked, asked, RUNNERS_UP + 1);
  const isChosen = (pair: Pair) =>
    pair.timeId === plan.chosen_time_id && pair.placeId === plan.chosen_place_id;
  const decided = chosen === null || supposing ? undefined : pairs.find(isChosen);
  const best = chosen !== null && !supposing ? decided : pairs[0];
  const others = pairs.filter((pair) => pair !== best);
  const choose = (pair: Pair) =>
    pair.notSafeFor.length > 0 || Object.values(objectors(plan, pair)).some((people) => people.length > 0)
      ? setAsking(pair)
      : confirm(pair);
  const confirm = (pair: Pair) =>
    action.mutate(() => confirmOnce(plan, pair, viewerZone), {
      onSuccess: () => announce(choiceText(placeName(plan, pair), timeName(plan, pair, viewerZone))),
    });
  const shared = { plan, input, viewerZone, busy: action.isPending };
  const shown = others.slice(0, all ? MOST_RUNNERS_UP : RUNNERS_UP);
  const more = Math.min(others.length, MOST_RUNNERS_UP) - shown.length;
  // A choice that failed is over as soon as the plan is decided some other way.
  const error = action.error === null ? null : toAppError(action.error);
  return (
    <div className="flex flex-col gap-6" {...handlers}>
      {error && (polling || error.code === OUTRUN) ? <ErrorNotice error={error} /> : null}
      <p role="status" className="empty:hidden">
        {moved ? (
          <span className="paper sticky top-14 z-20 flex flex-wrap items-center justify-between gap-2 border-l-4 border-l-maybe px-4 py-2">
            {words.order.changed}
            <Button
              onPress={() => {
                showNew();
                announce(words.order.shown);
              }}
            >
              {words.order.show}
            </Button>
          </span>
        ) : null}
      </p>
      {asking && polling ? (
        <DoubtfulChoice
          plan={plan}
          pair={asking}
          close={() => setAsking(null)}
          choose={() => {
            setAsking(null);
            confirm(asking);
          }}
        />
      ) : null}
      {areHidden(plan, me) ? (
        <p className="rounded-s border border-line bg-card-warm px-3 py-2 text-sm">{words.hidden}</p>
      ) : null}
      {best ? (
        <MenuCard
          key={keyOf(best)}
          pair={best}
          me={me}
          supposing={supposing}
          decided={best === decided}
          over={over}
          picture={pictureOf(plan, best)}
          choose={polling && host && !supposing ? () => choose(best) : null}
          chooseTime={
            polling && host && !supposing && best.placeId !== null
              ? () => choose({ ...best, placeId: null, notSafeFor: [] })
              : null
          }
          {...shared}
        />
      ) : chosen ? (
        // Its place is to be decided, or its opening hours changed after it was chosen: no pair could be chosen now.
        <Empty
          title={choiceText(
            chosenPlace(plan)?.name ?? "",
            formatTime(chosen.starts_at, plan.time_zone, viewerZone),
          )}
        />
      ) : (
        <Empty title={words.empty.title} picture={<Dish seed={plan.id} className="w-24" />}>
          <p>{words.empty.text}</p>
        </Empty>
      )}
      {pairs.length > 1 && plan.plan_members.length > 1 && !over ? (
        <WhatIfPanel plan={plan} whatIf={whatIf} onChange={setWhatIf} />
      ) : null}
      {shown.length > 0 && !over ? (
        <section aria-labelledby="runners-up" className="flex flex-col gap-2">
          <h3 id="runners-up" className="text-lg">
            {words.further.title}
          </h3>
          <ol className="flex flex-col gap-2">
            {shown.map((pair) => (
              <RunnerUp
                key={keyOf(pair)}
                pair={pair}
                choose={polling && host && !supposing ? () => choose(pair) : null}
                {...shared}
              />
            ))}
          </ol>
          {more > 0 ? (
            <Button className="self-start" onPress={() => setAll(true)}>
              {words.further.more(more)}
            </Button>
          ) : null}
        </section>
      ) : null}
      {polling ? <FurtherPlaces plan={plan} me={me} mayPropose={host || plan.guests_may_propose} /> : null}
    </div>
  );
}

const OUTRUN = "outrun";

/** Chooses a pair, once; when another host was quicker, the error says what they chose. */
async function confirmOnce(plan: Plan, pair: Pair, viewerZone: string): Promise<void> {
  try {
    await makeOnce(
      plan.id,
      () =>
        confirmPlan(
          plan.id,
          pair.timeId,
          pair.placeId,
          pair.notSafeFor.map((one) => one.personId),
        ),
      hasChosen({ time: pair.timeId, place: pair.placeId }),
    );
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code !== "plan_not_polling") throw error;
    const now = await readPlan(plan.id, AbortSignal.timeout(8000)).catch(() => null);
    const time = now && chosenTime(now);
    if (!time) throw error;
    const named = (place: string, when: string) => [place, when].filter(Boolean).join(", ");
    const theirs = named(
      chosenPlace(now)?.name ?? "",
      formatTime(time.starts_at, plan.time_zone, viewerZone),
    );
    const yours = named(placeName(plan, pair), timeName(plan, pair, viewerZone));
    throw new AppError("conflict", OUTRUN, bestWords().outrun(theirs, yours), "", thrown);
  }
}

function pictureOf(plan: Plan, pair: Pair) {
  const place = plan.place_options.find((option) => option.id === pair.placeId)?.place_id;
  return place ? <PlacePicture placeId={place} className="w-24" /> : null;
}

/** Without a place, says that it is to be decided. */
function choiceText(place: string, time: string): string {
  return place ? bestWords().confirmed(place, time) : bestWords().confirmedTime(time);
}

function placeName(plan: Plan, pair: Pair): string {
  return plan.place_options.find((option) => option.id === pair.placeId)?.places?.name ?? "";
}

function timeName(plan: Plan, pair: Pair, viewerZone: string): string {
  const time = plan.time_options.find((option) => option.id === pair.timeId);
  return time ? formatTime(time.starts_at, plan.time_zone, viewerZone) : "";
}
