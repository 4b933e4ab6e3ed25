/** Owns: how a change to a plan is made from a component: run, read again, and keep the error in place. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { withVotes } from "./domain.ts";
import { type Ballot, castVotes } from "./mutations.ts";
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

/** Casts votes; the answer shows at once, and goes back if it is refused. */
export function useVote(plan: Plan, me: string) {
  const queries = useQueryClient();
  const key = ["plan", plan.id];
  return useMutation({
    mutationFn: ({ times = {}, places = {} }: { times?: Ballot; places?: Ballot }) =>
      castVotes(plan.id, times, places),
    onMutate: async ({ times = {}, places = {} }) => {
      await queries.cancelQueries({ queryKey: key, exact: true });
      const before = queries.getQueryData<Plan>(key);
      queries.setQueryData<Plan>(key, (now) => now && withVotes(now, me, times, places));
      return { before };
    },
    onError: (_error, _votes, context) => {
      if (context?.before) queries.setQueryData(key, context.before);
    },
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: key, exact: true }),
        queries.invalidateQueries({ queryKey: ["plans"] }),
      ]),
  });
}
