/** Owns: how a change to a plan is made from a component: run, read again, and keep the error in place. */
import { useMutation, useMutationState, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { type AppError, toAppError } from "../../lib/errors.ts";
import { keepForLater, outbox, useOutbox } from "../outbox/device.ts";
import { waiting } from "../outbox/outbox.ts";
import { withEntries } from "../outbox/plan.ts";
import type { Deed } from "../outbox/schema.ts";
import { withVotes } from "./domain.ts";
import { type Ballot, castVotes } from "./mutations.ts";
import { readPlan } from "./queries.ts";
import type { Plan } from "./schema.ts";

/** Runs any change to this plan; what is read of it is read again, whether it worked or not. */
export function usePlanAction(planId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: () => Promise<unknown>) => change(),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["plan", planId] }),
        queries.invalidateQueries({ queryKey: ["plans"] }),
      ]),
  });
}

/** How long to wait for the read that tells whether a change arrived. */
const ASK_AGAIN_MS = 8000;

/**
 * Makes a change that must not happen twice. When its answer got lost, or a second try is refused, the plan
 * itself tells whether it had arrived. Throws the change's own AppError when it had not.
 */
export async function makeOnce(
  plan: string,
  change: () => Promise<unknown>,
  arrived: (plan: Plan) => boolean,
): Promise<void> {
  try {
    await change();
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.kind === "network" || error.kind === "conflict") {
      const now = await readPlan(plan, AbortSignal.timeout(ASK_AGAIN_MS)).catch(() => null);
      if (now && arrived(now)) return;
    }
    throw error;
  }
}

/**
 * Does something now, or leaves it to the outbox where the connection does not carry it: that sends it by
 * itself. Resolves to "waiting" then; throws the refusal of the server.
 */
export async function doOrKeep<Result>(deed: Deed, now: () => Promise<Result>): Promise<Result | "waiting"> {
  if (await keepForLater(deed)) return "waiting";
  try {
    return await now();
  } catch (thrown) {
    if (toAppError(thrown).kind !== "network") throw thrown;
    await outbox.add(deed, crypto.randomUUID());
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
      doOrKeep({ kind: "votes", plan_id: plan.id, times, places }, () => castVotes(plan.id, times, places)),
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
  const kept = useOutbox(plan.id).filter((entry) => waiting(entry) && entry.deed.kind === "votes");
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
