/** Owns: what the answers to one time amount to, who is still waited for, and whether answers are hidden. Pure. */

import type { Answer } from "./answers.ts";
import { hasAnswered, stateOf, waitsForVote } from "./domain.ts";
import type { Member, Plan } from "./schema.ts";

export interface Tally extends Record<Answer, readonly string[]> {
  silent: readonly string[];
  /** Who has to be there and said no. */
  requiredOut: readonly string[];
}

/** Person ids by answer, in the order of the table. Who declined the whole plan counts as neither. */
export function tallyOf(
  votes: readonly { user_id: string; answer: Answer }[],
  members: readonly Member[],
): Tally {
  const given = new Map(votes.map((vote) => [vote.user_id, vote.answer]));
  const asked = members.filter((member) => member.rsvp !== "declined" || given.has(member.user_id));
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

/** Whether others' answers are kept from this person: the host wants it, and they have not answered yet. */
export function areHidden(plan: Plan, me: string): boolean {
  return (
    plan.results_hidden &&
    plan.status === "polling" &&
    !plan.time_options.some((option) => option.time_votes.some((vote) => vote.user_id === me)) &&
    !plan.place_options.some((option) => option.place_votes.some((vote) => vote.user_id === me))
  );
}

/** Who has not answered every time yet, as far as the plan still waits for answers. */
export function waitedFor(plan: Plan, me: string, now: number): Member[] {
  if (stateOf(plan, now) !== "polling" || plan.time_options.length === 0) return [];
  return plan.plan_members.filter(
    // One's own votes are all here, also those that the server has not heard of yet.
    (member) =>
      member.rsvp !== "declined" &&
      (member.user_id === me ? waitsForVote(plan, me, now) : !hasAnswered(plan, member, now)),
  );
}

/** How warm a time is, 0 to 1: a yes whole, an if need be half, over everyone who was asked. */
export function warmthOf({ yes, if_need_be, no, silent }: Tally): number {
  const asked = yes.length + if_need_be.length + no.length + silent.length;
  return asked === 0 ? 0 : (yes.length + if_need_be.length / 2) / asked;
}
