/** Owns: how each kind of mutation is done on the server. */
import { sendMessage } from "../messages/mutations.ts";
import type { MessageRow } from "../messages/schema.ts";
import { castVotes, setRsvp } from "../plans/mutations.ts";
import type { QueuedMutation } from "./schema.ts";

/**
 * Does the mutation; of a message it returns the stored row. Throws an AppError. Doing it again, after an answer
 * that was lost, changes nothing.
 */
export async function send(mutation: QueuedMutation, id: string, person: string): Promise<MessageRow | null> {
  switch (mutation.kind) {
    case "message": {
      const { plan_id, body, reply_to, photo_id } = mutation;
      return sendMessage({ plan_id, author_id: person, client_id: id, body, reply_to, photo_id });
    }
    case "votes":
      await castVotes(mutation.plan_id, mutation.times, mutation.places);
      return null;
    case "rsvp":
      await setRsvp(mutation.plan_id, mutation.answer, mutation.plus_ones);
      return null;
  }
}
