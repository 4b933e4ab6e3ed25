/** Owns: links into plans and circles. Each throws an AppError. */
import * as z from "zod/mini";
import { orThrow } from "../../lib/errors.ts";
import { supabase } from "../../lib/supabase.ts";

const created = z
  .array(z.object({ id: z.uuid(), token: z.string(), expires_at: z.string() }))
  .check(z.length(1));

/** Returns the address to share; its token is told only now. */
export async function createPlanInvite(plan: string): Promise<string> {
  return addressOf(orThrow(await supabase.rpc("create_invite", { plan })));
}

export async function createCircleInvite(circle: string): Promise<string> {
  return addressOf(orThrow(await supabase.rpc("create_circle_invite", { circle })));
}

function addressOf(rows: unknown): string {
  const [invite] = created.parse(rows);
  return new URL(`/join/${invite?.token}`, window.location.origin).toString();
}

const accepted = z
  .array(z.object({ kind: z.enum(["plan", "circle"]), target: z.uuid() }))
  .check(z.minLength(1));

/** Takes the seat that the link offers; says where it leads. */
export async function acceptInvite(token: string): Promise<{ kind: "plan" | "circle"; target: string }> {
  const [seat] = accepted.parse(orThrow(await supabase.rpc("accept_invite", { token })));
  if (!seat) throw new Error("accept_invite gave no row");
  return seat;
}
