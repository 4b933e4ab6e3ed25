/** Owns: how each kind of mutation is done on the server. */
import { sendMessage } from "../messages/mutations.ts";
import type { MessageRow } from "../messages/schema.ts";
import type { Rsvp } from "../plans/answers.ts";
import { minutesAway } from "../plans/arrival.ts";
import { castVotes, markArrival, setRsvp, vetoPlan } from "../plans/mutations.ts";
import type { QueuedMutation } from "./schema.ts";

/** What the server made of a mutation: the stored message, or the RSVP that counts (a full table may change it). */
export type Sent = { message?: MessageRow | null } | { rsvp: Rsvp };

/** The result of an entry: what the server made of it, or the refusal. */
export type Outcome = Sent | { refused: true };

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
      return {};
    case "rsvp":
      return { rsvp: await setRsvp(mutation.plan_id, mutation.answer, mutation.plus_ones) };
    case "veto":
      await vetoPlan(mutation.plan_id, mutation.reason, mutation.until);
      return {};
    case "arrival":
      await markArrival(mutation.plan_id, mutation.status, minutesAway(mutation.eta, Date.now()));
      return {};
  }
}
