/**
 * Owns: the list of diets and whether a place is safe for one. "Unknown" is never "safe"; the only
 * implications are those that hold by definition.
 */

export const diets = [
  "vegetarian",
  "vegan",
  "pescatarian",
  "halal",
  "kosher",
  "gluten_free",
  "lactose_free",
  "nut_free",
] as const;

export type Diet = (typeof diets)[number];

/** Diets that a good meal can prove for the person who ate it. Any other needs somebody who knows what is in a dish. */
export const mealDiets: ReadonlySet<Diet> = new Set(["vegetarian", "vegan", "pescatarian"]);

/** The diets that a place safe for the key is, by definition, also safe for. */
const includes: Partial<Record<Diet, readonly Diet[]>> = {
  vegan: ["vegetarian", "pescatarian", "lactose_free"],
  vegetarian: ["pescatarian"],
};

/** The diets of a person that a place is not known to be safe for, in the person's order. */
export function notKnownSafe(needs: readonly Diet[], safe: readonly Diet[]): Diet[] {
  return needs.filter((diet) => !safe.some((known) => known === diet || includes[known]?.includes(diet)));
}

/** A diet's name in a sentence: "gluten-free". */
export function dietWord(diet: Diet): string {
  return diet.replace("_", "-");
}
