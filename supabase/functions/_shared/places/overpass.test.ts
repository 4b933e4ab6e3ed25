/** Tests overpass.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { overpassQuery, placeOfElement } from "./overpass.ts";

const near = { latitude: 38.71, longitude: -9.14 };

describe("overpassQuery", () => {
  it("asks for kitchens around, of the diet, named so", () => {
    const query = overpassQuery("momo", ["vegan"], near, 20);
    expect(query).toContain('["diet:vegan"~"^(yes|only)$"]["name"~"momo",i](around:5000,38.71000,-9.14000)');
    expect(query).toContain("out tags center 20;");
  });

  it("lets nothing that is typed out of its quotes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 100 }), (words) => {
        const plain = overpassQuery("", [], near, 20);
        const query = overpassQuery(words, [], near, 20);
        const quotes = (text: string) => (text.match(/"/g) ?? []).length;
        // Two filters instead of one, each with the pattern in a pair of quotes and its key in another.
        if (query !== plain) expect(quotes(query)).toBe(2 * quotes(plain) + 2 * 4);
        expect(query).not.toMatch(/[\n\r]/);
      }),
    );
  });
});

describe("placeOfElement", () => {
  it("keeps what is known and leaves the rest unknown", () => {
    expect(
      placeOfElement({
        type: "way",
        id: 7,
        center: { lat: 38.7, lon: -9.1 },
        tags: {
          name: " Momo ",
          cuisine: `nepalese;fast_food;${"x".repeat(50)}`,
          "addr:street": "Rua A",
          "addr:housenumber": "1",
          "diet:vegan": "only",
          "diet:halal": "no",
          opening_hours: "Mo 12:00-15:00",
        },
      }),
    ).toEqual({
      id: null,
      source: "openstreetmap",
      external_id: "way/7",
      name: "Momo",
      about: "",
      cuisines: ["nepalese", "fast food", "x".repeat(40)],
      address: "Rua A 1",
      latitude: 38.7,
      longitude: -9.1,
      price: null,
      safe_diets: ["vegan"],
      hours: [{ weekday: 1, opens: "12:00", closes: "15:00" }],
    });
  });

  it("is nothing without a name or a position", () => {
    expect(placeOfElement({ type: "node", id: 1, lat: 1, lon: 1 })).toBeNull();
    expect(placeOfElement({ type: "way", id: 1, tags: { name: "x" } })).toBeNull();
  });
});
