/** Owns: how a plan looks with what waits to be sent. Pure. */

import type { Rsvp } from "../plans/answers.ts";
import { withVotes } from "../plans/domain.ts";
import type { Plan } from "../plans/schema.ts";
import { waiting } from "./outbox.ts";
import type { Entry } from "./schema.ts";

/** The plan as it will be once this person's entries have been sent, oldest first. Refused ones change nothing. */
export function withEntries(plan: Plan, entries: readonly Entry[], me: string): Plan {
  let now = plan;
  for (const { mutation } of entries.filter(
    (entry) => waiting(entry) && entry.mutation.plan_id === plan.id,
  )) {
    if (mutation.kind === "votes") now = withVotes(now, me, mutation.times, mutation.places);
    if (mutation.kind === "rsvp") now = withAnswer(now, me, mutation.answer, mutation.plus_ones);
  }
  return now;
}

/** The plan with this person's objection, which ends the proposal. Shown only once the server has it: it may be late. */
export function withVeto(plan: Plan, me: string, reason: string): Plan {
  return {
    ...plan,
    decides_itself: false,
    proposed_time_id: null,
    proposed_place_id: null,
    veto_until: null,
    vetoed_by: me,
    veto_reason: reason.trim(),
  };
}

/** The plan with this person's RSVP. */
export function withAnswer(plan: Plan, me: string, rsvp: Rsvp, plusOnes: number): Plan {
  const plan_members = plan.plan_members.map((member) =>
    member.user_id === me ? { ...member, rsvp, plus_ones: plusOnes } : member,
  );
  return { ...plan, plan_members };
}
