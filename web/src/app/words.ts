/** Owns: the words of the shell and the error screens, in English. */
import { defineWords } from "../lib/i18n/words.ts";

export const appWords = defineWords("app", {
  toContent: "Skip to content",
  mainNavigation: "Main",
  plans: "Plans",
  circles: "Circles",
  places: "Places",
  saved: "Saved",
  me: "Me",
  offline: "You're offline.",
  offlineSaves: "Votes, RSVPs and messages are saved here and sent once you're back online.",
  /** The clock time at which the oldest data on the screen was read. */
  asOf: (time: string) => `Last updated at ${time}.`,
  newVersion: { text: "A new version is ready.", bring: "Update", later: "Later" },
  toYourPlans: "Go to your plans",
  emptyTable: "An empty table",
  notFound: {
    title: "Nothing here",
    text: "This page doesn't exist any more, or never did. Check the address, or go back to your plans.",
  },
  broken: {
    heading: "This page isn't working right now",
    tellUs: (id: string) => `If you report this, mention ${id}.`,
  },
});

export type AppWords = ReturnType<typeof appWords>;
