/**
 * Owns: finding a spot by its name in the basemap's files: districts, towns, parks and streets of the demo's city, and
 * the large cities of the world. The files are fetched at the first search; what a person types stays on the device.
 */
import { env } from "../../lib/backend/env.ts";
import { locale } from "../../lib/i18n/language.ts";
import citiesUrl from "./basemap/cities.geojson?url";
import cityUrl from "./basemap/city.geojson?url";
import type { Position } from "./geometry.ts";

export interface NamedSpot extends Position {
  name: string;
  /** The demo's city, or a country. */
  address: string;
  /** A city of the world: its position is a middle that stands for no address. */
  city?: true;
}

interface Feature {
  properties: { k?: string; n?: string; c?: string };
  geometry: { type: string; coordinates: unknown };
}

/** The demo's city. */
const DEMO_CITY = "Lisbon";
const MOST = 6;

let loading: Promise<readonly NamedSpot[]> | undefined;

/** The spots whose name or address has a word beginning with each typed word; the closest match first. */
export async function spotsNamed(words: string): Promise<NamedSpot[]> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  const spots = await loading;
  const found = matching(spots, words);
  return found.length > 0 ? found : cityIn(spots, words);
}

/** The city with which an address ends whose street is not known. Exported for its test. */
export function cityIn(spots: readonly NamedSpot[], words: string): NamedSpot[] {
  const typed = plain(words);
  return spots
    .filter(({ city, name }) => city && typed.endsWith(` ${plain(name)}`))
    .toSorted((one, other) => other.name.length - one.name.length)
    .slice(0, 1);
}

/** Exported for its test. */
export function matching(spots: readonly NamedSpot[], words: string): NamedSpot[] {
  const typed = plain(words).split(" ").filter(Boolean);
  if (typed.length === 0) return [];
  const whole = typed.join(" ");
  return spots
    .flatMap((spot) => {
      const name = plain(spot.name);
      const parts = `${name} ${plain(spot.address)}`.split(" ");
      if (!typed.every((word) => parts.some((part) => part.startsWith(word)))) return [];
      // A query that matches the address alone does not name the spot.
      if (!typed.some((word) => name.split(" ").some((part) => part.startsWith(word)))) return [];
      return [{ spot, rank: name === whole ? 0 : name.startsWith(whole) ? 1 : 2 }];
    })
    .sort((one, other) => one.rank - other.rank)
    .slice(0, MOST)
    .map(({ spot }) => spot);
}

async function load(): Promise<NamedSpot[]> {
  const demo = env.VITE_MAP_DEMO_CITY !== "off";
  const [city, cities] = await Promise.all([demo ? features(cityUrl) : [], features(citiesUrl)]);
  const countries = new Intl.DisplayNames(locale(), { type: "region" });
  return [
    // Districts and towns before streets, and the demo's city before the world.
    ...city
      .filter(({ properties }) => properties.n && properties.k !== "water-name")
      .toSorted((one, other) => Number(isStreet(one)) - Number(isStreet(other)))
      .flatMap((feature) => spotOf(feature, DEMO_CITY)),
    ...cities.flatMap((feature) =>
      spotOf(feature, countries.of(feature.properties.c ?? "") ?? "").map((spot) => ({
        ...spot,
        city: true as const,
      })),
    ),
  ];
}

async function features(url: string): Promise<Feature[]> {
  const response = await fetch(url);
  if (!response.ok) throw new TypeError("Failed to fetch");
  return ((await response.json()) as { features: Feature[] }).features;
}

const isStreet = ({ geometry }: Feature) => geometry.type === "LineString";

function spotOf({ properties, geometry }: Feature, address: string): NamedSpot[] {
  const line = geometry.coordinates as [number, number][];
  const at = geometry.type === "LineString" ? line[Math.floor(line.length / 2)] : geometry.coordinates;
  const [longitude, latitude] = at as [number, number];
  return [{ name: properties.n ?? "", address, latitude, longitude }];
}

function plain(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, " ")
    .trim();
}
