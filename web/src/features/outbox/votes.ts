/** Owns: votes and answers as they are given: sent at once, or queued where the connection does not carry them. */
import { useMutation, useMutationState, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { type AppError, toAppError } from "../../lib/errors.ts";
import { withVotes } from "../plans/domain.ts";
import { type Ballot, castVotes } from "../plans/mutations.ts";
import type { Plan } from "../plans/schema.ts";
import { outbox, queueIfNeeded, useOutbox } from "./device.ts";
import { waiting } from "./outbox.ts";
import { withEntries } from "./plan-with-queue.ts";
import type { QueuedMutation } from "./schema.ts";

/**
 * Sends a mutation now, or queues it where the connection does not carry it; the outbox then sends it by itself.
 * Resolves to "waiting" when it was queued.
 * @throws AppError the server's refusal
 */
export async function sendOrQueue<Result>(
  mutation: QueuedMutation,
  now: () => Promise<Result>,
): Promise<Result | "waiting"> {
  if (await queueIfNeeded(mutation)) return "waiting";
  try {
    return await now();
  } catch (thrown) {
    if (toAppError(thrown).kind !== "network") throw thrown;
    await outbox.add(mutation, crypto.randomUUID());
    return "waiting";
  }
}

export interface Cast {
  times?: Ballot;
  places?: Ballot;
}

const votesOf = (planId: string) => ["votes", planId];

/**
 * Casts votes, one after the other in the order in which they were given. What is under way or waits for a
 * connection shows through `useWithPendingVotes`; what is refused goes back, and is said.
 */
export function useVote(plan: Plan, me: string) {
  const queries = useQueryClient();
  const planKey = ["plan", plan.id];
  const mutationKey = votesOf(plan.id);
  const send = useMutation({
    mutationKey,
    scope: { id: mutationKey.join(" ") },
    mutationFn: ({ times = {}, places = {} }: Cast) =>
      sendOrQueue({ kind: "votes", plan_id: plan.id, times, places }, () =>
        castVotes(plan.id, times, places),
      ),
    onSuccess: async (became, { times = {}, places = {} }) => {
      if (became === "waiting") return;
      // A read that began before the vote would take it off the screen again.
      await queries.cancelQueries({ queryKey: planKey, exact: true });
      queries.setQueryData<Plan | null>(planKey, (now) => now && withVotes(now, me, times, places));
    },
    onSettled: () => {
      if (queries.isMutating({ mutationKey }) > 1) return; // the last one reads
      void queries.invalidateQueries({ queryKey: planKey, exact: true });
      void queries.invalidateQueries({ queryKey: ["plans"] });
    },
  });
  const errors = useMutationState({
    filters: { mutationKey, status: "error" },
    select: (mutation) => toAppError(mutation.state.error),
  });
  const error: AppError | null = errors.at(-1) ?? null;
  const mutate = (cast: Cast) => {
    // A new answer is a new try: what was refused before is said no longer.
    const cache = queries.getMutationCache();
    for (const failed of cache.findAll({ mutationKey, status: "error" })) cache.remove(failed);
    send.mutate(cast);
  };
  const kept = useOutbox(plan.id).filter((entry) => waiting(entry) && entry.mutation.kind === "votes");
  return {
    mutate,
    error,
    isError: error !== null,
    /** Whether answers wait on this device for a connection. */
    waiting: kept.length > 0,
  };
}

/** The plan with one's votes and answers that are under way or wait for a connection, whatever is read or heard meanwhile. */
export function useWithPendingVotes(plan: Plan, me: string): Plan {
  const pending = useMutationState({
    filters: { mutationKey: votesOf(plan.id), status: "pending" },
    select: (mutation) => mutation.state.variables as Cast | undefined,
  });
  const kept = useOutbox(plan.id);
  return useMemo(
    () =>
      pending.reduce(
        (now, cast) => withVotes(now, me, cast?.times ?? {}, cast?.places ?? {}),
        withEntries(plan, kept, me),
      ),
    [pending, kept, plan, me],
  );
}
