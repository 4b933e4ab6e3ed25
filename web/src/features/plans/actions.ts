/** Owns: how a change to a plan is made from a component: run, read again, and keep the error in place. */
import {
  type Mutation,
  type QueryClient,
  useMutation,
  useMutationState,
  useQueryClient,
} from "@tanstack/react-query";
import { useMemo } from "react";
import { type AppError, toAppError } from "../../lib/errors.ts";
import { keepForLater, useOutbox } from "../outbox/device.ts";
import { withEntries } from "../outbox/plan.ts";
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

export interface Cast {
  times?: Ballot;
  places?: Ballot;
}

const votesOf = (planId: string) => ["votes", planId];
type CastMutation = Mutation<unknown, unknown, Cast>;

/** A vote is the same vote however often it is sent, so a connection that stumbles is tried again. */
const RETRIES = 2;
const RETRY_MS = 500;

/**
 * Casts votes, one after the other in the order in which they were given. What is under way shows through
 * `useWithPendingVotes`; what could not be sent is kept, goes along with the next vote, and can be sent again.
 */
export function useVote(plan: Plan, me: string) {
  const queries = useQueryClient();
  const planKey = ["plan", plan.id];
  const mutationKey = votesOf(plan.id);
  const send = useMutation({
    mutationKey,
    scope: { id: mutationKey.join(" ") },
    mutationFn: async ({ times = {}, places = {} }: Cast) => {
      const later = await keepForLater({ kind: "votes", plan_id: plan.id, times, places });
      if (!later) await castVotes(plan.id, times, places);
    },
    retry: (failures, error) => failures < RETRIES && toAppError(error).kind === "network",
    retryDelay: RETRY_MS,
    onSuccess: async (_nothing, { times = {}, places = {} }) => {
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
  const mutate = (cast: Cast) => send.mutate(withUnsent(queries, mutationKey, cast));
  return {
    mutate,
    error,
    isError: error !== null,
    /** Sends again what did not get through. */
    retry: () => mutate({}),
  };
}

/** Takes the votes that did not get through out of the list of failures; the newer answer to an option counts. */
function withUnsent(queries: QueryClient, mutationKey: string[], cast: Cast): Cast {
  const cache = queries.getMutationCache();
  const failed = cache.findAll({ mutationKey, status: "error" }) as unknown as CastMutation[];
  const whole: Required<Cast> = { times: {}, places: {} };
  for (const mutation of failed) {
    cache.remove(mutation as unknown as Mutation);
    if (toAppError(mutation.state.error).kind !== "network") continue;
    Object.assign(whole.times, mutation.state.variables?.times);
    Object.assign(whole.places, mutation.state.variables?.places);
  }
  Object.assign(whole.times, cast.times);
  Object.assign(whole.places, cast.places);
  return whole;
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
