/** Owns: the words of what waits for a connection, in English. */
import { defineWords, plural } from "../../lib/i18n/words.ts";

export const outboxWords = defineWords("outbox", {
  label: "Not sent yet",
  waiting: (count: number) =>
    plural(count, {
      one: "# thing waits for the connection. It is kept on this device.",
      other: "# things wait for the connection. They are kept on this device.",
    }),
  /** What it was, by its kind. */
  kinds: { message: "A message", votes: "A vote", rsvp: "An answer to an invitation" },
  refused: (what: string, why: string) => `${what} was not taken. ${why}`,
  retry: "Try again",
  drop: "Leave it",
  sent: "What was waiting has been sent.",
});

export type OutboxWords = ReturnType<typeof outboxWords>;
