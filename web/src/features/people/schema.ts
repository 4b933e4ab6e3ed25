/** Owns: what a person's row looks like and what their form accepts; the same rules stand in SQL. */
import * as z from "zod/mini";
import { diets } from "../../../../supabase/functions/_shared/ranking/diets.ts";
import { text, whole } from "../../lib/rules.ts";
import { peopleWords } from "./words.ts";

export const dietSchema = z.enum(diets);
/** What a person eats, or a place is safe for. */
export const dietList = z.array(dietSchema).check(z.maxLength(diets.length));
/** What a meal may cost, as the prices of places. */
export const budget = whole(1, 4);

export const displayName = text({
  min: 1,
  max: 40,
  missing: () => peopleWords().nameMissing,
  long: () => peopleWords().nameTooLong,
  oneLine: () => peopleWords().nameNotOneLine,
});

export const profileSchema = z.object({
  id: z.uuid(),
  display_name: z.string(),
  avatar_path: z.nullable(z.string()),
  diets: dietList,
  /** Whether the person has said what they eat; an empty list of diets then means everything. */
  diets_known: z.boolean(),
  budget,
  time_zone: z.string(),
  is_guest: z.boolean(),
});
export type Profile = z.infer<typeof profileSchema>;

/** The embedded columns of other people's rows. */
export const personSchema = z.pick(profileSchema, {
  display_name: true,
  avatar_path: true,
  diets: true,
  diets_known: true,
  budget: true,
});

export const privateProfileSchema = z.object({
  start_latitude: z.nullable(z.number()),
  start_longitude: z.nullable(z.number()),
  /** Where only the city is known; then there is no position. */
  start_city: z.nullable(z.string()),
  /** When the person answered or skipped the question about diets and starting point. */
  asked_at: z.nullable(z.string()),
});
export type PrivateProfile = z.infer<typeof privateProfileSchema>;
