/** Owns: the words of finding a place or adding it by its name, in English. */
import { defineWords } from "../../../lib/i18n/words.ts";

export const byNameWords = defineWords("placename", {
  label: "Find or add a place",
  add: (name: string) => `Add “${name}”`,
  help: "A name is enough. You can also paste a map link or an address.",
  called: "What's the place called?",
  found: "We have the location.",
  foundAt: (address: string) => `Location: ${address}.`,
  home: "It's at my home",
  homeAddress: "Your address",
  homeHelp: "Only people who are coming see it, once the plan is decided. You can add it later.",
  there: (name: string) => `${name} is on the plan.`,
});

export type ByNameWords = ReturnType<typeof byNameWords>;
