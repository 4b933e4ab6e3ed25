/**
 * Owns the streets of the demo's city, which are fictional and the same in every build. A bent grid fills the built-up
 * land, and a street with the name of its address passes each place of the seed.
 */
import { built, northBank, type Point, parks } from "./lisbon.ts";

const METRES_NORTH = 111_195;
const CENTRE: Point = [-9.15, 38.735];
const METRES_EAST = METRES_NORTH * Math.cos((CENTRE[1] * Math.PI) / 180);
/** Metres between two streets, and the most that a corner is displaced. */
const BLOCK = 125;
const STRAY = 24;
/** Rows and columns on each side of the centre. */
const HALF = { columns: 56, rows: 46 };
/** Every fifth line is a wide street. Of the others, this share of the edges is left out. */
const WIDE_EACH = 5;
const GAPS = 0.16;
/** The number of corners of a named street on each side of its place, and its distance from the place. */
const REACH = 5;
const BESIDE_METRES = 10;

export interface Street {
  kind: "street" | "lane";
  name?: string;
  line: Point[];
}

export interface Addressed {
  street: string;
  at: Point;
}

/** The places of the seed, with the street of their address. */
export function addressesOf(seed: string): Addressed[] {
  const row = /\('d\d+', '[^']*', '[^']*', '\{[^}]*\}', '([^']*)', ([\d.]+), (-[\d.]+),/g;
  return [...seed.matchAll(row)].map(([, address = "", latitude, longitude]) => ({
    street: address.replace(/ \d+$/, ""),
    at: [Number(longitude), Number(latitude)] as const,
  }));
}

/** A pseudo-random integer below 2^32, from three integers; the same on every machine. */
function hash(a: number, b: number, c: number): number {
  let value =
    Math.imul(a + 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35) ^ (c * 0x27d4eb2f);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  value = Math.imul(value ^ (value >>> 12), 0x297a2d39);
  return (value ^ (value >>> 15)) >>> 0;
}
const chance = (a: number, b: number, c: number) => hash(a, b, c) / 2 ** 32;

export function contains(ring: readonly Point[], [x, y]: Point): boolean {
  let inside = false;
  for (let here = 0, before = ring.length - 1; here < ring.length; before = here++) {
    const [ax, ay] = ring[here] ?? [0, 0];
    const [bx, by] = ring[before] ?? [0, 0];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

const toDegrees = (x: number, y: number): Point => [
  CENTRE[0] + x / METRES_EAST,
  CENTRE[1] + y / METRES_NORTH,
];
const toMetres = ([longitude, latitude]: Point) =>
  [(longitude - CENTRE[0]) * METRES_EAST, (latitude - CENTRE[1]) * METRES_NORTH] as const;

/** Whether a street may be here: on land, at a distance from the water, in the city and not in a park. */
function buildable(at: Point): boolean {
  const [x, y] = toMetres(at);
  const room = [0, 1, 2, 3].every((side) =>
    contains(
      northBank,
      toDegrees(x + 45 * Math.cos((side * Math.PI) / 2), y + 45 * Math.sin((side * Math.PI) / 2)),
    ),
  );
  return room && contains(built, at) && !parks.some(({ ring }) => contains(ring, at));
}

/** A corner of the grid, displaced by long waves so that districts have different directions. */
function corner(column: number, row: number): [number, number] {
  const [x, y] = [column * BLOCK, row * BLOCK];
  const bend = (a: number, b: number, length: number) => Math.sin(a / length + Math.cos(b / (length * 1.7)));
  return [
    x + 190 * bend(y, x, 620) + 90 * bend(y, x, 270) + STRAY * (2 * chance(column, row, 1) - 1),
    y + 170 * bend(x, y, 700) + 80 * bend(x, y, 310) + STRAY * (2 * chance(column, row, 2) - 1),
  ];
}

export function streets(places: readonly Addressed[]): Street[] {
  const corners = new Map<string, [number, number]>();
  for (let column = -HALF.columns; column <= HALF.columns; column += 1) {
    for (let row = -HALF.rows; row <= HALF.rows; row += 1) {
      corners.set(`${column},${row}`, corner(column, row));
    }
  }
  const named = places.map((place, index) => bendTo(corners, place, index % 3 === 0));
  const drawn: Street[] = [];
  for (const along of ["column", "row"] as const) {
    const [lines, steps] = along === "row" ? [HALF.rows, HALF.columns] : [HALF.columns, HALF.rows];
    for (let line = -lines; line <= lines; line += 1) {
      const kind = line % WIDE_EACH === 0 ? "street" : "lane";
      let run: Point[] = [];
      const end = () => {
        if (run.length > 1) drawn.push({ kind, line: run });
        run = [];
      };
      for (let step = -steps; step <= steps; step += 1) {
        const key = along === "row" ? `${step},${line}` : `${line},${step}`;
        const at = toDegrees(...(corners.get(key) ?? [0, 0]));
        if (!buildable(at)) {
          end();
          continue;
        }
        run.push(at);
        const gap = kind === "lane" && chance(line, step, along === "row" ? 3 : 4) < GAPS;
        if (gap) end();
      }
      end();
    }
  }
  for (const { name, keys } of named) {
    const line = keys.map((key) => toDegrees(...(corners.get(key) ?? [0, 0]))).filter(buildable);
    if (line.length > 1) drawn.push({ kind: "street", name, line });
  }
  return drawn;
}

/** Moves the nearest corner next to the place and its neighbours half as far; returns the street through that corner. */
function bendTo(corners: Map<string, [number, number]>, { street, at }: Addressed, upright: boolean) {
  const [x, y] = toMetres(at);
  let nearest = { column: 0, row: 0, away: Number.POSITIVE_INFINITY };
  for (const [key, [cx, cy]] of corners) {
    const away = Math.hypot(cx - x, cy - y);
    const [column = 0, row = 0] = key.split(",").map(Number);
    if (away < nearest.away) nearest = { column, row, away };
  }
  const { column, row } = nearest;
  const [cx, cy] = corners.get(`${column},${row}`) ?? [x, y];
  const move = upright ? [x + BESIDE_METRES - cx, y - cy] : [x - cx, y - BESIDE_METRES - cy];
  const around = [
    [0, 0, 1],
    [1, 0, 0.5],
    [-1, 0, 0.5],
    [0, 1, 0.5],
    [0, -1, 0.5],
  ] as const;
  for (const [right, up, share] of around) {
    const node = corners.get(`${column + right},${row + up}`);
    if (!node) continue;
    node[0] += (move[0] ?? 0) * share;
    node[1] += (move[1] ?? 0) * share;
  }
  const keys = Array.from({ length: 2 * REACH + 1 }, (_, index) =>
    upright ? `${column},${row + index - REACH}` : `${column + index - REACH},${row}`,
  );
  return { name: street, keys };
}
