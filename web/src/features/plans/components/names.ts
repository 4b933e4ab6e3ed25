/** Owns: what the people of a plan are called in a sentence. */
import type { Plan } from "../schema.ts";
import { tableWords } from "../words/table.ts";

/** The first name, or "Someone" for who is not at the table any more. */
export function firstName(plan: Plan, person: string | null): string {
  const profile = plan.plan_members.find((member) => member.user_id === person)?.profiles;
  return profile?.display_name.split(" ")[0] ?? tableWords().someone;
}
