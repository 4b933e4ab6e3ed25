/** Tests search.ts. */
import { expect, it } from "vitest";
import { filtersSet, readPlacesSearch, tidy } from "./search.ts";

it("reads what an address may hold, and drops what it may not", () => {
  expect(readPlacesSearch({ q: 1911, diets: ["vegan"], price: "2", open: "now", saved: true })).toEqual({
    q: "1911",
    diets: ["vegan"],
    price: 2,
    open: "now",
    saved: true,
  });
  const nothing = readPlacesSearch({ diets: "vegan", price: 9, open: "later", view: "globe" });
  expect(nothing).toEqual({});
  // The router keeps the URL's value of each key that is not named.
  expect(nothing).toHaveProperty("diets", undefined);
  expect(nothing).toHaveProperty("price", undefined);
});

it("says in the address only what was chosen", () => {
  expect(tidy({ q: "", diets: [], price: undefined, saved: true })).toEqual({ saved: true });
});

it("counts filters, not words", () => {
  expect(filtersSet({ q: "momo", diets: ["vegan", "halal"], price: 2 })).toBe(3);
});
