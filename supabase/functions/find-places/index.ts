/**
 * find-places: POST {"words", "diets"?, "near"?: {"latitude", "longitude"}, "most"?} returns `{"places":
 * [...], "sources": [{"name", "ok"}]}`: places for a search text, from every enabled source, the database's
 * first and without duplicates. A failing source is reported and does not affect the others.
 */
import { clientOf, dataOf, Refusal, readObject, serve, serviceClient } from "../_shared/http.ts";
import { databasePlaces } from "../_shared/places/database_places.ts";
import { overpassPlaces } from "../_shared/places/overpass.ts";
import type { FoundPlace, PlaceQuery } from "../_shared/places/place_provider.ts";
import { type Diet, diets as knownDiets } from "../_shared/ranking/diets.ts";

const MOST = 50;

serve(
  { name: "find-places", methods: ["POST"], errorMessage: "Places could not be looked up." },
  async (request) => {
    const query = readQuery(await readObject(request));
    const overpass = Deno.env.get("OVERPASS_URL");
    const own = databasePlaces(clientOf(request));
    // The caller's own rights come first: a caller who may not read places gets none from other sources
    // either.
    const places = await own.find(query);
    const sources = [{ name: own.name, ok: true }];
    if (overpass && query.near) {
      const further = overpassPlaces(overpass);
      try {
        const answers = await further.find(query);
        // Records the results, because members may only add a place from this source that was found here.
        dataOf(await serviceClient().rpc("remember_found_places", { places: answers }));
        for (const found of answers) if (!places.some((known) => same(known, found))) places.push(found);
        sources.push({ name: further.name, ok: true });
      } catch (error) {
        console.error(`find-places: ${further.name}`, error);
        sources.push({ name: further.name, ok: false });
      }
    }
    return Response.json({ places: places.slice(0, query.most), sources });
  },
);

/** Duplicates have the same id in the source, or the same name within about two hundred metres. */
function same(known: FoundPlace, found: FoundPlace): boolean {
  if (known.external_id !== null && known.external_id === found.external_id) return true;
  return (
    known.name.localeCompare(found.name, undefined, { sensitivity: "base" }) === 0 &&
    isNear(known.latitude, found.latitude) &&
    isNear(known.longitude, found.longitude)
  );
}

function isNear(known: number | null, found: number | null): boolean {
  return known !== null && found !== null && Math.abs(known - found) < 0.002;
}

function readQuery({ words = "", diets = [], near = null, most = 20 }: Record<string, unknown>): PlaceQuery {
  const refuse = (why: string) => new Refusal(400, "invalid_request", why);
  if (typeof words !== "string" || words.length > 80)
    throw refuse("words is a text of at most 80 characters.");
  if (!Array.isArray(diets) || !diets.every((diet): diet is Diet => knownDiets.includes(diet))) {
    throw refuse(`diets is a list of ${knownDiets.join(", ")}.`);
  }
  if (typeof most !== "number" || !Number.isInteger(most) || most < 1)
    throw refuse("most is a whole number from 1.");
  return {
    words,
    diets,
    near: near === null ? null : readPosition(near, refuse),
    most: Math.min(most, MOST),
  };
}

function readPosition(near: unknown, refuse: (why: string) => Refusal) {
  const { latitude, longitude } = (typeof near === "object" && near !== null ? near : {}) as Record<
    string,
    unknown
  >;
  if (
    typeof latitude !== "number" ||
    typeof longitude !== "number" ||
    !(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)
  ) {
    throw refuse("near is {latitude, longitude} in degrees.");
  }
  return { latitude, longitude };
}
