/** Hints of similar names: compared with a plain search, and indexed once for each schema cache. */
import { expect, it } from "vitest";
import { FuzzySet } from "../../src/rest/fuzzy.ts";
import { schemaNames } from "../../src/rest/plan/hints.ts";
import type { SchemaCache } from "../../src/rest/schema/schema-cache.ts";

const NAMES = [
  "places",
  "place",
  "placements",
  "visits",
  "get_places",
  "get_place_by_id",
  "Größe",
  "a",
  "ab",
  "x,y",
];

it.each([
  ["plces", 0.75, "places"],
  ["PLACES", 0.75, "places"],
  ["get_place", 0.75, "get_places"],
  ["visit", 0.75, "visits"],
  ["grösse", 0.5, "Größe"],
  ["zzz", 0.1, undefined],
  ["", 0.75, undefined],
  ["p".repeat(2_000), 0.1, undefined],
])("%s (%d) is like %s", (wanted, threshold, found) => {
  expect(new FuzzySet(NAMES).closest(wanted, threshold)).toBe(found);
});

it("gives the first of equally similar names", () => {
  expect(new FuzzySet(["abcd1", "abcd2"]).closest("abcd3", 0.5)).toBe("abcd1");
  expect(new FuzzySet(["abcd2", "abcd1"]).closest("abcd3", 0.5)).toBe("abcd2");
});

it("indexes the names of a schema once", () => {
  const cache = {
    routines: new Map([
      [
        "f",
        [
          { schema: "public", name: "find" },
          { schema: "other", name: "seek" },
        ],
      ],
    ]),
    relations: new Map(),
    relationships: new Map(),
  } as unknown as SchemaCache;
  const set = schemaNames(cache, "functions", "public");
  expect(schemaNames(cache, "functions", "public")).toBe(set);
  expect(schemaNames(cache, "functions", "other")).not.toBe(set);
  expect(schemaNames({ ...cache }, "functions", "public")).not.toBe(set);
  expect([set.closest("fimd", 0.5), set.closest("sekk", 0.5)]).toEqual(["find", undefined]);
});
