/** Owns: the names of a plan's people in sentences. */
import { type Named, nameAmong } from "../people/told-apart.ts";
import { tableWords } from "./words/table.ts";

/** @param gone the word for a person who has left the table */
export function firstName(
  plan: { plan_members: readonly Named[] },
  person: string | null,
  gone = tableWords().someone,
): string {
  return nameAmong(plan.plan_members, person) ?? gone;
}
