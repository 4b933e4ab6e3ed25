/** Owns: the words of finding a place or adding it by its name, in English. */
import { defineWords } from "../../../lib/i18n/words.ts";

export const byNameWords = defineWords("placename", {
  label: "Find or add a place",
  add: (name: string) => `Add “${name}”`,
  there: (name: string) => `${name} is on the plan.`,
});

export type ByNameWords = ReturnType<typeof byNameWords>;
