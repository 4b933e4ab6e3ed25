/**
 * Owns: the interface of a source of places. There are two: the database (database_places.ts), always, and
 * OpenStreetMap through an Overpass server (overpass.ts), if OVERPASS_URL is set.
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
  /** Null for a place that is known by its name alone. */
  latitude: number | null;
  longitude: number | null;
  /** 1 to 4; null if unknown. */
  price: number | null;
  /** Diets known to be safe; others are unknown. */
  safe_diets: Diet[];
  /** Null if unknown. */
  hours: Interval[] | null;
}

export interface PlaceProvider {
  name: string;
  /**
   * Best first.
   * @throws when the source is unavailable
   */
  find(query: PlaceQuery): Promise<FoundPlace[]>;
}
