/** Owns: the words of the tab Where: places with diets, hours, trips and answers; in English. */
import { defineWords, listOf, plural } from "../../../lib/i18n/words.ts";

export const placeOptionWords = defineWords("place-options", {
  empty: {
    title: "No places yet",
    text: "Suggest a few, or look at the suggestions under Best.",
  },
  hidden: "Others' answers are hidden until you vote. Answer one place or time to see them.",
  view: { label: "Show places as", list: "List", map: "With map" },
  map: "Map of the places on the plan",
  refused: (names: readonly string[]) => `${listOf(names)} said no to this place`,
  thisPlace: "this place",
  chosen: "chosen",
  details: "Details",
  detailsOf: (name: string) => `Details of ${name}`,
  proposedBy: (name: string) => `Suggested by ${name}`,
  diets: {
    safe: (names: readonly string[]) => `Confirmed safe for ${listOf(names)}.`,
    ate: (name: string, diet: string, month: string) => `${name} ate ${diet} here in ${month}.`,
    unknown: "Not confirmed",
    unknownFor: (names: readonly string[]) => `Not confirmed for ${listOf(names)}`,
    forWhom: (diets: readonly string[], names: readonly string[]) => `${listOf(diets)} (${names.join(", ")})`,
    unasked: (names: readonly string[]) =>
      `${listOf(names)} ${names.length > 1 ? "haven't" : "hasn't"} said what they eat.`,
    unaskedMany: (count: number) => `${count} people haven't said what they eat.`,
    ask: "Ask the restaurant first.",
  },
  trip: {
    yours: (minutes: number) => `you ${minutes} min`,
    range: (shortest: number, longest: number, name: string) =>
      shortest === longest ? `${longest} min each` : `${shortest} to ${longest} min (longest: ${name})`,
    one: (minutes: number, name: string) => `${minutes} min (${name})`,
    you: "you",
    noPosition: "Trips can't be estimated",
  },
  hours: {
    unknown: "hours unknown",
    always: (times: number) => plural(times, { one: "open then", other: "open at every suggested time" }),
    never: (times: number) => plural(times, { one: "closed then", other: "closed at every suggested time" }),
    closed: (when: readonly string[]) => `closed ${listOf(when)}`,
    closedAt: (closed: number, times: number) => `closed at ${closed} of ${times} times`,
  },
  propose: {
    open: "Suggest another place",
    first: "Suggest a place",
    title: "Suggest a place",
    saved: "From your saved places",
    noSaved: "Places you save with the heart show up here.",
    found: "Found",
    all: "See all places with map and filters",
    add: "Suggest",
    addName: (name: string) => `Suggest ${name}`,
    done: (name: string) => `${name} added.`,
    there: "on the plan",
  },
  remove: {
    open: (name: string) => `Remove ${name}`,
    short: "Remove",
    title: (name: string) => `Remove ${name}?`,
    done: (name: string) => `${name} removed.`,
  },
});

export type PlaceOptionWords = ReturnType<typeof placeOptionWords>;
