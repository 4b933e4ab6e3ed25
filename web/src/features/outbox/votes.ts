/** Owns: casting votes through the outbox, and the plan as this person sees it: the server's, and what waits here. */
import { replaceEqualDeep } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Ballot } from "../plans/answers.ts";
import type { Plan } from "../plans/schema.ts";
import { outbox, useIsStuck, useOutbox } from "./device.ts";
import { waiting } from "./outbox.ts";
import { withEntries } from "./plan-with-queue.ts";
import type { Entry, QueuedMutation } from "./schema.ts";

export interface Cast {
  times?: Ballot;
  places?: Ballot;
}

/**
 * Casts votes on a plan. They show through `useWithQueue` at once; the outbox's notice shows a refusal. It is not a
 * hook, so that a screen is not drawn again by each step of the queue.
 */
export function castVote(plan: string, { times = {}, places = {} }: Cast): void {
  enqueue({ kind: "votes", plan_id: plan, times, places });
}

/** Queues a change in place of an earlier one of its kind that was refused, whose refusal is no longer shown. */
export function enqueue(mutation: QueuedMutation): void {
  const { kind, plan_id } = mutation;
  const refused = outbox.snapshot().filter((entry) => isOf(entry, kind, plan_id) && !waiting(entry));
  const add = async () => {
    await outbox.add(mutation, crypto.randomUUID());
    for (const { id } of refused) await outbox.drop(id);
  };
  add().catch(() => undefined);
}

/** Whether answers to a plan wait on this device for a connection. */
export function useVotesWait(plan: string): boolean {
  const stuck = useIsStuck();
  const votes = useOutbox(plan).some((entry) => isOf(entry, "votes", plan) && waiting(entry));
  return stuck && votes;
}

function isOf({ mutation }: Entry, kind: QueuedMutation["kind"], plan: string): boolean {
  return mutation.kind === kind && mutation.plan_id === plan;
}

/**
 * The plan with this person's votes and RSVP that wait in the outbox. Parts that are equal stay the same objects: the
 * steps of a vote (stored, sent, confirmed, read again) mean the same plan, and draw nothing.
 */
export function useWithQueue(plan: Plan, me: string): Plan {
  const entries = useOutbox(plan.id);
  const [shown] = useState({ plan });
  return useMemo(() => {
    shown.plan = replaceEqualDeep(shown.plan, withEntries(plan, entries, me));
    return shown.plan;
  }, [entries, plan, me, shown]);
}
