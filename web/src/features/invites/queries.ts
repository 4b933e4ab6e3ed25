/** Owns: what a link tells before it is used, which works signed out, and which links are out. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { orThrow } from "../../lib/errors.ts";
import { supabase } from "../../lib/supabase.ts";
import type { Target } from "./mutations.ts";

const previewSchema = z.object({
  kind: z.enum(["plan", "circle"]),
  title: z.string(),
  host_name: z.nullable(z.string()),
  people: z.int(),
  plan_state: z.nullable(z.enum(["polling", "confirmed", "done", "cancelled"])),
  joined: z.boolean(),
  target: z.nullable(z.uuid()),
});
export type Preview = z.infer<typeof previewSchema>;

export async function readPreview(token: string, signal: AbortSignal): Promise<Preview> {
  const rows = orThrow(await supabase.rpc("preview_invite", { token }).abortSignal(signal));
  return z.array(previewSchema).check(z.length(1)).parse(rows)[0] as Preview;
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
  const rows = orThrow(
    await supabase
      .from("invites")
      .select("id, created_at, expires_at, max_uses, uses")
      .eq(target.kind === "plan" ? "plan_id" : "circle_id", target.id)
      .is("revoked_at", null)
      .gt("expires_at", new Date().toISOString())
      .order("created_at", { ascending: false })
      .limit(50)
      .abortSignal(signal),
  );
  return z
    .array(linkSchema)
    .parse(rows)
    .filter(({ uses, max_uses }) => uses < max_uses);
}

export const inviteQueries = {
  links: (target: Target) =>
    queryOptions({
      queryKey: ["invites", target.id],
      queryFn: ({ signal }) => readLinks(target, signal),
    }),
  /** `me` is part of the key: who asks decides whether they are in already. */
  preview: (token: string, me: string | null) =>
    queryOptions({
      queryKey: ["invite", token, me],
      queryFn: ({ signal }) => readPreview(token, signal),
      retry: false,
      // Who takes a seat becomes somebody on the way; what they read stays, and what they are told of it.
      placeholderData: keepPreviousData,
      // Others sit down while one reads.
      refetchInterval: 10_000,
    }),
};
