/** Owns: a place's whole row, what a search elsewhere finds, and what the form accepts; the same rules stand in SQL. */
import { z } from "zod";
import { dietSchema } from "../people/schema.ts";
import { placeSchema } from "../plans/schema.ts";
import { problemOf, type Week } from "./hours.ts";
import { placeFormWords } from "./words/form.ts";

const sourceSchema = z.enum(["member", "openstreetmap"]);

/** With who added it and where it was taken from. */
export const wholePlaceSchema = placeSchema.extend({ created_by: z.uuid().nullable(), source: sourceSchema });
export type WholePlace = z.infer<typeof wholePlaceSchema>;

const interval = z.object({ weekday: z.number().int(), opens: z.string(), closes: z.string() });

/** What find-places answers. */
export const foundSchema = z.object({
  places: z.array(
    z.object({
      id: z.uuid().nullable(),
      source: sourceSchema,
      external_id: z.string().nullable(),
      name: z.string(),
      about: z.string(),
      cuisines: z.array(z.string()),
      address: z.string(),
      latitude: z.number(),
      longitude: z.number(),
      price: z.number().int().nullable(),
      safe_diets: z.array(dietSchema),
      hours: z.array(interval).nullable(),
    }),
  ),
  sources: z.array(z.object({ name: z.string(), ok: z.boolean() })),
});
export type FoundPlace = z.infer<typeof foundSchema>["places"][number];

/**
 * A zone that this browser knows, by any of its names: the list that browsers give has one name for each
 * (Asia/Katmandu), and not everybody's. The pattern is the database's: no "+05:45", which browsers would take.
 */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z_]+(\/[A-Za-z0-9_+-]+)*$/.test(zone)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }) !== null;
  } catch {
    return false; // RangeError: no such zone
  }
}

const week = z
  .custom<Week>((value) => Array.isArray(value))
  .superRefine((value, context) => {
    const found = problemOf(value);
    if (!found) return;
    const words = placeFormWords().problems;
    context.addIssue({
      code: "custom",
      path: [found.weekday - 1],
      message: found.problem === "overlap" ? words.overlap : words.notATime,
    });
  });

/** Says what is wrong while it is read, in the language spoken then. */
export const placeFormSchema = z.object({
  name: z
    .string()
    .trim()
    .min(1, { error: () => placeFormWords().problems.nameMissing })
    .max(80, { error: () => placeFormWords().problems.nameLong }),
  about: z
    .string()
    .trim()
    .max(280, { error: () => placeFormWords().problems.aboutLong }),
  cuisines: z.array(z.string()).max(6, { error: () => placeFormWords().problems.manyCuisines }),
  address: z
    .string()
    .trim()
    .max(160, { error: () => placeFormWords().problems.addressLong }),
  latitude: z
    .number({ error: () => placeFormWords().problems.latitude })
    .min(-90, { error: () => placeFormWords().problems.latitude })
    .max(90, { error: () => placeFormWords().problems.latitude }),
  longitude: z
    .number({ error: () => placeFormWords().problems.longitude })
    .min(-180, { error: () => placeFormWords().problems.longitude })
    .max(180, { error: () => placeFormWords().problems.longitude }),
  price: z.number().int().min(1).max(4),
  safe_diets: z.array(dietSchema),
  time_zone: z.string().refine(isZone, { error: () => placeFormWords().problems.zone }),
  week,
});
export type PlaceFields = z.infer<typeof placeFormSchema>;
