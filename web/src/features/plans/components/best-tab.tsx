/** Owns: the tab Best: the leading pair as a menu card, the runners-up, and places nobody thought of. */
import { useQuery } from "@tanstack/react-query";
import { peopleOf } from "../../../../../supabase/functions/_shared/plan_rows.ts";
import type { Pair } from "../../../../../supabase/functions/_shared/ranking.ts";
import { compromisesFor, reasonsFor } from "../../../../../supabase/functions/_shared/reasons.ts";
import { clockOf, dayOf, sayTime } from "../../../lib/time.ts";
import { Button } from "../../../ui/button.tsx";
import { Dish } from "../../../ui/dish.tsx";
import { SparklesIcon } from "../../../ui/icons.ts";
import { Bone, Empty, ErrorNotice, Loading } from "../../../ui/notice.tsx";
import { usePlanAction } from "../actions.ts";
import { stateOf } from "../domain.ts";
import { confirmPlan, proposePlace } from "../mutations.ts";
import { planQueries } from "../queries.ts";
import { rankPlan } from "../ranking.ts";
import type { Plan } from "../schema.ts";
import type { TabProps } from "./when-tab.tsx";

/** Beside the menu card; more is a list, not an answer. */
const RUNNERS_UP = 4;

export function BestTab({ plan, now, viewerZone, host }: TabProps) {
  const trips = useQuery(planQueries.trips(plan.id));
  const ratings = useQuery(planQueries.ratings());
  const action = usePlanAction(plan.id);
  const polling = stateOf(plan, now) === "polling";
  const pairs = rankPlan(plan, trips.data ?? [], ratings.data ?? [], now);
  const [best, ...others] = pairs;
  const choose = (pair: Pair) => action.mutate(() => confirmPlan(plan.id, pair.timeId, pair.placeId));
  return (
    <div className="flex flex-col gap-6">
      {action.isError ? <ErrorNotice error={action.error} /> : null}
      {best ? (
        <MenuCard
          key={`${best.timeId} ${best.placeId}`}
          pair={best}
          plan={plan}
          viewerZone={viewerZone}
          choose={polling && host ? () => choose(best) : null}
          busy={action.isPending}
        />
      ) : (
        <Empty title="Nothing to pair yet" picture={<Dish seed={plan.id} className="w-24" />}>
          <p>A pair needs a time that is still to come and a place that is open then.</p>
        </Empty>
      )}
      {others.length > 0 ? (
        <section aria-labelledby="runners-up">
          <h3 id="runners-up" className="mb-2 text-lg">
            Also possible
          </h3>
          <ol className="flex flex-col gap-2">
            {others.slice(0, RUNNERS_UP).map((pair) => (
              <RunnerUp
                key={`${pair.timeId} ${pair.placeId}`}
                pair={pair}
                plan={plan}
                choose={polling && host ? () => choose(pair) : null}
                busy={action.isPending}
              />
            ))}
          </ol>
        </section>
      ) : null}
      {polling ? <Suggestions plan={plan} mayPropose={host || plan.guests_may_propose} /> : null}
    </div>
  );
}

function describe(pair: Pair, plan: Plan) {
  return {
    time: plan.time_options.find((option) => option.id === pair.timeId),
    place: plan.place_options.find((option) => option.id === pair.placeId)?.places,
    reasons: reasonsFor(pair, peopleOf(plan)),
    compromises: compromisesFor(pair, peopleOf(plan)),
  };
}

function MenuCard({
  pair,
  plan,
  viewerZone,
  choose,
  busy,
}: {
  pair: Pair;
  plan: Plan;
  viewerZone: string;
  choose: (() => void) | null;
  busy: boolean;
}) {
  const { time, place, reasons, compromises } = describe(pair, plan);
  if (!time || !place) return null;
  return (
    <article
      aria-label="The best pair"
      className="turn mx-auto w-full max-w-xl rounded-m border border-line bg-card p-2 shadow-lift"
    >
      <div className="flex flex-col items-center gap-4 rounded-s border border-edge/60 px-5 py-7 text-center">
        <p className="text-sm text-ink-soft italic">
          {pair.notSafeFor.length === 0 ? "The table's choice" : "Best so far, with a question"}
        </p>
        <Dish seed={place.id} className="w-24" />
        <div>
          <h3 className="text-xl">{place.name}</h3>
          <p className="text-sm text-ink-soft">{place.cuisines.join(" · ")}</p>
        </div>
        <p className="numerals text-lg leading-tight">
          {dayOf(time.starts_at, plan.time_zone)}
          <br />
          <span className="text-2xl font-semibold">{clockOf(time.starts_at, plan.time_zone)}</span>
          <span className="sr-only">, {sayTime(time.starts_at, plan.time_zone, viewerZone)}</span>
        </p>
        <ul className="flex w-full max-w-md flex-col gap-1">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
        {compromises.length > 0 ? (
          <div className="w-full max-w-md border-t border-dashed border-edge pt-3 text-sm text-ink-soft">
            <h4 className="mb-1 font-semibold text-ink">Who gives something up</h4>
            <ul className="flex flex-col gap-0.5">
              {compromises.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </div>
        ) : null}
        {choose ? (
          <Button look="action" onPress={choose} busy={busy}>
            Choose this
          </Button>
        ) : null}
      </div>
    </article>
  );
}

function RunnerUp({
  pair,
  plan,
  choose,
  busy,
}: {
  pair: Pair;
  plan: Plan;
  choose: (() => void) | null;
  busy: boolean;
}) {
  const { time, place, reasons } = describe(pair, plan);
  if (!time || !place) return null;
  return (
    <li className="paper flex flex-wrap items-center gap-x-4 gap-y-2 p-3">
      <Dish seed={place.id} className="size-12 shrink-0" />
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-display leading-tight font-semibold">
          {place.name}
          <span className="numerals font-normal">
            , {dayOf(time.starts_at, plan.time_zone)} {clockOf(time.starts_at, plan.time_zone)}
          </span>
        </p>
        <p className="text-sm text-ink-soft">
          {reasons[0]}
          {pair.notSafeFor.length > 0 ? `. Not known to be safe for ${pair.notSafeFor.length}` : ""}
        </p>
      </div>
      {choose ? (
        <Button
          onPress={choose}
          isDisabled={busy}
          aria-label={`Choose ${place.name}, ${dayOf(time.starts_at, plan.time_zone)}`}
        >
          Choose
        </Button>
      ) : null}
    </li>
  );
}

function Suggestions({ plan, mayPropose }: { plan: Plan; mayPropose: boolean }) {
  const suggestions = useQuery({
    ...planQueries.suggestions(plan.id),
    enabled: plan.time_options.length > 0,
  });
  const action = usePlanAction(plan.id);
  if (plan.time_options.length === 0) return null;
  return (
    <section aria-labelledby="suggestions">
      <h3 id="suggestions" className="mb-2 flex items-center gap-2 text-lg">
        <SparklesIcon aria-hidden className="size-5 text-maybe" /> Not on the table yet
      </h3>
      {action.isError ? <ErrorNotice error={action.error} /> : null}
      {suggestions.isPending ? (
        <Loading what="suggestions">
          <div className="flex flex-col gap-2">
            <Bone className="h-20" />
            <Bone className="h-20" />
          </div>
        </Loading>
      ) : suggestions.isError ? (
        <ErrorNotice error={suggestions.error} retry={() => void suggestions.refetch()} />
      ) : suggestions.data.length === 0 ? (
        <p className="text-ink-soft">
          No further place is known to be safe for everyone and open at one of the times.
        </p>
      ) : (
        <ul className="flex flex-col gap-2">
          {suggestions.data.map((suggestion) => (
            <li key={suggestion.place_id} className="paper flex flex-wrap items-center gap-x-4 gap-y-2 p-3">
              <Dish seed={suggestion.place_id} className="size-12 shrink-0" />
              <div className="min-w-0 flex-1 basis-48">
                <p className="font-display leading-tight font-semibold">{suggestion.name}</p>
                <p className="text-sm text-ink-soft">{suggestion.reasons.slice(1, 3).join(". ")}</p>
              </div>
              {mayPropose ? (
                <Button
                  busy={action.isPending}
                  onPress={() => action.mutate(() => proposePlace(plan.id, suggestion.place_id))}
                  aria-label={`Put ${suggestion.name} on the plan`}
                >
                  Put it up
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
