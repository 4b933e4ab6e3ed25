/** Owns: reading a conversation. */
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import { orThrow } from "../../lib/errors.ts";
import { supabase } from "../../lib/supabase.ts";
import { withRead } from "./domain.ts";
import { type Message, type MessageRow, messageSchema } from "./schema.ts";

/** As many as are shown; a plan's talk is short. */
const NEWEST = 200;

export async function readMessages(plan: string, signal: AbortSignal): Promise<MessageRow[]> {
  const rows = orThrow(
    await supabase
      .from("messages")
      .select("id, plan_id, author_id, client_id, body, reply_to, edited_at, deleted_at, created_at")
      .eq("plan_id", plan)
      .order("created_at", { ascending: false })
      .limit(NEWEST)
      .abortSignal(signal),
  );
  return z.array(messageSchema).parse(rows).reverse();
}

export const chatQueries = {
  messages: (plan: string, client: QueryClient) =>
    queryOptions({
      queryKey: ["messages", plan],
      queryFn: async ({ signal }) => {
        const rows = await readMessages(plan, signal);
        return withRead(rows, client.getQueryData<Message[]>(["messages", plan]));
      },
      staleTime: 30_000,
    }),
};
