/** Owns: the rows of a conversation. */
import { z } from "zod";

export const messageSchema = z.object({
  id: z.uuid(),
  plan_id: z.uuid(),
  author_id: z.uuid().nullable(),
  client_id: z.uuid(),
  body: z.string(),
  reply_to: z.uuid().nullable(),
  edited_at: z.string().nullable(),
  deleted_at: z.string().nullable(),
  created_at: z.string(),
});
export type MessageRow = z.infer<typeof messageSchema>;

export const messageBody = z
  .string()
  .trim()
  .min(1, "There is nothing to send yet.")
  .max(2000, "Two thousand characters is the most one message holds.");

/** A message on the screen; one that is not stored yet keeps what is needed to send it again. */
export type Message = MessageRow & { delivery: "sent" | "pending" | "failed" };
