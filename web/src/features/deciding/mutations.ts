/** Owns: objecting to a proposal. */
import { supabase } from "../../lib/backend/supabase.ts";
import { toAppError } from "../../lib/errors.ts";

/** Objecting twice counts once. @throws AppError */
export async function vetoPlan(plan: string, reason: string): Promise<void> {
  const { error } = await supabase.rpc("veto_plan", { plan, reason });
  if (error) throw toAppError(error);
}
