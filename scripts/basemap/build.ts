/**
 * Writes the app's own basemap, as GeoJSON, into web/src/features/map/basemap. The same input gives the same files, byte
 * for byte (tests/unit/basemap.test.ts). Run it after a change of the seed's places:
 * node scripts/basemap/build.ts
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../process.ts";
import { box, names, northBank, type Point, parks, roads, southBank } from "./lisbon.ts";
import { addressesOf, streets } from "./streets.ts";
import { cities, collection, shape, world } from "./world.ts";

/** Five decimals of a degree are about a metre. */
const DIGITS = 5;
const round = ([x, y]: Point) => [Number(x.toFixed(DIGITS)), Number(y.toFixed(DIGITS))];
const ring = (points: readonly Point[]) => [...points, ...points.slice(0, 1)].map(round);

/** The demo's city: its water and land, parks, streets and names. */
export function city(seed: string): object {
  const [west, south, east, north] = box;
  const frame: Point[] = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ];
  const middle = (points: readonly Point[]): Point => [
    points.reduce((sum, [x]) => sum + x, 0) / points.length,
    points.reduce((sum, [, y]) => sum + y, 0) / points.length,
  ];
  return collection([
    shape("water", "Polygon", [ring(frame)]),
    shape("land", "MultiPolygon", [[ring(northBank)], [ring(southBank)]]),
    ...parks.map((park) => shape("park", "Polygon", [ring(park.ring)])),
    ...streets(addressesOf(seed)).map(({ kind, name, line }) =>
      shape(kind, "LineString", line.map(round), name),
    ),
    ...roads.map(({ name, bridge, line }) =>
      shape(bridge ? "bridge" : "road", "LineString", line.map(round), name),
    ),
    ...parks.map((park) => shape("park-name", "Point", round(middle(park.ring)), park.name)),
    ...names.map(({ kind, name, at }) => shape(`${kind}-name`, "Point", round(at), name)),
  ]);
}

/** The files by name. */
export function basemapFiles(): Record<string, string> {
  const seed = readFileSync(join(root, "supabase", "seed.sql"), "utf8");
  return {
    "world.geojson": `${JSON.stringify(world())}\n`,
    "cities.geojson": `${JSON.stringify(cities())}\n`,
    "city.geojson": `${JSON.stringify(city(seed))}\n`,
  };
}

if (import.meta.main) {
  const folder = join(root, "web", "src", "features", "map", "basemap");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(basemapFiles())) {
    writeFileSync(join(folder, name), text);
    console.log(`${name}: ${Math.round(text.length / 1000)} KB`);
  }
}
