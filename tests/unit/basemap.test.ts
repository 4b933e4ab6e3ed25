/** The app's own basemap: each build gives the same files, and its streets match the seed's places. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { basemapFiles } from "../../scripts/basemap/build.ts";
import { built, northBank, type Point, parks } from "../../scripts/basemap/lisbon.ts";
import { addressesOf, contains, streets } from "../../scripts/basemap/streets.ts";

const root = join(import.meta.dirname, "..", "..");
const seed = readFileSync(join(root, "supabase", "seed.sql"), "utf8");
const files = basemapFiles();
const MOST_BYTES = 1_500_000;

it.each(Object.keys(files))("%s in the repository is what the script writes", (name) => {
  const stored = readFileSync(join(root, "web", "src", "features", "map", "basemap", name), "utf8");
  // Compared with ===, because a diff of a megabyte is unreadable.
  expect(stored === files[name], `node scripts/basemap/build.ts writes another ${name}`).toBe(true);
});

it("the files together stay small", () => {
  expect(Object.values(files).join("").length).toBeLessThan(MOST_BYTES);
});

describe("the demo's streets", () => {
  const places = addressesOf(seed);
  const drawn = streets(places);
  const metres = ([ax, ay]: Point, [bx, by]: Point) => Math.hypot((ax - bx) * 86_700, (ay - by) * 111_195);

  it("pass each place of the seed under the name in its address", () => {
    expect(places).toHaveLength(24);
    const far = places.filter(({ street, at }) => {
      const own = drawn.filter(({ name }) => name === street).flatMap(({ line }) => line);
      return Math.min(...own.map((point) => metres(point, at))) > 60;
    });
    expect(far).toEqual([]);
  });

  it("are on land, in the city, and in no park", () => {
    for (const { line } of drawn) {
      for (const point of line) {
        expect(contains(northBank, point) && contains(built, point)).toBe(true);
        expect(parks.some(({ ring }) => contains(ring, point))).toBe(false);
      }
    }
  });

  it("surround places on land only", () => {
    expect(places.filter(({ at }) => !contains(northBank, at))).toEqual([]);
  });
});

describe("the ground of the world", () => {
  const { features } = JSON.parse(files["world.geojson"] ?? "") as {
    features: { properties: { k: string }; geometry: { coordinates: Point[][][] } }[];
  };
  const within = (kind: string, point: Point) =>
    features
      .filter(({ properties }) => properties.k === kind)
      .flatMap(({ geometry }) => geometry.coordinates)
      .some(
        ([shore = [], ...holes]) => contains(shore, point) && !holes.some((hole) => contains(hole, point)),
      );
  const groundAt = (latitude: number, longitude: number) => {
    const point: Point = [longitude, latitude];
    if (within("unknown", point)) return "none";
    return within("land", point) ? "land" : "water";
  };

  it.each([
    ["water", "the Bay of Biscay", 44.5, -3.5],
    ["land", "Bilbao", 43.26, -2.93],
    ["water", "off Lisbon", 38.6, -9.6],
    ["land", "Mumbai", 19.08, 72.89],
    ["water", "Tokyo Bay", 35.45, 139.85],
    ["land", "Sydney", -33.85, 151.1],
    ["water", "off Sydney", -33.9, 151.5],
    ["land", "Lagos", 6.6, 3.35],
    ["water", "the Gulf of Guinea", 6, 3.3],
    ["land", "San Francisco", 37.75, -122.44],
    ["water", "off San Francisco", 37.7, -122.9],
    ["land", "Copenhagen", 55.68, 12.5],
    ["water", "the Øresund", 55.8, 12.75],
    ["land", "Singapore", 1.35, 103.82],
    ["water", "the Caspian Sea", 42, 50.5],
    ["land", "Santander", 43.4, -4],
    ["land", "Bordeaux", 44.8, -0.5],
    ["water", "off Bordeaux", 44.8, -1.8],
    ["land", "A Coruña", 43.2, -8.4],
    ["water", "off A Coruña", 43.7, -8.9],
    ["land", "Oslo", 60, 10.8],
    ["water", "the Skagerrak", 58, 9.5],
    ["land", "Boston", 42.35, -71.2],
    ["water", "off Boston", 42.4, -70.4],
    ["land", "Cairo", 30, 31.2],
    ["water", "off Alexandria", 31.6, 29.8],
    ["water", "the Río de la Plata", -35.3, -56.5],
    // Rings that the antimeridian cuts: where they lie, and where they must not reach.
    ["land", "Chukotka, east of the antimeridian", 66.5, -176],
    ["land", "Chukotka, west of it", 67, 177],
    ["land", "Wrangel Island", 71.2, -179.5],
    ["land", "Vanua Levu", -16.6, 179.3],
    ["water", "the Bering Sea", 60, -179],
    ["water", "the Norwegian Sea", 69, 3],
    ["water", "the Denmark Strait", 66.5, -27],
    ["water", "the Beaufort Sea", 71.25, -140],
    ["water", "the Indian Ocean", -16.53, 65],
    ["land", "Antarctica", -82, 20],
    ["water", "the Weddell Sea", -70, -45],
    // The data has no lakes.
    ["none", "Lake Michigan", 43.5, -87],
    ["none", "Lake Victoria", -1, 33],
    ["none", "Lake Baikal", 53.5, 108],
  ])("is %s in %s", (ground, _where, latitude, longitude) => {
    expect(groundAt(latitude, longitude)).toBe(ground);
  });

  it("has no edge around the world", () => {
    const rings = features
      .filter(({ properties }) => properties.k === "land")
      .flatMap(({ geometry }) => geometry.coordinates.flat());
    const long = rings.flatMap((ring) =>
      ring.filter(([x, y], index) => y > -80 && Math.abs(x - (ring[index - 1]?.[0] ?? x)) > 20),
    );
    expect(long).toEqual([]);
  });
});

it("the world has the large cities, the largest first", () => {
  const { features } = JSON.parse(files["cities.geojson"] ?? "") as {
    features: { properties: { n: string; c: string; r: number } }[];
  };
  const names = features.map(({ properties }) => `${properties.n}, ${properties.c}`);
  for (const city of ["Lisbon, PT", "Berlin, DE", "Kathmandu, NP", "Lagos, NG", "Quito, EC"]) {
    expect(names).toContain(city);
  }
  const ranks = features.map(({ properties }) => properties.r);
  expect(ranks).toEqual(ranks.toSorted((one, other) => one - other));
});
