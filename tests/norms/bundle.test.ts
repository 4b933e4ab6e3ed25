/** The bytes that a phone loads before a first view: the build's size, compared with the norms. */
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Weights, weigh } from "./bundle.ts";
import { firstViews, norms, routes } from "./norms.ts";

let weights: Weights;
beforeAll(async () => {
  weights = await weigh(join(process.cwd(), "web"));
}, 60_000);

const kilobytes = (files: Iterable<string>) => weights.gzipped(files) / 1000;

describe("JavaScript, gzipped", () => {
  it.each(firstViews)("of the first view $name is at most $most KB", ({ sources, next = [], most }) => {
    expect(kilobytes(weights.closure(...sources, ...next))).toBeLessThanOrEqual(most);
  });

  it(`of every further route is at most ${norms.furtherRoute} KB more`, () => {
    const { sources = [], next = [] } = firstViews.find(({ name }) => name === "home") ?? {};
    const home = [...sources, ...next];
    const there = weights.closure(...home);
    const heavy = routes(weights.sources).flatMap((route) => {
      const more = new Set([...weights.closure(...home, route)].filter((file) => !there.has(file)));
      return kilobytes(more) > norms.furtherRoute ? [`${route}: ${kilobytes(more)} KB`] : [];
    });
    expect(routes(weights.sources).length).toBeGreaterThan(12);
    expect(heavy).toEqual([]);
  });

  it("of the map is no part of any route", () => {
    const map = weights.sources.find((source) => source.includes("map-canvas"));
    expect(map).toBeDefined();
    for (const route of routes(weights.sources)) {
      const [own] = weights.closure(map ?? "");
      expect(weights.closure("index.html", route).has(own ?? "")).toBe(false);
    }
  });
});

it(`CSS of the first view is at most ${norms.css} KB, gzipped`, () => {
  expect(weights.css / 1000).toBeLessThanOrEqual(norms.css);
});
