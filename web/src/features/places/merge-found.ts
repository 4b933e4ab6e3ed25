/** Owns: joining what a typed name may mean: places that Nosh or OpenStreetMap found, and the geocoder's. Pure. */
import { metresBetween } from "../map/geometry.ts";
import type { Spot } from "./look-up.ts";
import type { FoundPlace } from "./schema.ts";

const MOST = 6;
/** At most this many are the geocoder's, unless there is room. */
const MOST_SPOTS = 3;
/** Two sources put the same place this far apart at most. */
const SAME_METRES = 150;

/** The geocoder's places to eat follow the others; those that are among them already are left out. */
export function mergeFound(found: readonly FoundPlace[], spots: readonly Spot[]): FoundPlace[] {
  const further = spots.filter((spot) => spot.food && !found.some((place) => isSame(place, spot)));
  const first = found.slice(0, MOST - Math.min(further.length, MOST_SPOTS));
  return [...first, ...further.slice(0, MOST - first.length).map(placeOf)];
}

function isSame(place: FoundPlace, spot: Spot): boolean {
  const plain = (name: string) => name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
  return plain(place.name) === plain(spot.name) && metresBetween(place, spot) < SAME_METRES;
}

function placeOf({ name, address, latitude, longitude, cuisines = [] }: Spot): FoundPlace {
  return {
    id: null,
    source: "member",
    external_id: null,
    name,
    about: "",
    cuisines,
    address,
    latitude,
    longitude,
    price: null,
    safe_diets: [],
    hours: null,
  };
}
