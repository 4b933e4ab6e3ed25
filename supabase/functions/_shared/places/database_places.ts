/** Owns: the database as a source of places: full text, similar spellings, proximity (search_places). */
import type { SupabaseClient } from "npm:@supabase/supabase-js@2.119.1";
import { dataOf } from "../http.ts";
import type { FoundPlace, PlaceProvider } from "./place_provider.ts";

/** Searches the database with the caller's rights. */
export function databasePlaces(client: SupabaseClient): PlaceProvider {
  return {
    name: "database",
    find: async ({ words, diets, near, most }) => {
      const rows = dataOf(
        await client
          .rpc("search_places", { words, diets, most, ...(near ?? {}) })
          .select(
            "id, source, external_id, name, about, cuisines, address, latitude, longitude, price, safe_diets, hours:place_hours(weekday, opens, closes)",
          ),
      );
      return rows as unknown as FoundPlace[];
    },
  };
}
