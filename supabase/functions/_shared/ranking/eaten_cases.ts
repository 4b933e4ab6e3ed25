/**
 * Owns: the cases of what earlier meals say about a person's diets at a place, which the ranking and the database
 * (private.ate_here, private.unsafe_for) share.
 */
import type { Diet } from "./diets.ts";

export interface EatenCase {
  name: string;
  needs: readonly Diet[];
  /** What the place is confirmed for. */
  safe: readonly Diet[];
  meals: readonly {
    ate?: readonly Diet[];
    lacked?: readonly Diet[];
    daysAgo: number;
    /** Another person's meal, or one at another place, or at a table where the reader did not sit. */
    by?: "other";
    at?: "elsewhere";
    unread?: true;
  }[];
  /** The diets that the person is known to have eaten by there, and those that the place is unknown for. */
  eaten: readonly Diet[];
  unknown: readonly Diet[];
}

const vegan = { needs: ["vegan"], safe: [] } as const;
const known = { eaten: ["vegan"], unknown: [] } as const;
const unknown = { eaten: [], unknown: ["vegan"] } as const;

export const eatenCases: readonly EatenCase[] = [
  { name: "no meal says nothing", ...vegan, meals: [], ...unknown },
  { name: "stars say nothing", ...vegan, meals: [{ daysAgo: 30 }], ...unknown },
  { name: "a proper meal lifts the warning", ...vegan, meals: [{ ate: ["vegan"], daysAgo: 30 }], ...known },
  { name: "none does not", ...vegan, meals: [{ lacked: ["vegan"], daysAgo: 30 }], ...unknown },
  {
    name: "of two answers the newer one counts, a no",
    ...vegan,
    meals: [
      { lacked: ["vegan"], daysAgo: 3 },
      { ate: ["vegan"], daysAgo: 30 },
    ],
    ...unknown,
  },
  {
    name: "of two answers the newer one counts, a yes",
    ...vegan,
    meals: [
      { lacked: ["vegan"], daysAgo: 30 },
      { ate: ["vegan"], daysAgo: 3 },
    ],
    ...known,
  },
  {
    name: "of two answers at one time the no counts",
    ...vegan,
    meals: [
      { lacked: ["vegan"], daysAgo: 3 },
      { ate: ["vegan"], daysAgo: 3 },
    ],
    ...unknown,
  },
  {
    name: "a newer meal without an answer takes nothing back",
    ...vegan,
    meals: [{ daysAgo: 3 }, { ate: ["vegan"], daysAgo: 30 }],
    ...known,
  },
  {
    name: "another person's meal says nothing",
    ...vegan,
    meals: [{ ate: ["vegan"], daysAgo: 3, by: "other" }],
    ...unknown,
  },
  {
    name: "a meal elsewhere says nothing",
    ...vegan,
    meals: [{ ate: ["vegan"], daysAgo: 3, at: "elsewhere" }],
    ...unknown,
  },
  {
    name: "a meal at a table where the reader did not sit says nothing",
    ...vegan,
    meals: [{ ate: ["vegan"], daysAgo: 3, unread: true }],
    ...unknown,
  },
  {
    name: "a vegetarian meal says nothing about vegan ones",
    ...vegan,
    meals: [{ ate: ["vegetarian"], daysAgo: 3 }],
    ...unknown,
  },
  {
    name: "a vegan meal lifts no warning about another diet",
    needs: ["vegetarian", "lactose_free"],
    safe: [],
    meals: [{ ate: ["vegan"], daysAgo: 3 }],
    eaten: [],
    unknown: ["vegetarian", "lactose_free"],
  },
  {
    name: "each diet of a person is known by itself",
    needs: ["pescatarian", "nut_free"],
    safe: [],
    meals: [{ ate: ["pescatarian"], daysAgo: 3 }],
    eaten: ["pescatarian"],
    unknown: ["nut_free"],
  },
  {
    name: "a confirmed place needs no meal",
    needs: ["vegetarian"],
    safe: ["vegan"],
    meals: [{ lacked: ["vegetarian"], daysAgo: 3 }],
    eaten: [],
    unknown: [],
  },
];
