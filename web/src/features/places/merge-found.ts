/** Owns: merging the places found for a typed name: those of Nosh and OpenStreetMap, and the geocoder's. Pure. */
import { metresBetween } from "../map/geometry.ts";
import type { Spot } from "./look-up.ts";
import { type FoundPlace, isPlaced } from "./schema.ts";

const MOST = 6;
/** At most this many are the geocoder's, unless there is room for more. */
const MOST_SPOTS = 3;
/** Places of the same name are one if they are at most this far apart. */
const SAME_METRES = 150;

/** The geocoder's places to eat follow the others; duplicates are left out. */
export function mergeFound(found: readonly FoundPlace[], spots: readonly Spot[]): FoundPlace[] {
  const further = spots.filter((spot) => spot.food && !found.some((place) => isSame(place, spot)));
  const first = found.slice(0, MOST - Math.min(further.length, MOST_SPOTS));
  return [...first, ...further.slice(0, MOST - first.length).map(placeOf)];
}

function isSame(place: FoundPlace, spot: Spot): boolean {
  const plain = (name: string) => name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
  return (
    plain(place.name) === plain(spot.name) && isPlaced(place) && metresBetween(place, spot) < SAME_METRES
  );
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
