/** Owns: the words of the home screen, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const homeWords = defineWords("home", {
  title: "Plans",
  heading: "Your plans",
  start: "Start a plan",
  loading: "your plans",
  greeting: (weekday: string, part: 0 | 1 | 2 | 3) =>
    `${weekday} ${["night", "morning", "afternoon", "evening"][part]},`,
  empty: {
    title: "An empty table is where it starts",
    guest: "Open an invite link to join someone's plan.",
    text: "Suggest a few times and places, and send your friends a link. All they need is a name.",
  },
  groups: {
    today: "Now and soon",
    waiting: "Waiting for you",
    coming: "Coming up",
    polling: "Voting",
    past: "Past",
  },
});

export type HomeWords = ReturnType<typeof homeWords>;
