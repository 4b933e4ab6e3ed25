/**
 * Owns: changing a plan from a component: run the change, read the plan again, keep the error for display.
 */
import { useChange } from "../../lib/change.ts";
import { toAppError } from "../../lib/errors.ts";
import { readPlan } from "./queries.ts";
import type { Plan } from "./schema.ts";

/** Runs a change to this plan and refetches it, whether or not the change succeeded. */
export const usePlanAction = (planId: string) =>
  useChange((change: () => Promise<unknown>) => change(), ["plan", planId], ["plans"]);

/** Timeout of the read that shows whether a change arrived. */
const ASK_AGAIN_MS = 8000;

/**
 * Makes a change that must not happen twice. If its response is lost, or a retry is refused, the plan shows
 * whether it had arrived. Throws the change's own AppError when it had not.
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
