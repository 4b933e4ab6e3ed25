/** Owns: the names of a plan's people in sentences. */
import type { Member } from "./schema.ts";
import { tableWords } from "./words/table.ts";

/**
 * The first name; the full name if two at the table share the first, with a number if they share that too.
 * @param gone the word for a person who has left the table
 */
export function firstName(
  plan: { plan_members: readonly Member[] },
  person: string | null,
  gone = tableWords().someone,
): string {
  const of = (name: string | undefined) => name?.split(" ")[0];
  const whole = plan.plan_members.find((member) => member.user_id === person)?.profiles?.display_name;
  const first = of(whole);
  const shared = plan.plan_members.some(
    (member) => member.user_id !== person && of(member.profiles?.display_name) === first,
  );
  if (!whole || !shared) return first ?? gone;
  const same = plan.plan_members.filter((member) => member.profiles?.display_name === whole);
  const index = same.findIndex((member) => member.user_id === person);
  return same.length > 1 ? `${whole} (${index + 1})` : whole;
}
