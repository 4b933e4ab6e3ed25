/** Owns: how a change to a plan is made from a component: run, read again, and keep the error in place. */
import { useMutation, useMutationState, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { type AppError, toAppError } from "../../lib/errors.ts";
import { deliver, useOutbox } from "../outbox/device.ts";
import type { Entry } from "../outbox/schema.ts";
import { withVotes } from "./domain.ts";
import type { Ballot } from "./mutations.ts";
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

export interface Cast {
  times?: Ballot;
  places?: Ballot;
}

const votesOf = (planId: string) => ["votes", planId];

/**
 * Casts votes, one after the other in the order in which they were given. What is under way or waits for a
 * connection shows through `useWithPendingVotes`; what is refused goes back and is said.
 */
export function useVote(plan: Plan, me: string) {
  const queries = useQueryClient();
  const planKey = ["plan", plan.id];
  const mutationKey = votesOf(plan.id);
  const send = useMutation({
    mutationKey,
    scope: { id: mutationKey.join(" ") },
    mutationFn: ({ times = {}, places = {} }: Cast) =>
      deliver({ kind: "votes", plan_id: plan.id, times, places }, me),
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
  const waiting = useOutbox(plan.id).filter(isWaitingVote).length;
  return {
    mutate,
    error,
    isError: error !== null,
    /** How many strokes wait on this device for a connection. */
    waiting,
  };
}

/** The plan with one's votes that are under way or wait for a connection, whatever is read meanwhile. */
export function useWithPendingVotes(plan: Plan, me: string): Plan {
  const kept = useOutbox(plan.id);
  const pending = useMutationState({
    filters: { mutationKey: votesOf(plan.id), status: "pending" },
    select: (mutation) => mutation.state.variables as Cast | undefined,
  });
  return useMemo(() => {
    const waiting = kept.filter(isWaitingVote).map(({ deed }) => deed as Cast);
    return [...waiting, ...pending].reduce(
      (now, cast) => withVotes(now, me, cast?.times ?? {}, cast?.places ?? {}),
      plan,
    );
  }, [kept, pending, plan, me]);
}

function isWaitingVote(entry: Entry): boolean {
  return entry.deed.kind === "votes" && entry.refused === null;
}
