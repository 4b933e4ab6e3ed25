/** Owns: the words of the screen about oneself, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const meWords = defineWords("me", {
  title: "Me",
  loading: "your profile",
  picture: "Change picture",
  name: "Name",
  diets: "What must be safe for you",
  dietsHelp: "People you share a table with see this, so that nobody books past it.",
  budget: "Comfortable up to",
  zone: "Time zone",
  keep: "Keep it",
  kept: "Kept.",
  start: {
    title: "Where you set out from",
    text: "Others see minutes, in steps of five, and never the place.",
    set: "It is set.",
    unset: "It is not set, so trips leave you out.",
    use: "Use where I am now",
    forget: "Forget it",
    denied: "Your browser keeps its position to itself.",
    deniedHint: "Allow it in the browser's settings, then press again.",
  },
  light: { title: "Light", system: "As the system", light: "Day", dark: "Evening" },
  language: "Language",
  signOut: "Sign out on this device",
  happened: "What happened",
});

export type MeWords = ReturnType<typeof meWords>;
