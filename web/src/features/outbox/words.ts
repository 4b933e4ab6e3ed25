/** Owns: the words of changes that are not sent yet, in English. */
import { defineWords, plural } from "../../lib/i18n/words.ts";

export const outboxWords = defineWords("outbox", {
  label: "Not sent yet",
  waiting: (count: number) =>
    plural(count, {
      one: "# item will send when you're online. It's saved on this device.",
      other: "# items will send when you're online. They're saved on this device.",
    }),
  /** The name of a change, by its kind. */
  kinds: {
    message: "Your message",
    votes: "Your vote",
    rsvp: "Your RSVP",
    veto: "Your objection",
    arrival: "Your arrival",
  },
  refused: (what: string, why: string) => `${what} couldn't be sent. ${why}`,
  retry: "Try again",
  drop: "Discard",
  sent: "Everything has been sent.",
});

export type OutboxWords = ReturnType<typeof outboxWords>;
