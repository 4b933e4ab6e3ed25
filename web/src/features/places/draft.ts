/** Owns: the fields of a place that is added or changed, and their validation. Pure. */
import { type PlaceFields, placeFormSchema } from "./form-schema.ts";
import { weekdays, weekOf } from "./hours.ts";
import type { FoundPlace, NewPlace, WholePlace } from "./schema.ts";

export function fieldsOf(place: WholePlace): PlaceFields {
  const { name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone, everybody } =
    place;
  const { phone, booking_url } = place;
  const week = weekOf(place.place_hours);
  return {
    name,
    about,
    cuisines,
    address,
    latitude,
    longitude,
    price,
    safe_diets,
    time_zone,
    week,
    everybody,
    phone,
    booking_url,
  };
}

/** The fields of a place of which a name is known, and perhaps more. */
export function fieldsOfNew(place: NewPlace | FoundPlace, zone: string): PlaceFields {
  const found = "hours" in place ? place : null;
  return {
    name: place.name,
    about: found?.about ?? "",
    cuisines: found?.cuisines ?? [],
    address: place.address ?? "",
    latitude: place.latitude ?? null,
    longitude: place.longitude ?? null,
    price: found?.price ?? null,
    safe_diets: found?.safe_diets ?? [],
    time_zone: ("time_zone" in place ? place.time_zone : undefined) ?? zone,
    week: found?.hours ? weekOf(found.hours) : weekdays.map(() => []),
    everybody: false,
    phone: "",
    booking_url: "",
  };
}

export type Problems = Partial<Record<keyof PlaceFields, string>> & { weekday?: number };

/** The fields to save, or the errors by field. */
export function checked(fields: PlaceFields): { fields: PlaceFields } | { problems: Problems } {
  const result = placeFormSchema.safeParse(fields);
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
