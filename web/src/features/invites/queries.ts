/** Owns: what a link tells before it is used; works signed out. */
import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { orThrow } from "../../lib/errors.ts";
import { supabase } from "../../lib/supabase.ts";

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

export const inviteQueries = {
  /** `me` is part of the key: who asks decides whether they are in already. */
  preview: (token: string, me: string | null) =>
    queryOptions({
      queryKey: ["invite", token, me],
      queryFn: ({ signal }) => readPreview(token, signal),
      retry: false,
    }),
};
