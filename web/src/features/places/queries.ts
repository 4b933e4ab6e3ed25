/** Owns: reading places and which of them are saved. */
import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import type { Diet } from "../../../../supabase/functions/_shared/ranking/diets.ts";
import { invoke } from "../../lib/backend/functions.ts";
import { parsed } from "../../lib/backend/parsed.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { toAppError } from "../../lib/errors.ts";
import { reading } from "../../lib/reading.ts";
import { uuid } from "../../lib/search.ts";
import type { Position } from "../map/geometry.ts";
import {
  atHome,
  claimSchema,
  foundSchema,
  type Place,
  placeSchema,
  type WholePlace,
  wholePlaceSchema,
} from "./schema.ts";

const columns =
  "id, name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone, phone, booking_url, home, everybody, place_hours(weekday, opens, closes)";
/** Page size of a first list. */
export const FIRST = 60;
/** As search_places in SQL: a longer list is narrowed by searching. */
export const MOST = 500;

export interface PlaceFilter {
  /** Words or prefixes; empty for all. */
  search: string;
  /** Only places known to be safe for every one of these. */
  diets: readonly Diet[];
  /** The maximum price level. */
  price?: number | undefined;
  /** Only places that are open throughout that time, or whose hours are unknown. */
  open?: { at: string; minutes: number } | undefined;
  /** Nearest first. */
  near?: Position | null;
  most?: number;
}

export async function readPlaces(filter: PlaceFilter, signal: AbortSignal): Promise<Place[]> {
  const { price, open, near, most = FIRST } = filter;
  return parsed(
    z.array(placeSchema),
    supabase
      .rpc("search_places", {
        words: filter.search.trim(),
        diets: [...filter.diets],
        most,
        ...(price ? { max_price: price } : {}),
        ...(open ? { open_at: open.at, open_minutes: open.minutes } : {}),
        ...(near ? { latitude: near.latitude, longitude: near.longitude } : {}),
      })
      .select(columns)
      .abortSignal(signal),
  );
}

/** Places by id, in the order of the ids; missing ones are left out. */
async function readPlacesById(ids: readonly string[], signal: AbortSignal): Promise<Place[]> {
  if (ids.length === 0) return [];
  const rows = await parsed(
    z.array(placeSchema),
    supabase
      .from("places")
      .select(columns)
      .in("id", [...ids])
      .abortSignal(signal),
  );
  const places = new Map(rows.map((place) => [place.id, place]));
  return ids.flatMap((id) => places.get(id) ?? []);
}

async function readPlace(id: string, signal: AbortSignal): Promise<WholePlace | null> {
  if (uuid(id) === undefined) return null;
  const answer = await supabase
    .from("places")
    .select(`${columns}, created_by, source, place_homes(address, latitude, longitude),
        circle_places(circle_id), place_options(plan_id)`)
    .eq("id", id)
    .abortSignal(signal)
    .maybeSingle();
  if (answer.error) throw toAppError(answer.error);
  return answer.data === null ? null : atHome(wholePlaceSchema.parse(answer.data));
}

const savedSchema = z.array(z.object({ place_id: z.uuid() }));

export const placeQueries = {
  list: (filter: PlaceFilter) =>
    queryOptions({
      queryKey: [
        "places",
        filter.search.trim().toLowerCase(),
        [...filter.diets].sort(),
        filter.price ?? null,
        filter.open ?? null,
        filter.near ?? null,
        filter.most ?? FIRST,
      ],
      queryFn: ({ signal }) => readPlaces(filter, signal),
      placeholderData: (before) => before,
      staleTime: 60_000,
    }),
  byId: (ids: readonly string[]) =>
    queryOptions({
      queryKey: ["places", "by-id", ...ids],
      queryFn: ({ signal }) => readPlacesById(ids, signal),
      placeholderData: (before) => before,
      staleTime: 60_000,
    }),
  one: (id: string) => reading(["place", id], (signal) => readPlace(id, signal), 60_000),
  /** All claims about a place's diets, oldest first. */
  claims: (id: string) =>
    reading(
      ["place", id, "claims"],
      (signal) =>
        parsed(
          z.array(claimSchema),
          supabase
            .from("place_diet_claims")
            .select("diet, holds, made_by, from_source, made_at, profiles(display_name)")
            .eq("place_id", id)
            .order("made_at")
            .limit(200)
            .abortSignal(signal),
        ),
      60_000,
    ),
  /** Places of every source, for the text typed while adding one. */
  found: (words: string, near: Position | null) =>
    queryOptions({
      queryKey: ["found-places", words.trim().toLowerCase(), near],
      queryFn: async ({ signal }) => {
        const body = { words: words.trim().slice(0, 80), near, most: 8 };
        return foundSchema.parse(await invoke("find-places", { body, signal })).places;
      },
      placeholderData: (before) => before,
      staleTime: 5 * 60_000,
    }),
  saved: () =>
    reading(
      ["saved-places"],
      async (signal) => {
        const saved = supabase
          .from("saved_places")
          .select("place_id")
          .order("saved_at", { ascending: false });
        return (await parsed(savedSchema, saved.abortSignal(signal))).map((row) => row.place_id);
      },
      60_000,
    ),
};
