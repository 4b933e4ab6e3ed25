/** Owns: reading which links are out, and who asks to join. */
import * as z from "zod/mini";
import { parsed } from "../../lib/backend/parsed.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { reading } from "../../lib/reading.ts";

/** Where an invitation leads. */
export interface Target {
  kind: "plan" | "circle";
  id: string;
}

const linkSchema = z.object({
  id: z.uuid(),
  created_at: z.string(),
  expires_at: z.string(),
  max_uses: z.int(),
  uses: z.int(),
});
export type Link = z.infer<typeof linkSchema>;

/** Those that still work, newest first. Their tokens were told when they were made, and are kept nowhere. */
async function readLinks(target: Target, signal: AbortSignal): Promise<Link[]> {
  const rows = await parsed(
    z.array(linkSchema),
    supabase
      .from("invites")
      .select("id, created_at, expires_at, max_uses, uses")
      .eq(target.kind === "plan" ? "plan_id" : "circle_id", target.id)
      .is("revoked_at", null)
      .gt("expires_at", new Date().toISOString())
      .order("created_at", { ascending: false })
      .limit(50)
      .abortSignal(signal),
  );
  return rows.filter(({ uses, max_uses }) => uses < max_uses);
}

const requestSchema = z.object({
  user_id: z.uuid(),
  display_name: z.string(),
  declined_at: z.nullable(z.string()),
  /** The person at the table whom this one says they are, on a lost device; null asks for a new seat. */
  seat_of: z.nullable(z.uuid()),
  seat_name: z.nullable(z.string()),
});
export type JoinRequest = z.infer<typeof requestSchema>;

export const inviteQueries = {
  /** The requests to join a plan, for people who are not hosts those for their own seat: the open ones, oldest first, then the declined ones. A notification says when somebody new asks. */
  requests: (plan: string) =>
    reading(["join-requests", plan], (signal) =>
      parsed(z.array(requestSchema), supabase.rpc("join_requests", { plan }).abortSignal(signal)),
    ),
  links: (target: Target) => reading(["invites", target.id], (signal) => readLinks(target, signal)),
};
