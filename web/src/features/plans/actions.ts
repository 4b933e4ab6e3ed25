/** Owns: how a change to a plan is made from a component: run, read again, and keep the error in place. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toAppError } from "../../lib/errors.ts";
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
