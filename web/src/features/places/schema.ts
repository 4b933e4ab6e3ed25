/** Owns: the row types of a place: in plans and lists, complete, and as a search result. */
import * as z from "zod/mini";
import { whole } from "../../lib/rules.ts";
import type { Position } from "../map/geometry.ts";
import { dietSchema } from "../people/schema.ts";

/** Cheap, medium, pricey, splurge. */
export const price = whole(1, 4);

const homeSchema = z.object({
  address: z.string(),
  latitude: z.nullable(z.number()),
  longitude: z.nullable(z.number()),
});

export const placeSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  about: z.string(),
  cuisines: z.array(z.string()),
  address: z.string(),
  // A name is enough: both or neither, and a price, may come later.
  latitude: z.nullable(z.number()),
  longitude: z.nullable(z.number()),
  price: z.nullable(price),
  safe_diets: z.array(dietSchema),
  time_zone: z.string(),
  /** To call; and a page to book a table at. Empty where unknown, and of every home. */
  phone: z.string(),
  booking_url: z.string(),
  /** At someone's home. */
  home: z.boolean(),
  /** Whether everyone signed in finds it. */
  everybody: z.boolean(),
  place_hours: z.array(z.object({ weekday: z.int(), opens: z.string(), closes: z.string() })),
  /** Of a place at someone's home, read by its person and by people expected there; in plans and of one place. */
  place_homes: z.optional(z.nullable(homeSchema)),
});
export type Place = z.infer<typeof placeSchema>;

/** A place to add: its name, and what else is known. */
export const newPlaceSchema = z.object({
  name: z.string(),
  address: z.optional(z.string()),
  latitude: z.optional(z.number()),
  longitude: z.optional(z.number()),
  time_zone: z.optional(z.string()),
  /** Whether it is at the home of the person who adds it. */
  home: z.optional(z.boolean()),
});
export type NewPlace = z.infer<typeof newPlaceSchema>;

/** A place with its home's address and position, where this person reads them. */
export function atHome<P extends Place>(place: P): P {
  return place.place_homes ? { ...place, ...place.place_homes } : place;
}

/** Whether a person may give a place's details: their own with an account, else those of their tables alone. The database has the same rule. */
export function isEditable(place: WholePlace, me: string, guest: boolean): boolean {
  const ofTable = place.place_options.length > 0 && place.circle_places.length === 0;
  return (place.created_by === me && !guest) || (ofTable && !place.everybody && !place.home);
}

/** Whether a place's position is known; its name may be all that is. */
export function isPlaced<P extends { latitude: number | null; longitude: number | null }>(
  place: P,
): place is P & Position {
  return place.latitude !== null && place.longitude !== null;
}

const sourceSchema = z.enum(["member", "openstreetmap"]);

/** Includes who added it and its source. */
export const wholePlaceSchema = z.extend(placeSchema, {
  created_by: z.nullable(z.uuid()),
  source: sourceSchema,
  /** As far as this person reads them: the circles whose list it is on, and the plans that offer it. */
  circle_places: z.array(z.object({ circle_id: z.uuid() })),
  place_options: z.array(z.object({ plan_id: z.uuid() })),
});
export type WholePlace = z.infer<typeof wholePlaceSchema>;

const interval = z.object({ weekday: z.int(), opens: z.string(), closes: z.string() });

/** A person's claim about whether a place is safe for a diet. */
export const claimSchema = z.object({
  diet: dietSchema,
  /** False disputes it. */
  holds: z.boolean(),
  /** Null for the place's source, and for deleted accounts. */
  made_by: z.nullable(z.uuid()),
  from_source: z.boolean(),
  made_at: z.string(),
  /** Null for people that the viewer does not know. */
  profiles: z.nullable(z.object({ display_name: z.string() })),
});
export type Claim = z.infer<typeof claimSchema>;

/** The response of find-places. */
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
      latitude: z.nullable(z.number()),
      longitude: z.nullable(z.number()),
      price: z.nullable(z.int()),
      safe_diets: z.array(dietSchema),
      hours: z.nullable(z.array(interval)),
    }),
  ),
  sources: z.array(z.object({ name: z.string(), ok: z.boolean() })),
});
export type FoundPlace = z.infer<typeof foundSchema>["places"][number];
