/** Owns: how a plan looks with what waits to be sent. Pure. */

import { withVotes } from "../plans/domain.ts";
import type { Member, Plan } from "../plans/schema.ts";
import { waiting } from "./outbox.ts";
import type { Entry, QueuedMutation } from "./schema.ts";
import type { Outcome } from "./send.ts";

/** The plan as it will be once this person's entries have been sent, oldest first. Refused ones change nothing. */
export function withEntries(plan: Plan, entries: readonly Entry[], me: string): Plan {
  return entries
    .filter((entry) => waiting(entry) && entry.mutation.plan_id === plan.id)
    .reduce((now, { mutation }) => withMutation(now, me, mutation), plan);
}

/** The plan as the server now has it, as far as what became of a mutation tells. */
export function withOutcome(plan: Plan, me: string, mutation: QueuedMutation, outcome: Outcome): Plan {
  if ("refused" in outcome) return plan;
  if (mutation.kind === "veto") return withVeto(plan, me, mutation.reason);
  return withMutation(
    plan,
    me,
    mutation.kind === "rsvp" && "rsvp" in outcome ? { ...mutation, answer: outcome.rsvp } : mutation,
  );
}

/** The plan with a person's votes, RSVP or arrival; an objection counts only once the server has it. */
function withMutation(plan: Plan, me: string, mutation: QueuedMutation): Plan {
  if (mutation.kind === "votes") return withVotes(plan, me, mutation.times, mutation.places);
  const mine: Partial<Member> | undefined =
    mutation.kind === "rsvp"
      ? { rsvp: mutation.answer, plus_ones: mutation.plus_ones }
      : mutation.kind === "arrival"
        ? { arrivals: { status: mutation.status, eta: mutation.eta } }
        : undefined;
  if (!mine) return plan;
  const plan_members = plan.plan_members.map((member) =>
    member.user_id === me ? { ...member, ...mine } : member,
  );
  return { ...plan, plan_members };
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
