/** Owns: putting a change into the outbox in place of an earlier one that was refused. */
import type { Ballot } from "../plans/answers.ts";
import { outbox } from "./device.ts";
import { waiting } from "./outbox.ts";
import type { QueuedMutation } from "./schema.ts";

interface Cast {
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
  const refused = outbox
    .snapshot()
    .filter((entry) => entry.mutation.kind === kind && entry.mutation.plan_id === plan_id && !waiting(entry));
  const add = async () => {
    await outbox.add(mutation, crypto.randomUUID());
    for (const { id } of refused) await outbox.drop(id);
  };
  add().catch(() => undefined);
}
