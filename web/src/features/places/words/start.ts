/** Owns: the words of a person's starting point, in English. */
import { defineWords } from "../../../lib/i18n/words.ts";

export const startWords = defineWords("start", {
  title: "Starting point",
  text: "Others only see your travel time, rounded up to five minutes. Never the place.",
  set: "Your starting point is set.",
  unset: "Not set yet, so travel times leave you out.",
  type: "Address or district",
  typeHelp: "We only store it to within about 500 metres.",
  choose: "Choose one of the results, so that we know where it is.",
  use: "Use my current location",
  city: (city: string) => `Only your city is set: ${city}. Only you see it, and trips can't be estimated.`,
  savedCity: (city: string) => `Saved ${city}, city only. Trips can't be estimated.`,
  saved: (name: string) => `Your trips start near ${name}.`,
  savedHere: "Your trips start near here.",
  remove: "Remove starting point",
  denied: "Your browser didn't share your location.",
  deniedHint: "Type an address instead, or allow location in your browser's settings.",
});

export type StartWords = ReturnType<typeof startWords>;
