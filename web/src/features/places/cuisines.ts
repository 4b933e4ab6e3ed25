/** Owns: the displayed names of cuisines: known ones in the app's language, others with a capital letter. */
import { locale } from "../../lib/i18n/language.ts";
import { cuisineWords } from "./words/cuisines.ts";

export function cuisineName(cuisine: string): string {
  const known = cuisineWords()[cuisine.trim().toLowerCase()];
  if (known) return known;
  const [first = "", ...rest] = cuisine.trim();
  return first.toLocaleUpperCase(locale()) + rest.join("");
}

export const cuisineNames = (cuisines: readonly string[]) => cuisines.map(cuisineName);
