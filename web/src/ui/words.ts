/** Owns: the words of the primitives, in English. */
import { defineWords } from "../lib/i18n/words.ts";

export const uiWords = defineWords("ui", {
  tryAgain: "Try again",
  close: "Close",
  loading: (what: string) => `Loading ${what}`,
  /** Asked for without a connection, and never seen on this device. */
  notHere: {
    title: "Not on this device yet",
    text: "You are offline, and have not looked at this here before. It comes by itself once you are back.",
  },
  /** What a problem of each kind is called. */
  kinds: {
    network: "No connection",
    permission: "Not allowed",
    conflict: "It has changed",
    invalid: "Not quite",
    unexpected: "Something broke",
  },
});

export type UiWords = ReturnType<typeof uiWords>;
