/** Owns: how a plan looks with what waits to be sent. Pure. */

import type { ArrivalStatus, Rsvp } from "../plans/answers.ts";
import { withVotes } from "../plans/domain.ts";
import type { Plan } from "../plans/schema.ts";
import { waiting } from "./outbox.ts";
import type { Entry, QueuedMutation } from "./schema.ts";
import type { Outcome } from "./send.ts";

/** The plan as it will be once this person's entries have been sent, oldest first. Refused ones change nothing. */
export function withEntries(plan: Plan, entries: readonly Entry[], me: string): Plan {
  let now = plan;
  for (const { mutation } of entries.filter(
    (entry) => waiting(entry) && entry.mutation.plan_id === plan.id,
  )) {
    if (mutation.kind === "votes") now = withVotes(now, me, mutation.times, mutation.places);
    if (mutation.kind === "rsvp") now = withAnswer(now, me, mutation.answer, mutation.plus_ones);
    if (mutation.kind === "arrival") now = withArrival(now, me, mutation.status, mutation.eta);
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
function withAnswer(plan: Plan, me: string, rsvp: Rsvp, plus_ones: number): Plan {
  return withMine(plan, me, { rsvp, plus_ones });
}

/** The plan with this person's arrival. */
function withArrival(plan: Plan, me: string, status: ArrivalStatus, eta: string | null): Plan {
  return withMine(plan, me, { arrivals: { status, eta } });
}

function withMine(plan: Plan, me: string, mine: Partial<Plan["plan_members"][number]>): Plan {
  const plan_members = plan.plan_members.map((member) =>
    member.user_id === me ? { ...member, ...mine } : member,
  );
  return { ...plan, plan_members };
}

/** The plan as the server now has it, as far as what became of a mutation tells. */
export function withOutcome(plan: Plan, me: string, mutation: QueuedMutation, outcome: Outcome): Plan {
  if ("refused" in outcome) return plan;
  switch (mutation.kind) {
    case "votes":
      return withVotes(plan, me, mutation.times, mutation.places);
    case "rsvp":
      return "rsvp" in outcome ? withAnswer(plan, me, outcome.rsvp, mutation.plus_ones) : plan;
    case "veto":
      return withVeto(plan, me, mutation.reason);
    case "arrival":
      return withArrival(plan, me, mutation.status, mutation.eta);
    case "message":
      return plan;
  }
}
