/** Owns: the sample plan for trying Nosh. */
import * as z from "zod/mini";
import { rpc } from "../../lib/backend/rpc.ts";

/**
 * Creates the caller's sample plan, or finds the existing one.
 * @returns the plan's id. Throws an AppError.
 */
export async function startSamplePlan(
  words: { title: string; note: string; hello: string },
  timeZone: string,
): Promise<string> {
  return z.uuid().parse(await rpc("start_sample_plan", { ...words, time_zone: timeZone }));
}
