/** Owns: the words of the frame and of the dead ends, in English. */
import { defineWords } from "../lib/i18n/words.ts";

export const appWords = defineWords("app", {
  toContent: "To the content",
  mainNavigation: "Main",
  plans: "Plans",
  circles: "Circles",
  places: "Places",
  saved: "Saved",
  me: "Me",
  offline: "You are offline. Votes, answers and messages are kept, and sent when you are back.",
  /** A clock time: when the oldest of what is shown was read. */
  asOf: (time: string) => `What you see is as of ${time}.`,
  newVersion: { text: "A new version is ready.", bring: "Bring it", later: "Later" },
  toYourPlans: "To your plans",
  emptyTable: "An empty table",
  notFound: {
    title: "Nothing here",
    heading: "Nobody is sitting here",
    text: "The page was moved, taken away, or never set. Check the address, or start over.",
  },
  broken: {
    heading: "Something fell off the table",
    tellUs: (id: string) => `If you tell us, say ${id}.`,
  },
});

export type AppWords = ReturnType<typeof appWords>;
