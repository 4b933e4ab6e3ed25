/** Owns: the words of the primitives, in English. */
import { defineWords } from "../lib/i18n/words.ts";

export const uiWords = defineWords("ui", {
  tryAgain: "Try again",
  close: "Close",
  loading: (what: string) => `Loading ${what}`,
  /** For content that was never loaded on this device and is requested without a connection. */
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
  /** The name of each kind of error. */
  kinds: {
    network: "No connection",
    permission: "Not allowed",
    conflict: "Something changed",
    invalid: "Check this",
    unexpected: "Something went wrong",
  },
});

export type UiWords = ReturnType<typeof uiWords>;
