/** Owns: saying something. Sending the same client id again is not saying it twice. */
import { orThrow, toAppError } from "../../lib/errors.ts";
import { supabase } from "../../lib/supabase.ts";
import { type MessageRow, messageSchema } from "./schema.ts";

/** Returns the stored row, or null when an earlier try had already stored it. */
export async function sendMessage(message: {
  plan_id: string;
  author_id: string;
  client_id: string;
  body: string;
  reply_to: string | null;
}): Promise<MessageRow | null> {
  const answer = await supabase
    .from("messages")
    .insert(message)
    .select("id, plan_id, author_id, client_id, body, reply_to, edited_at, deleted_at, created_at")
    .single();
  if (answer.error?.code === "23505") return null;
  return messageSchema.parse(orThrow(answer));
}

export async function deleteMessage(message: string): Promise<void> {
  const { error } = await supabase.rpc("delete_message", { message });
  if (error) throw toAppError(error);
}
