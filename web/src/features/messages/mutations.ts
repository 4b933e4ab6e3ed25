/** Owns: sending, editing and deleting messages. Each throws an AppError and may be repeated. */

import { loadClient } from "../../lib/backend/load-client.ts";
import { parsed } from "../../lib/backend/parsed.ts";
import { rpc } from "../../lib/backend/rpc.ts";
import { orThrow, toAppError } from "../../lib/errors.ts";
import { type Emoji, type MessageRow, messageSchema } from "./schema.ts";

const columns =
  "id, plan_id, author_id, client_id, body, reply_to, photo_id, edited_at, deleted_at, created_at, revision, text_revision" as const;

/** A send that gets no answer for this long is tried again; the client id keeps it from being said twice. */
const PATIENCE_MS = 20_000;

/**
 * Stores the message and returns its row. A client id that the server has already is a retry whose first
 * answer was lost: then the row is the one that the first try made.
 */
export async function sendMessage(message: {
  plan_id: string;
  author_id: string;
  client_id: string;
  body: string;
  reply_to: string | null;
  photo_id: string | null;
}): Promise<MessageRow> {
  const supabase = await loadClient();
  const messages = () => supabase.from("messages");
  const sent = await messages()
    .insert(message)
    .select(columns)
    .abortSignal(AbortSignal.timeout(PATIENCE_MS))
    .single();
  if (sent.error?.code !== "23505") return messageSchema.parse(orThrow(sent));
  const { plan_id, author_id, client_id } = message;
  return parsed(messageSchema, messages().select(columns).match({ plan_id, author_id, client_id }).single());
}

/**
 * Changes the text of one's own message.
 * @param basedOn the revision at which one saw it; the database refuses with `message_changed` when the text
 *   was written anew since, and null overrules that
 */
export const editMessage = (message: string, body: string, basedOn: number | null) =>
  rpc("edit_message", {
    message,
    body,
    ...(basedOn === null ? {} : { based_on: basedOn }),
  });

export const deleteMessage = (message: string) => rpc("delete_message", { message });

/** Adds or removes a reaction; a reaction that already has this state is unchanged. */
export async function react(
  to: { id: string; plan_id: string },
  person: string,
  emoji: Emoji,
  on: boolean,
): Promise<void> {
  const supabase = await loadClient();
  const reactions = supabase.from("reactions");
  const { error } = on
    ? await reactions.insert({ message_id: to.id, plan_id: to.plan_id, user_id: person, emoji })
    : await reactions.delete().match({ message_id: to.id, user_id: person, emoji });
  if (error && error.code !== "23505") throw toAppError(error);
}

/** Says that everything up to this instant has been on the screen. */
export const markRead = (plan: string, upTo: string) => rpc("mark_read", { plan, up_to: upTo });
