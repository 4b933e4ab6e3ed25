/** Tests geometry.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  boundsOf,
  clustersOf,
  formatMetres,
  kilometreGrid,
  metresBetween,
  type Position,
} from "./geometry.ts";

const lisbon = { latitude: 38.7104, longitude: -9.1532 };
const position = fc.record({
  latitude: fc.double({ min: -80, max: 80, noNaN: true }),
  longitude: fc.double({ min: -179, max: 179, noNaN: true }),
});

describe("distances", () => {
  it("are those of the ground", () => {
    // A degree of latitude is 111.2 km on this sphere, one of longitude shrinks with the cosine.
    expect(metresBetween(lisbon, { ...lisbon, latitude: 39.7104 })).toBeCloseTo(111_195, -1);
    expect(metresBetween({ latitude: 60, longitude: 0 }, { latitude: 60, longitude: 1 })).toBeCloseTo(
      55_597,
      -2,
    );
  });

  it("are the same both ways, and nothing to oneself", () => {
    fc.assert(
      fc.property(position, position, (a, b) => {
        expect(metresBetween(a, b)).toBeCloseTo(metresBetween(b, a), 3);
        expect(metresBetween(a, a)).toBe(0);
      }),
    );
  });

  it("are said as one walks them", () => {
    expect([3, 120, 974, 975, 2440, 12_400].map(formatMetres)).toEqual([
      "50\u00a0m",
      "100\u00a0m",
      "950\u00a0m",
      "1\u00a0km",
      "2.4\u00a0km",
      "12\u00a0km",
    ]);
  });
});

describe("the box around points", () => {
  it("holds every point, and there is none without points", () => {
    expect(boundsOf([], 100)).toBeNull();
    fc.assert(
      fc.property(fc.array(position, { minLength: 1, maxLength: 20 }), (points) => {
        const [west, south, east, north] = boundsOf(points, 300) ?? [0, 0, 0, 0];
        for (const { latitude, longitude } of points) {
          expect(longitude > west && longitude < east).toBe(true);
          expect(latitude > south && latitude < north).toBe(true);
        }
      }),
    );
  });
});

describe("the grid", () => {
  it("has its lines a kilometre apart", () => {
    const lines = kilometreGrid(lisbon, 2);
    expect(lines).toHaveLength(10);
    const [first, second] = [lines[0]?.[0], lines[2]?.[0]];
    const at = (pair: [number, number] | undefined): Position => ({
      latitude: lisbon.latitude,
      longitude: pair?.[0] ?? 0,
    });
    expect(metresBetween(at(first), at(second))).toBeCloseTo(1000, -1);
  });
});

describe("clusters", () => {
  it("keep each point once, and part as one comes closer", () => {
    fc.assert(
      fc.property(fc.array(position, { maxLength: 40 }), fc.integer({ min: 0, max: 18 }), (points, zoom) => {
        const clusters = clustersOf(points, zoom, 40);
        expect(clusters.flatMap((cluster) => cluster.points)).toHaveLength(points.length);
        expect(new Set(clusters.flatMap((cluster) => cluster.points)).size).toBe(points.length);
      }),
    );
    const neighbour = { latitude: 38.7114, longitude: -9.1532 };
    expect(clustersOf([lisbon, neighbour], 12, 40)).toHaveLength(1);
    expect(clustersOf([lisbon, neighbour], 16, 40)).toHaveLength(2);
  });
});
