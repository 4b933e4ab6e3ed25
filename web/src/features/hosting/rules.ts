/** Owns: the rules of a new plan, and its deadline as an instant. */
import { type PlanEdit, type PlanOption, planFields, settings } from "../plans/fields.ts";
import { mealOn } from "../plans/meal.ts";
import type { NewPlan } from "../plans/mutations.ts";
import { deadlineAt } from "./plan-defaults.ts";

export interface Rules {
  /** Days until the deadline (in the evening), "exact" for a chosen day, or none. */
  until: number | "exact" | null;
  date: string;
  clock: string;
  capacity: number | null;
  /** "Decides itself" needs a deadline. */
  options: Pick<Required<NewPlan>, PlanOption>;
}

export const usualRules: Rules = {
  until: null,
  date: "",
  clock: "20:00",
  capacity: null,
  options: optionsOf(settings),
};

/** The deadline as an instant, or null for none. */
export function deadlineOf(rules: Rules, zone: string, now: number): string | null {
  if (rules.until === null) return null;
  if (rules.until !== "exact") return deadlineAt(rules.until, now, zone);
  return rules.date && rules.clock ? mealOn(rules.date, rules.clock, "00:00", zone)[0] : null;
}

function optionsOf(plan: PlanEdit): Rules["options"] {
  return Object.fromEntries(
    planFields.filter((field) => typeof plan[field] === "boolean").map((field) => [field, plan[field]]),
  ) as Rules["options"];
}
