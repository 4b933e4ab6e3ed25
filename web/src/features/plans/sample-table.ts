/** Owns: the table to try Nosh at. */
import * as z from "zod/mini";
import { supabase } from "../../lib/backend/supabase.ts";
import { orThrow } from "../../lib/errors.ts";

/** Makes the caller's own table, or finds the one they have. @returns the plan's id. Throws an AppError. */
export async function startSamplePlan(
  words: { title: string; note: string; hello: string },
  timeZone: string,
): Promise<string> {
  return z.uuid().parse(orThrow(await supabase.rpc("start_sample_plan", { ...words, time_zone: timeZone })));
}
