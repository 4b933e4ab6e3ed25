/** Owns: ranking a plan in the browser, with the same module that the function suggest-places uses. */
import { rankingInput } from "../../../../supabase/functions/_shared/plan_rows.ts";
import { type Pair, rankPairs } from "../../../../supabase/functions/_shared/ranking.ts";
import type { Plan, Rating, Trip } from "./schema.ts";

/** Best first. Times that are over at `now` are left out: nobody can choose them. */
export function rankPlan(
  plan: Plan,
  trips: readonly Trip[],
  ratings: readonly Rating[],
  now: number,
): Pair[] {
  const open = {
    ...plan,
    time_options: plan.time_options.filter((option) => Date.parse(option.starts_at) > now),
  };
  return rankPairs(rankingInput(open, trips, ratings));
}
