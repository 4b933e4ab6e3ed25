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
