/**
 * Owns: the vocabulary of diets and when a place is safe for one. "Unknown" is never "safe"; the only
 * conclusions drawn are those that hold by definition.
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

/** What a kitchen that is safe for the key is, by definition, also safe for. */
const includes: Partial<Record<Diet, readonly Diet[]>> = {
  vegan: ["vegetarian", "pescatarian", "lactose_free"],
  vegetarian: ["pescatarian"],
};

/** The diets of a person that are not known to be safe at a place, in the person's order. */
export function notKnownSafe(needs: readonly Diet[], safe: readonly Diet[]): Diet[] {
  return needs.filter((diet) => !safe.some((known) => known === diet || includes[known]?.includes(diet)));
}

/** How a diet is called in a sentence: "gluten-free". */
export function dietWord(diet: Diet): string {
  return diet.replace("_", "-");
}
