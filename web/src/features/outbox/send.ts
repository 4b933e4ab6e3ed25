/** Owns: how each kind of mutation is done on the server. */
import { sendMessage } from "../messages/mutations.ts";
import type { MessageRow } from "../messages/schema.ts";
import type { Rsvp } from "../plans/answers.ts";
import { castVotes, setRsvp, vetoPlan } from "../plans/mutations.ts";
import type { QueuedMutation } from "./schema.ts";

/**
 * What the server made of a mutation: the stored message, the RSVP that counts (a full table may change it), or that it
 * has the votes or the objection.
 */
export type Sent = { message: MessageRow | null } | { rsvp: Rsvp } | { votes: true } | { veto: true };

/**
 * Does the mutation. Doing it again, after an answer that was lost, changes nothing.
 * @throws AppError
 */
export async function send(mutation: QueuedMutation, id: string, person: string): Promise<Sent> {
  switch (mutation.kind) {
    case "message": {
      const { plan_id, body, reply_to, photo_id } = mutation;
      return {
        message: await sendMessage({ plan_id, author_id: person, client_id: id, body, reply_to, photo_id }),
      };
    }
    case "votes":
      await castVotes(mutation.plan_id, mutation.times, mutation.places);
      return { votes: true };
    case "rsvp":
      return { rsvp: await setRsvp(mutation.plan_id, mutation.answer, mutation.plus_ones) };
    case "veto":
      await vetoPlan(mutation.plan_id, mutation.reason, mutation.until);
      return { veto: true };
  }
}
