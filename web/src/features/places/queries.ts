/** Owns: reading places and which of them one saved. */
import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import type { Diet } from "../../../../supabase/functions/_shared/diets.ts";
import { orThrow, toAppError } from "../../lib/errors.ts";
import { supabase } from "../../lib/supabase.ts";
import { type Place, placeSchema } from "../plans/schema.ts";

const columns =
  "id, name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone, place_hours(weekday, opens, closes)";
/** One city's worth; a longer list is narrowed by searching. */
const MOST = 100;

export interface PlaceFilter {
  /** Part of the name; empty for all. */
  search: string;
  /** Only places known to be safe for every one of these. */
  diets: readonly Diet[];
}

export async function readPlaces(filter: PlaceFilter, signal: AbortSignal): Promise<Place[]> {
  let query = supabase.from("places").select(columns).order("name").limit(MOST).abortSignal(signal);
  if (filter.search.trim()) {
    // The person's own % and _ are letters, not wildcards.
    query = query.ilike("name", `%${filter.search.trim().replace(/[%_\\]/g, "\\$&")}%`);
  }
  if (filter.diets.length > 0) query = query.contains("safe_diets", [...filter.diets]);
  return z.array(placeSchema).parse(orThrow(await query));
}

export async function readPlace(id: string, signal: AbortSignal): Promise<Place | null> {
  const answer = await supabase.from("places").select(columns).eq("id", id).abortSignal(signal).maybeSingle();
  if (answer.error) throw toAppError(answer.error);
  return answer.data === null ? null : placeSchema.parse(answer.data);
}

export async function readSavedIds(signal: AbortSignal): Promise<string[]> {
  const rows = orThrow(
    await supabase
      .from("saved_places")
      .select("place_id")
      .order("saved_at", { ascending: false })
      .abortSignal(signal),
  );
  return z
    .array(z.object({ place_id: z.uuid() }))
    .parse(rows)
    .map((row) => row.place_id);
}

export const placeQueries = {
  list: (filter: PlaceFilter) =>
    queryOptions({
      queryKey: ["places", filter.search.trim().toLowerCase(), [...filter.diets].sort()],
      queryFn: ({ signal }) => readPlaces(filter, signal),
      placeholderData: (before) => before,
      staleTime: 60_000,
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: ["place", id],
      queryFn: ({ signal }) => readPlace(id, signal),
      staleTime: 60_000,
    }),
  saved: () =>
    queryOptions({
      queryKey: ["saved-places"],
      queryFn: ({ signal }) => readSavedIds(signal),
      staleTime: 60_000,
    }),
};
