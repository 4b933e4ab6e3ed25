/** Owns: ranking a plan in the browser, with the module that the function suggest-places uses, and what if. */
import { type PastMeals, rankingInput } from "../../../../supabase/functions/_shared/ranking/plan_rows.ts";
import {
  type Pair,
  type RankingInput,
  rankPairs,
} from "../../../../supabase/functions/_shared/ranking/ranking.ts";
import { answersAt } from "../plans/domain.ts";
import type { Plan, Trip } from "../plans/schema.ts";

/** The assumption about a person: that they are not there, or that any time suits them. */
export type WhatIfAnswer = "without" | "yes";
/** By person id; a person who is not in the map counts with their own answer. */
export type WhatIf = Readonly<Record<string, WhatIfAnswer>>;

/** The options to rank, without times that are over at `now`: nobody can choose those. */
export function inputOf(plan: Plan, trips: readonly Trip[], pastMeals: PastMeals, now: number): RankingInput {
  const open = {
    ...plan,
    time_options: plan.time_options
      .filter((option) => Date.parse(option.starts_at) > now)
      .map((option) => ({ ...option, time_votes: answersAt(plan, option, now) })),
  };
  return rankingInput(open, trips, pastMeals);
}

/** The same table, if it were so. */
export function applyWhatIf(input: RankingInput, whatIf: WhatIf): RankingInput {
  const yes = Object.fromEntries(
    Object.entries(whatIf).flatMap(([person, supposed]) =>
      supposed === "yes" ? [[person, "yes" as const]] : [],
    ),
  );
  return {
    people: input.people.map((person) =>
      whatIf[person.id] === "without"
        ? { ...person, declined: true }
        : whatIf[person.id] === "yes"
          ? { ...person, declined: false }
          : person,
    ),
    times: input.times.map((time) => ({ ...time, votes: { ...time.votes, ...yes } })),
    places: input.places,
  };
}

export const keyOf = (pair: Pair): string => `${pair.timeId} ${pair.placeId}`;

/**
 * Pairs in the order that is on the screen: shown pairs keep their places, new ones follow, and what
 * is gone goes. `moved` says whether that differs from the ranking among the first `most`.
 */
export function keepOrder(
  shown: readonly string[],
  ranked: readonly Pair[],
  most: number,
): { pairs: Pair[]; moved: boolean } {
  const byKey = new Map(ranked.map((pair) => [keyOf(pair), pair]));
  const inShownOrder = shown.flatMap((key) => byKey.get(key) ?? []);
  const known = new Set(inShownOrder);
  const pairs = [...inShownOrder, ...ranked.filter((pair) => !known.has(pair))];
  const moved = ranked.slice(0, most).some((pair, index) => pairs[index] !== pair);
  return { pairs, moved };
}

export { type Pair, type RankingInput, rankPairs };
