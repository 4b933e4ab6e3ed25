/** Owns: the rules of a new plan, and its deadline as an instant. */
import { mealOn } from "../plans/meal.ts";
import { deadlineAt } from "./plan-defaults.ts";

export interface Rules {
  /** Days until the deadline (in the evening), "exact" for a chosen day, or none. */
  until: number | "exact" | null;
  date: string;
  clock: string;
  capacity: number | null;
  guestsMayPropose: boolean;
  resultsHidden: boolean;
  /** Needs a deadline. */
  decidesItself: boolean;
}

export const usualRules: Rules = {
  until: null,
  date: "",
  clock: "20:00",
  capacity: null,
  guestsMayPropose: true,
  resultsHidden: false,
  decidesItself: false,
};

/** The deadline as an instant, or null for none. */
export function deadlineOf(rules: Rules, zone: string, now: number): string | null {
  if (rules.until === null) return null;
  if (rules.until !== "exact") return deadlineAt(rules.until, now, zone);
  return rules.date && rules.clock ? mealOn(rules.date, rules.clock, "00:00", zone)[0] : null;
}
