/** Owns: the tally of answers to one time, the missing answers, the seats taken, and whether answers are hidden. Pure. */

import { isSeated, saidNo } from "../../../../supabase/functions/_shared/table/person_state.ts";
import type { Answer } from "./answers.ts";
import { isVotingClosed, stateOf, stateOfMember } from "./domain.ts";
import type { Member, Plan } from "./schema.ts";

export interface Tally extends Record<Answer, readonly string[]> {
  silent: readonly string[];
  /** Required people who said no. */
  requiredOut: readonly string[];
}

/** Person ids by answer, in the table's order. Members who declined the whole plan are in no list. */
export function tallyOf(
  votes: readonly { user_id: string; answer: Answer }[],
  members: readonly Member[],
): Tally {
  const given = new Map(votes.map((vote) => [vote.user_id, vote.answer]));
  const asked = members.filter((member) => !saidNo(member) || given.has(member.user_id));
  const by = (answer: Answer | undefined) =>
    asked.filter((member) => given.get(member.user_id) === answer).map((member) => member.user_id);
  return {
    yes: by("yes"),
    if_need_be: by("if_need_be"),
    no: by("no"),
    silent: by(undefined),
    requiredOut: asked
      .filter((member) => member.required && given.get(member.user_id) === "no")
      .map((member) => member.user_id),
  };
}

/**
 * Whether others' answers are hidden from this person: the host chose that, and they have not answered yet.
 */
export function areHidden(plan: Plan, me: string): boolean {
  return (
    plan.results_hidden &&
    plan.status === "polling" &&
    !plan.time_options.some((option) => option.time_votes.some((vote) => vote.user_id === me)) &&
    !plan.place_options.some((option) => option.place_votes.some((vote) => vote.user_id === me))
  );
}

/** The warmth of a time, 0 to 1: a yes counts whole, an if need be half, relative to everyone invited. */
export function warmthOf({ yes, if_need_be, no, silent }: Tally): number {
  const asked = yes.length + if_need_be.length + no.length + silent.length;
  return asked === 0 ? 0 : (yes.length + if_need_be.length / 2) / asked;
}

/** Whether a plan in voting still waits for this person: they have said nothing, and a time is still to come. */
export function waitsForVote(plan: Plan, person: string, now: number): boolean {
  return waitedFor(plan, now).some((member) => member.user_id === person);
}

/** The members who have said nothing yet, while the plan accepts answers to a time that is still to come. */
export function waitedFor(plan: Plan, now: number): Member[] {
  const upcoming = plan.time_options.some((option) => Date.parse(option.starts_at) > now);
  if (stateOf(plan, now) !== "polling" || isVotingClosed(plan, now) || !upcoming) return [];
  return plan.plan_members.filter((member) => stateOfMember(plan, member, now) === "asked");
}

/** Places taken at the table, plus-ones included. */
export function seatsTaken(plan: Plan, now: number): number {
  return plan.plan_members
    .filter((member) => isSeated(stateOfMember(plan, member, now)))
    .reduce((sum, member) => sum + 1 + member.plus_ones, 0);
}
