/** Owns: what people are called in sentences where several of them are. */

export interface Named {
  user_id: string;
  profiles: { display_name: string } | null;
}

/**
 * The first name; the full name if two of the people share the first, with a number if they share that too. Undefined for
 * a person who is not among them.
 */
export function nameAmong(people: readonly Named[], person: string | null): string | undefined {
  const of = (name: string | undefined) => name?.split(" ")[0];
  const whole = people.find((one) => one.user_id === person)?.profiles?.display_name;
  const first = of(whole);
  const shared = people.some((one) => one.user_id !== person && of(one.profiles?.display_name) === first);
  if (!whole || !shared) return first;
  const same = people.filter((one) => one.profiles?.display_name === whole);
  const index = same.findIndex((one) => one.user_id === person);
  return same.length > 1 ? `${whole} (${index + 1})` : whole;
}
