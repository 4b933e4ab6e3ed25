/** Owns: how each kind of deed is done on the server. */
import { sendMessage } from "../chat/mutations.ts";
import type { MessageRow } from "../chat/schema.ts";
import { castVotes, setRsvp } from "../plans/mutations.ts";
import type { Deed } from "./schema.ts";

/**
 * Does the deed; of a message it returns the stored row. Throws an AppError. Doing it again, after an answer
 * that was lost, changes nothing.
 */
export async function send(deed: Deed, id: string, person: string): Promise<MessageRow | null> {
  switch (deed.kind) {
    case "message": {
      const { plan_id, body, reply_to, photo_id } = deed;
      return sendMessage({ plan_id, author_id: person, client_id: id, body, reply_to, photo_id });
    }
    case "votes":
      await castVotes(deed.plan_id, deed.times, deed.places);
      return null;
    case "rsvp":
      await setRsvp(deed.plan_id, deed.answer, deed.plus_ones);
      return null;
  }
}
