/** Owns: the consequences of another time or place for a decided plan. Pure. */

import type { Diet } from "../../../../supabase/functions/_shared/ranking/diets.ts";
import { saidNo } from "../../../../supabase/functions/_shared/table/person_state.ts";
import type { Choice } from "../plans/choices.ts";
import { answersAt } from "../plans/domain.ts";
import { closedTimes } from "../plans/hours-at.ts";
import { type JudgedPlace, safetyOf } from "../plans/safety.ts";
import type { Plan, Rating, TimeOption } from "../plans/schema.ts";

/** The times that a host can still choose. */
export function futureTimes(plan: Plan, now: number): TimeOption[] {
  return plan.time_options.filter((option) => Date.parse(option.starts_at) > now);
}

/** The number of people who can make a time, as far as they said, and how many are asked. */
export function turnoutOf(plan: Plan, time: TimeOption, now: number): { can: number; asked: number } {
  const asked = plan.plan_members.filter((member) => !saidNo(member));
  const answers = answersAt(plan, time, now);
  const can = asked.filter((member) =>
    answers.some((vote) => vote.user_id === member.user_id && vote.answer !== "no"),
  );
  return { can: can.length, asked: asked.length };
}

/** What the database checks of a pair, and which people a host has to name for it. */
export interface Verdict {
  closed: boolean;
  /** People who may come at that time, and what the place is not known to be safe for. */
  unsafe: { person: string; diets: readonly Diet[] }[];
}

/** A time of null is not chosen yet: nothing is known of it. */
export function verdictOn(
  plan: Plan,
  choice: Pick<Choice, "place"> & { time: string | null },
  ratings: readonly Rating[],
): Verdict {
  const time = plan.time_options.find((option) => option.id === choice.time);
  const place = plan.place_options.find((option) => option.id === choice.place)?.places;
  if (!place) return { closed: false, unsafe: [] };
  return {
    closed: time !== undefined && (closedTimes(place, [time])?.length ?? 0) > 0,
    unsafe: unsafeAt(plan, choice.time, place, ratings),
  };
}

/** The people who may come at a time and whom a place is not known to be safe for. */
export function unsafeAt(
  plan: Plan,
  timeId: string | null,
  place: JudgedPlace,
  ratings: readonly Rating[],
): Verdict["unsafe"] {
  const votes = plan.time_options.find((option) => option.id === timeId)?.time_votes ?? [];
  const staysAway = (person: string) => votes.some((vote) => vote.user_id === person && vote.answer === "no");
  return safetyOf(place, plan.plan_members, ratings).unknown.filter(({ person }) => !staysAway(person));
}
