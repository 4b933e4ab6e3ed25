/**
 * Owns: OpenStreetMap as a source of places, queried through an Overpass server. Its results are not in the
 * database yet, and missing data (price, diets) stays unknown.
 */
import type { Diet } from "../ranking/diets.ts";
import { readOpeningHours } from "./osm_hours.ts";
import type { FoundPlace, PlaceProvider } from "./place_provider.ts";

const RADIUS_METRES = 5_000;
const TIMEOUT_MS = 12_000;
const UNKNOWN_CENTRE = "Say where: OpenStreetMap is asked around a position.";

/** OpenStreetMap around a position. */
export function overpassPlaces(server: string): PlaceProvider {
  return {
    name: "openstreetmap",
    find: async ({ words, diets, near, most }) => {
      if (!near) throw new Error(UNKNOWN_CENTRE);
      const response = await fetch(server, {
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ data: overpassQuery(words, diets, near, most) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!response.ok)
        throw new Error(`Overpass answered ${response.status}: ${(await response.text()).slice(0, 200)}`);
      const answer = (await response.json()) as { elements?: OverpassElement[] };
      return (answer.elements ?? []).flatMap((element) => {
        const place = placeOfElement(element);
        return place ? [place] : [];
      });
    },
  };
}

interface OverpassElement {
  type: string;
  id: number;
  lat?: number;
  lon?: number;
  center?: { lat: number; lon: number };
  tags?: Record<string, string>;
}

/**
 * An Overpass QL query. Words become a pattern of literal characters, so that typed text cannot change the
 * query.
 */
export function overpassQuery(
  words: string,
  diets: readonly Diet[],
  near: { latitude: number; longitude: number },
  most: number,
): string {
  const pattern = words
    .trim()
    .slice(0, 60)
    .replace(/["\\\n\r]/g, "")
    .replace(/[.*+?^${}()|[\]]/g, "\\\\$&");
  const around = `(around:${RADIUS_METRES},${near.latitude.toFixed(5)},${near.longitude.toFixed(5)})`;
  const kinds = '["amenity"~"^(restaurant|cafe|fast_food|food_court|pub|biergarten|bar)$"]["name"]';
  const diet = diets
    .flatMap((each) => (osmDiets[each] ? [`["diet:${osmDiets[each]}"~"^(yes|only)$"]`] : []))
    .join("");
  const filters = pattern === "" ? [""] : [`["name"~"${pattern}",i]`, `["cuisine"~"${pattern}",i]`];
  return `[out:json][timeout:10];(${filters.map((filter) => `nwr${kinds}${diet}${filter}${around};`).join("")});out tags center ${Math.min(most, 100)};`;
}

const osmDiets: Record<Diet, string> = {
  vegetarian: "vegetarian",
  vegan: "vegan",
  pescatarian: "pescetarian",
  halal: "halal",
  kosher: "kosher",
  gluten_free: "gluten_free",
  lactose_free: "lactose_free",
  nut_free: "nut_free",
};

/** A place in Nosh's format; null for an element without a name or a position. */
export function placeOfElement({
  type,
  id,
  lat,
  lon,
  center,
  tags = {},
}: OverpassElement): FoundPlace | null {
  const latitude = lat ?? center?.lat;
  const longitude = lon ?? center?.lon;
  const name = tags.name?.trim().slice(0, 80).trim();
  if (!name || latitude === undefined || longitude === undefined) return null;
  const street = [tags["addr:street"], tags["addr:housenumber"]].filter(Boolean).join(" ");
  return {
    id: null,
    source: "openstreetmap",
    external_id: `${type}/${id}`,
    name,
    about: (tags.description ?? "").slice(0, 280),
    cuisines: (tags.cuisine ?? "")
      .split(";")
      .map((each) => each.trim().replaceAll("_", " ").slice(0, 40))
      .filter(Boolean)
      .slice(0, 6),
    address: [street, tags["addr:city"]].filter(Boolean).join(", ").slice(0, 160),
    latitude,
    longitude,
    price: null,
    safe_diets: (Object.entries(osmDiets) as [Diet, string][]).flatMap(([diet, tag]) =>
      ["yes", "only"].includes(tags[`diet:${tag}`] ?? "") ? [diet] : [],
    ),
    hours: tags.opening_hours ? readOpeningHours(tags.opening_hours) : null,
  };
}
