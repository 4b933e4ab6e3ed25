/**
 * Owns: looking up a name or an address: at the geocoder if the backend has one, else among Nosh's own places and in the
 * basemap, so that it works without any third party.
 */
import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { invoke } from "../../lib/backend/functions.ts";
import { language } from "../../lib/i18n/language.ts";
import { spotsNamed } from "../map/gazetteer.ts";
import type { Position } from "../map/geometry.ts";
import { readPlaces } from "./queries.ts";
import { isPlaced } from "./schema.ts";
import { lookUpWords } from "./words/look-up.ts";

const spotSchema = z.object({
  name: z.string(),
  address: z.string(),
  latitude: z.number(),
  longitude: z.number(),
  /** Whether people eat or drink there, and the cuisines, if the geocoder knows. */
  food: z.optional(z.boolean()),
  cuisines: z.optional(z.array(z.string())),
  /** Only the city is known: the position is its middle, from which no trip is estimated. */
  city: z.optional(z.boolean()),
});
export type Spot = z.infer<typeof spotSchema>;

const answerSchema = z.object({ spots: z.array(spotSchema), configured: z.boolean() });

export interface Found {
  spots: Spot[];
  /** Whether the spots are from a geocoder, or from the app's own data. */
  geocoder: boolean;
}

/** Shorter texts match too many names. */
export const SHORTEST = 3;
const MOST = 6;

/** False once the backend has said that it has no geocoder; it is asked again after the page is reloaded. */
let configured = true;

export async function lookUp(
  words: string,
  near: Position | null,
  { keep, own, signal }: { keep: boolean; own: boolean; signal: AbortSignal },
): Promise<Found> {
  if (configured) {
    const body = { words: words.slice(0, 160), near, keep, language: language() };
    const answer = answerSchema.parse(await invoke("look-up", { body, signal }, lookUpWords().refusals));
    if (answer.configured) return { spots: answer.spots, geocoder: true };
    configured = false;
  }
  const [places, names] = await Promise.all([
    own
      ? readPlaces({ search: words, diets: [], near, most: 3 }, signal).then((all) => all.filter(isPlaced))
      : [],
    spotsNamed(words),
  ]);
  const spots: Spot[] = [...names, ...places].slice(0, MOST);
  return {
    spots: spots.map(({ name, address, latitude, longitude, city }) => ({
      ...{ name, address, latitude, longitude },
      ...(city ? { city } : {}),
    })),
    geocoder: false,
  };
}

/** The long link behind a map service's short one. Throws an AppError. */
export async function openShortLink(link: string): Promise<string> {
  const answer = await invoke("look-up", { body: { link } }, lookUpWords().refusals);
  return z.object({ link: z.string() }).parse(answer).link;
}

export const lookUpQuery = (words: string, near: Position | null, keep: boolean, own: boolean) =>
  queryOptions({
    queryKey: ["look-up", words.trim().toLowerCase(), near, keep, own],
    queryFn: ({ signal }) => lookUp(words.trim(), near, { keep, own, signal }),
    placeholderData: (before) => before,
    staleTime: 5 * 60_000,
    retry: false,
    // An address that a person typed is not written to the device.
    gcTime: 5 * 60_000,
  });
