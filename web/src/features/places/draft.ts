/** Owns: the draft of a place's form, its validation, and finding possible duplicates. Pure. */
import * as z from "zod/mini";
import type { Diet } from "../../../../supabase/functions/_shared/ranking/diets.ts";
import { metresBetween, type Position } from "../map/geometry.ts";
import { dietSchema } from "../people/schema.ts";
import { type PlaceFields, placeFormSchema } from "./form-schema.ts";
import { type Week, weekdays, weekOf } from "./hours.ts";
import { type FoundPlace, isPlaced, type WholePlace } from "./schema.ts";

/** The values as typed: numbers and lists are still text. */
export interface PlaceDraft {
  name: string;
  about: string;
  /** Separated by commas. */
  cuisines: string;
  address: string;
  latitude: string;
  longitude: string;
  /** Null when it is not known. */
  price: number | null;
  safe_diets: Diet[];
  time_zone: string;
  week: Week;
  source: "member" | "openstreetmap";
  external_id: string | null;
  /** Whether everyone signed in may find it, beside its own tables and circles. */
  everybody: boolean;
}

const span = z.object({ opens: z.string(), closes: z.string() });
/** The draft as stored on the device while typing. */
export const placeDraftSchema: z.ZodMiniType<PlaceDraft> = z.object({
  name: z.string(),
  about: z.string(),
  cuisines: z.string(),
  address: z.string(),
  latitude: z.string(),
  longitude: z.string(),
  price: z.nullable(z.number()),
  safe_diets: z.array(dietSchema),
  time_zone: z.string(),
  week: z.array(z.array(span)),
  source: z.enum(["member", "openstreetmap"]),
  external_id: z.nullable(z.string()),
  // A draft from before there was the choice has none.
  everybody: z._default(z.boolean(), false),
});

export function emptyDraft(zone: string): PlaceDraft {
  return {
    name: "",
    about: "",
    cuisines: "",
    address: "",
    latitude: "",
    longitude: "",
    price: null,
    safe_diets: [],
    time_zone: zone,
    week: weekdays.map(() => []),
    source: "member",
    external_id: null,
    everybody: false,
  };
}

export function draftOf(place: WholePlace): PlaceDraft {
  const { name, about, address, price, safe_diets, time_zone, source, everybody } = place;
  return {
    name,
    about,
    address,
    price,
    safe_diets,
    time_zone,
    source,
    everybody,
    cuisines: place.cuisines.join(", "),
    latitude: String(place.latitude ?? ""),
    longitude: String(place.longitude ?? ""),
    week: weekOf(place.place_hours),
    external_id: null,
  };
}

/** The draft filled from a search result; fields that the result lacks are unchanged. */
export function filledBy(draft: PlaceDraft, found: FoundPlace): PlaceDraft {
  return {
    ...draft,
    name: found.name,
    about: found.about || draft.about,
    cuisines: found.cuisines.join(", ") || draft.cuisines,
    address: found.address || draft.address,
    latitude: String(found.latitude ?? draft.latitude),
    longitude: String(found.longitude ?? draft.longitude),
    price: found.price ?? draft.price,
    safe_diets: found.safe_diets.length > 0 ? found.safe_diets : draft.safe_diets,
    week: found.hours ? weekOf(found.hours) : draft.week,
    source: found.source,
    external_id: found.external_id,
  };
}

/** Accepts a decimal comma too: "38,7104". */
export function degrees(text: string): number {
  return text.trim() === "" ? Number.NaN : Number(text.trim().replace(",", "."));
}

export function positionOf({ latitude, longitude }: PlaceDraft): Position | null {
  const position = { latitude: degrees(latitude), longitude: degrees(longitude) };
  return Math.abs(position.latitude) <= 90 && Math.abs(position.longitude) <= 180 ? position : null;
}

export type Problems = Partial<Record<keyof PlaceFields, string>> & { weekday?: number };

/**
 * Validates the form.
 * @returns the fields to save, or the errors by field.
 */
export function checked(draft: PlaceDraft): { fields: PlaceFields } | { problems: Problems } {
  const unplaced = draft.latitude.trim() === "" && draft.longitude.trim() === "";
  const result = placeFormSchema.safeParse({
    ...draft,
    cuisines: draft.cuisines
      .split(",")
      .map((each) => each.trim())
      .filter(Boolean),
    // Without a position, not at one that was typed by half.
    latitude: unplaced ? null : degrees(draft.latitude),
    longitude: unplaced ? null : degrees(draft.longitude),
  });
  if (result.success) return { fields: result.data };
  const problems: Problems = {};
  for (const { path, message } of result.error.issues) {
    const [field, index] = path;
    if (typeof field !== "string" || !(field in placeFormSchema.shape)) continue;
    problems[field as keyof PlaceFields] ??= message;
    if (field === "week" && typeof index === "number") problems.weekday ??= index + 1;
  }
  return { problems };
}

/** Two places with the same name within this distance are probable duplicates. */
const SAME_METRES = 200;
/** With different names, only within this distance. */
const NEXT_DOOR_METRES = 25;

/** Existing places that may be duplicates of the new one, nearest first. */
export function duplicatesOf(draft: PlaceDraft, known: readonly FoundPlace[]): (FoundPlace & Position)[] {
  const position = positionOf(draft);
  if (!position) return [];
  const name = plain(draft.name);
  return known
    .filter(isPlaced)
    .map((place) => ({ place, metres: metresBetween(position, place) }))
    .filter(({ place, metres }) => {
      if (place.id === null) return false;
      const other = plain(place.name);
      const alike = name !== "" && (other.includes(name) || name.includes(other));
      return metres < (alike ? SAME_METRES : NEXT_DOOR_METRES);
    })
    .toSorted((a, b) => a.metres - b.metres)
    .map(({ place }) => place);
}

function plain(text: string): string {
  return text
    .normalize("NFD")
    .replace(/[^\p{Letter}\p{Number}]/gu, "")
    .toLowerCase();
}
