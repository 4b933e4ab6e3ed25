/** Owns: a place's row as plans and lists read it, its whole row, what a search elsewhere finds, and what the form accepts; the same rules stand in SQL. */
import * as z from "zod/mini";
import { text } from "../../lib/rules.ts";
import { dietSchema } from "../people/schema.ts";
import { problemOf, type Week } from "./hours.ts";
import { placeFormWords } from "./words/form.ts";

export const placeSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  about: z.string(),
  cuisines: z.array(z.string()),
  address: z.string(),
  latitude: z.number(),
  longitude: z.number(),
  price: z.int(),
  safe_diets: z.array(dietSchema),
  time_zone: z.string(),
  place_hours: z.array(z.object({ weekday: z.int(), opens: z.string(), closes: z.string() })),
});
export type Place = z.infer<typeof placeSchema>;

const sourceSchema = z.enum(["member", "openstreetmap"]);

/** With who added it and where it was taken from. */
export const wholePlaceSchema = z.extend(placeSchema, {
  created_by: z.nullable(z.uuid()),
  source: sourceSchema,
});
export type WholePlace = z.infer<typeof wholePlaceSchema>;

const interval = z.object({ weekday: z.int(), opens: z.string(), closes: z.string() });

/** What find-places answers. */
export const foundSchema = z.object({
  places: z.array(
    z.object({
      id: z.nullable(z.uuid()),
      source: sourceSchema,
      external_id: z.nullable(z.string()),
      name: z.string(),
      about: z.string(),
      cuisines: z.array(z.string()),
      address: z.string(),
      latitude: z.number(),
      longitude: z.number(),
      price: z.nullable(z.int()),
      safe_diets: z.array(dietSchema),
      hours: z.nullable(z.array(interval)),
    }),
  ),
  sources: z.array(z.object({ name: z.string(), ok: z.boolean() })),
});
export type FoundPlace = z.infer<typeof foundSchema>["places"][number];

/**
 * A zone that this browser and the database both know. Asked by using it: the browser's list has each zone under
 * one of its names only ("Asia/Katmandu"), and knows the others all the same.
 */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z_]+(\/[A-Za-z0-9_+-]+)*$/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

const week = z
  .custom<Week>((value) => Array.isArray(value))
  .check((context) => {
    const found = problemOf(context.value);
    if (!found) return;
    const words = placeFormWords().problems;
    context.issues.push({
      code: "custom",
      input: context.value,
      path: [found.weekday - 1],
      message: found.problem === "overlap" ? words.overlap : words.notATime,
    });
  });

/** Says what is wrong while it is read, in the language spoken then. */
export const placeFormSchema = z.object({
  name: text({
    min: 1,
    max: 80,
    missing: () => placeFormWords().problems.nameMissing,
    long: () => placeFormWords().problems.nameLong,
  }),
  about: text({ min: 0, max: 280, long: () => placeFormWords().problems.aboutLong }),
  cuisines: z
    .array(z.string())
    .check(z.maxLength(6, { error: () => placeFormWords().problems.manyCuisines })),
  address: text({ min: 0, max: 160, long: () => placeFormWords().problems.addressLong }),
  latitude: z
    .number({ error: () => placeFormWords().problems.latitude })
    .check(
      z.minimum(-90, { error: () => placeFormWords().problems.latitude }),
      z.maximum(90, { error: () => placeFormWords().problems.latitude }),
    ),
  longitude: z
    .number({ error: () => placeFormWords().problems.longitude })
    .check(
      z.minimum(-180, { error: () => placeFormWords().problems.longitude }),
      z.maximum(180, { error: () => placeFormWords().problems.longitude }),
    ),
  price: z.int().check(z.minimum(1), z.maximum(4)),
  safe_diets: z.array(dietSchema),
  time_zone: z.string().check(z.refine(isZone, { error: () => placeFormWords().problems.zone })),
  week,
});
export type PlaceFields = z.infer<typeof placeFormSchema>;
