/** Owns: what a person's row looks like and what their form accepts; the same rules stand in SQL. */
import { z } from "zod";
import { diets } from "../../../../supabase/functions/_shared/diets.ts";
import { peopleWords } from "./words.ts";

export const dietSchema = z.enum(diets);

export const displayName = z
  .string()
  .trim()
  .min(1, { error: () => peopleWords().nameMissing })
  .max(40, { error: () => peopleWords().nameTooLong });

export const profileSchema = z.object({
  id: z.uuid(),
  display_name: z.string(),
  avatar_path: z.string().nullable(),
  diets: z.array(dietSchema),
  budget: z.number().int(),
  time_zone: z.string(),
  is_guest: z.boolean(),
});
export type Profile = z.infer<typeof profileSchema>;

/** What others' rows carry with them. */
export const personSchema = profileSchema.pick({
  display_name: true,
  avatar_path: true,
  diets: true,
  budget: true,
});

export const privateProfileSchema = z.object({
  start_latitude: z.number().nullable(),
  start_longitude: z.number().nullable(),
});
export type PrivateProfile = z.infer<typeof privateProfileSchema>;
