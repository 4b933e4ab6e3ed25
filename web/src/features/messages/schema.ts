/** Owns: the rows of a conversation. */
import * as z from "zod/mini";

/** The six that the database takes, in the order in which they are offered. */
export const emojis = ["❤️", "👍", "😂", "😋", "🎉", "😮"] as const;
export type Emoji = (typeof emojis)[number];

export const messageSchema = z.object({
  id: z.uuid(),
  plan_id: z.uuid(),
  author_id: z.nullable(z.uuid()),
  client_id: z.uuid(),
  body: z.string(),
  reply_to: z.nullable(z.uuid()),
  photo_id: z.nullable(z.uuid()),
  edited_at: z.nullable(z.string()),
  deleted_at: z.nullable(z.string()),
  created_at: z.string(),
  /** The plan's number of the message's last change, reactions included. */
  revision: z.int(),
  /** The revision at which its text was last written. */
  text_revision: z.int(),
});
/** A message as the database has it: all but its reactions. */
export type MessageRow = z.infer<typeof messageSchema>;

export const readMessageSchema = z.extend(messageSchema, {
  reactions: z.array(z.object({ user_id: z.uuid(), emoji: z.enum(emojis) })),
});
/** A message as it is read. */
export type StoredMessage = z.infer<typeof readMessageSchema>;

/** As many characters as the database takes. */
export const LONGEST_MESSAGE = 2000;

/** Something said that the server does not have yet, or has refused. */
export interface WaitingMessage {
  client_id: string;
  body: string;
  reply_to: string | null;
  photo_id: string | null;
  created_at: string;
  /** Why the server would not take it; null while it is on its way. */
  refused: { message: string; hint: string } | null;
}

/** A message on the screen. */
export type Message =
  | (StoredMessage & { delivery: "sent" })
  | (WaitingMessage & { delivery: "pending" | "failed"; id: string; author_id: string });
