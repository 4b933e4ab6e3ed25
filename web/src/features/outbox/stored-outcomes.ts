/** Owns: storing the outcome of an entry in the query cache, in every tab, before the entry leaves the queue. */
import type { QueryClient } from "@tanstack/react-query";
import { type Conversation, withStored } from "../messages/domain.ts";
import type { Plan } from "../plans/schema.ts";
import { waiting } from "./outbox.ts";
import { withOutcome } from "./plan-with-queue.ts";
import type { Entry } from "./schema.ts";
import type { Outcome } from "./send.ts";

/** @param queue the entries of this device; after the last one of a plan, the plan is read once. */
export async function storeOutcome(
  queries: QueryClient,
  { id, mutation, person }: Entry,
  outcome: Outcome,
  queue: readonly Entry[],
): Promise<void> {
  if (mutation.kind === "message") {
    const row = "message" in outcome && outcome.message;
    queries.setQueryData<Conversation>(["messages", mutation.plan_id], (now) =>
      now && row ? withStored(now, row).after : now,
    );
    return;
  }
  const queryKey = ["plan", mutation.plan_id];
  // A read that began before the change would take it off the screen again.
  await queries.cancelQueries({ queryKey, exact: true });
  queries.setQueryData<Plan | null>(queryKey, (now) => now && withOutcome(now, person, mutation, outcome));
  if (queue.some((one) => one.id !== id && waiting(one) && one.mutation.plan_id === mutation.plan_id)) return;
  void queries.invalidateQueries({ queryKey, exact: true });
  void queries.invalidateQueries({ queryKey: ["plans"] });
}
