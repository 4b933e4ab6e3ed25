/**
 * Owns: looking up names and addresses at a geocoder with Photon's API (GET ?q=&lang=&limit=&lat=&lon=, which
 * returns GeoJSON). Photon is made for text that is still being typed; Nominatim's public server does not allow that.
 */

export interface Spot {
  name: string;
  /** Street, city and country, as far as the geocoder knows. */
  address: string;
  latitude: number;
  longitude: number;
  /** Whether people eat or drink there; missing for anything else, such as a street. */
  food?: true;
  /** OpenStreetMap's values, if the geocoder has them. */
  cuisines?: string[];
}

export interface LookUp {
  words: string;
  near: { latitude: number; longitude: number } | null;
  language: "en" | "de";
}

/** Public geocoders require that an app identifies itself. */
const USER_AGENT = "Nosh (looks up an address that a person types)";
const TIMEOUT_MS = 6_000;
const MOST = 6;
/** OpenStreetMap's values of `amenity` for places to eat. */
const FOOD = new Set([
  "bar",
  "biergarten",
  "cafe",
  "fast_food",
  "food_court",
  "ice_cream",
  "pub",
  "restaurant",
]);
const MOST_CUISINES = 6;
/** Decimals of a degree that tell the geocoder which region to prefer: about eleven kilometres. */
const REGION_DIGITS = 1;

/**
 * Asks the geocoder.
 * @throws when it is unavailable, or its answer is not Photon's
 */
export async function photonSpots(server: string, lookUp: LookUp): Promise<Spot[]> {
  const response = await fetch(photonUrl(server, lookUp), {
    headers: { "User-Agent": USER_AGENT, Accept: "application/json" },
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    throw new Error(`The geocoder answered ${response.status}: ${(await response.text()).slice(0, 200)}`);
  }
  return spotsOf(await response.json());
}

export function photonUrl(server: string, { words, near, language }: LookUp): URL {
  const url = new URL(server);
  url.searchParams.set("q", words);
  url.searchParams.set("lang", language);
  url.searchParams.set("limit", String(MOST));
  if (near) {
    url.searchParams.set("lat", near.latitude.toFixed(REGION_DIGITS));
    url.searchParams.set("lon", near.longitude.toFixed(REGION_DIGITS));
  }
  return url;
}

interface PhotonFeature {
  geometry?: { coordinates?: unknown };
  properties?: Partial<
    Record<
      | "name"
      | "street"
      | "housenumber"
      | "postcode"
      | "district"
      | "city"
      | "state"
      | "country"
      | "osm_key"
      | "osm_value"
      | "extra",
      unknown
    >
  >;
}

/** The spots of an answer; features without a position or any name are left out. */
export function spotsOf(answer: unknown): Spot[] {
  const features = (answer as { features?: unknown } | null)?.features;
  if (!Array.isArray(features)) throw new Error("The geocoder's answer has no features.");
  return (features as PhotonFeature[]).flatMap(({ geometry, properties = {} }) => {
    const [longitude, latitude] = Array.isArray(geometry?.coordinates) ? geometry.coordinates : [];
    if (typeof latitude !== "number" || typeof longitude !== "number") return [];
    if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return [];
    const part = (key: keyof typeof properties) => {
      const value = properties[key];
      return typeof value === "string" ? value.trim() : "";
    };
    const street = [part("street"), part("housenumber")].filter(Boolean).join(" ");
    const city = [part("postcode"), part("city") || part("district")].filter(Boolean).join(" ");
    const name = part("name") || street || city;
    if (name === "") return [];
    const address = [street, city, part("country")].filter((each) => each !== "" && each !== name).join(", ");
    const food = part("osm_key") === "amenity" && FOOD.has(part("osm_value")) && part("name") !== "";
    const cuisines = food ? cuisinesOf(properties.extra) : [];
    return [
      {
        name: name.slice(0, 80),
        address: address.slice(0, 160),
        latitude,
        longitude,
        ...(food ? { food: true as const } : {}),
        ...(cuisines.length > 0 ? { cuisines } : {}),
      },
    ];
  });
}

/** Reads `extra.cuisine` ("pizza;middle_eastern"), which only some geocoders are set up to return. */
function cuisinesOf(extra: unknown): string[] {
  const { cuisine } = (typeof extra === "object" && extra !== null ? extra : {}) as { cuisine?: unknown };
  if (typeof cuisine !== "string") return [];
  return cuisine
    .split(";")
    .map((each) => each.trim().replaceAll("_", " ").toLowerCase().slice(0, 40))
    .filter(Boolean)
    .slice(0, MOST_CUISINES);
}
