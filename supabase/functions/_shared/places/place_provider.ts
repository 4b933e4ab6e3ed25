/**
 * Owns: what a source of places is. Two are there: the database's own (database_places.ts), always, and
 * OpenStreetMap by an Overpass server (overpass.ts), when OVERPASS_URL is set.
 */
import type { Diet } from "../ranking/diets.ts";
import type { Interval } from "../ranking/hours.ts";

export interface PlaceQuery {
  words: string;
  diets: readonly Diet[];
  near: { latitude: number; longitude: number } | null;
  most: number;
}

export interface FoundPlace {
  /** Null for a place that the database does not have yet. */
  id: string | null;
  source: "member" | "openstreetmap";
  /** "node/123" in OpenStreetMap; null for members' places. */
  external_id: string | null;
  name: string;
  about: string;
  cuisines: string[];
  address: string;
  latitude: number;
  longitude: number;
  /** 1 to 4; null where the source does not know. */
  price: number | null;
  /** Known to be safe; what is missing is unknown. */
  safe_diets: Diet[];
  /** Null where the source does not know them. */
  hours: Interval[] | null;
}

export interface PlaceProvider {
  name: string;
  /** Best first. @throws when the source cannot be asked */
  find(query: PlaceQuery): Promise<FoundPlace[]>;
}
