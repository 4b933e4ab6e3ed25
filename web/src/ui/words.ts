/** Owns: the words of the primitives, in English. */
import { defineWords } from "../lib/i18n/words.ts";

export const uiWords = defineWords("ui", {
  tryAgain: "Try again",
  close: "Close",
  loading: (what: string) => `Loading ${what}`,
  /** Asked for without a connection, and never seen on this device. */
  notHere: {
    title: "Not on this device yet",
    text: "You're offline and haven't opened this on this device before. It loads by itself once you're back online.",
  },
  /** Why a field's value is not accepted. */
  refused: {
    missing: "Fill this in.",
    short: (least: number) => `Use at least ${least} characters.`,
    email: "Enter an email address, like ana@example.org.",
    invalid: "Check this.",
  },
  /** What a problem of each kind is called. */
  kinds: {
    network: "No connection",
    permission: "Not allowed",
    conflict: "Something changed",
    invalid: "Check this",
    unexpected: "Something went wrong",
  },
});

export type UiWords = ReturnType<typeof uiWords>;
