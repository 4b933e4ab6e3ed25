/** Owns: the words of the tab Where: places with diets, hours, trips and answers; in English. */
import { defineWords, listOf, plural } from "../../../lib/i18n/words.ts";

export const whereWords = defineWords("where", {
  empty: {
    title: "No places yet",
    text: "Put a few on the table, or let Best suggest one that is safe for everyone.",
  },
  hidden:
    "The host keeps others' answers hidden until you have answered. Answer one place or time, and you see them.",
  view: { label: "How the places are shown", list: "List", map: "With map" },
  map: "Map of the places on the plan",
  thisPlace: "this place",
  chosen: "chosen",
  proposedBy: (name: string) => `Put up by ${name}`,
  diets: {
    nobody: "Nobody here has said what they do not eat.",
    everyone: "Known to be safe for everyone.",
    safe: (names: readonly string[]) => `Known to be safe for ${listOf(names)}.`,
    unknown: "Not known to be safe:",
    forWhom: (diets: readonly string[], name: string) => `${listOf(diets)} for ${name}`,
    ask: "Ask the kitchen before you choose it.",
  },
  trip: {
    yours: (minutes: number) => `you ${minutes} min`,
    range: (shortest: number, longest: number, name: string) =>
      shortest === longest ? `everyone ${longest} min` : `from ${shortest} to ${longest} min (${name})`,
    one: (minutes: number, name: string) => `${minutes} min (${name})`,
    you: "you",
    unknown: "no trip times yet",
  },
  hours: {
    unknown: "hours unknown",
    always: (times: number) => plural(times, { one: "open then", other: "open at every time" }),
    never: (times: number) => plural(times, { one: "closed then", other: "closed at every time" }),
    closed: (open: number, times: number, when: readonly string[]) =>
      `open at ${open} of ${times} times, closed ${listOf(when)}`,
    more: (count: number) => plural(count, { one: "# more", other: "# more" }),
  },
  propose: {
    open: "Put up another place",
    first: "Put up a place",
    title: "Another place",
    saved: "From your saved places",
    noSaved: "What you save with the heart stands here.",
    search: "Find a place",
    found: "Found",
    all: "See all with map and filters",
    add: "Put it up",
    addName: (name: string) => `Put up ${name}`,
    done: (name: string) => `${name} is on the table.`,
    there: "on the plan",
    none: "No place like that. It may be new: add it.",
  },
  withdraw: {
    open: (name: string) => `Withdraw ${name}`,
    short: "Withdraw",
    title: (name: string) => `Withdraw ${name}?`,
    text: (votes: number) =>
      votes === 0
        ? "Nobody has answered it. The other places stay as they are."
        : plural(votes, {
            one: "# answer to it goes with it. The other places stay as they are.",
            other: "# answers to it go with it. The other places stay as they are.",
          }),
    do: "Withdraw it",
    keep: "Keep it",
    done: (name: string) => `${name} is withdrawn.`,
  },
});

export type WhereWords = ReturnType<typeof whereWords>;
