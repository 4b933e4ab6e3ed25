/** Owns: what people are called in sentences where several of them are. */

export interface Named {
  user_id: string | null;
  profiles: { display_name: string } | null;
}

/**
 * The first name; the full name if two of the people share the first, with a number if they share that too. Undefined for
 * a person who is not among them.
 */
export function nameAmong(people: readonly Named[], person: string | null): string | undefined {
  const of = (name: string | undefined) => name?.split(" ")[0];
  const whole = people.find((one) => one.user_id === person)?.profiles?.display_name;
  const alike = people.filter((one) => of(one.profiles?.display_name) === of(whole));
  if (!whole || alike.every((one) => one.user_id === person)) return of(whole);
  const same = new Set(alike.filter((one) => one.profiles?.display_name === whole).map((one) => one.user_id));
  return same.size > 1 ? `${whole} (${[...same].indexOf(person) + 1})` : whole;
}
