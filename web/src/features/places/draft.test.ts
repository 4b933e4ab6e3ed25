/** Tests draft.ts. */
import { describe, expect, it } from "vitest";
import { checked, degrees, duplicatesOf, emptyDraft, filledBy, type PlaceDraft } from "./draft.ts";
import type { FoundPlace } from "./schema.ts";

const momo: FoundPlace = {
  id: "00000000-0000-4000-8000-000000000d04",
  source: "member",
  external_id: null,
  name: "Momo Sete",
  about: "",
  cuisines: ["nepali"],
  address: "Rua do Poço dos Negros 77",
  latitude: 38.7104,
  longitude: -9.1532,
  price: 1,
  safe_diets: ["vegan"],
  hours: null,
};
const draft = (change: Partial<PlaceDraft>): PlaceDraft => ({
  ...emptyDraft("Europe/Lisbon"),
  name: "Kitchen",
  latitude: "38.7104",
  longitude: "-9.1532",
  ...change,
});

describe("what a form may say", () => {
  it("is what the database takes", () => {
    const answer = checked(draft({ name: "  Momo  ", cuisines: "nepali, , dumplings", latitude: "38,7104" }));
    expect(answer).toMatchObject({
      fields: { name: "Momo", cuisines: ["nepali", "dumplings"], latitude: 38.7104, price: null },
    });
  });

  it("is refused field by field", () => {
    const answer = checked(
      draft({
        name: " ",
        about: "x".repeat(281),
        cuisines: "a,b,c,d,e,f,g",
        address: "x".repeat(161),
        latitude: "91",
        longitude: "",
        time_zone: "Europe/Atlantis",
        week: [[{ opens: "12:00", closes: "" }], [], [], [], [], [], []],
      }),
    );
    expect(Object.keys("problems" in answer ? answer.problems : {}).toSorted()).toEqual([
      "about",
      "address",
      "cuisines",
      "latitude",
      "longitude",
      "name",
      "time_zone",
      "week",
      "weekday",
    ]);
  });

  it("reads degrees as they are written here and there", () => {
    expect([degrees("38.5"), degrees(" -9,25 ")]).toEqual([38.5, -9.25]);
    expect(degrees("")).toBeNaN();
  });
});

describe("a finding elsewhere", () => {
  it("fills what it knows and leaves the rest as typed", () => {
    const typed = draft({ name: "mo", price: 3, about: "Typed." });
    const found = { ...momo, id: null, source: "openstreetmap" as const, external_id: "node/7", price: null };
    expect(
      filledBy(typed, { ...found, hours: [{ weekday: 1, opens: "12:00", closes: "15:00" }] }),
    ).toMatchObject({
      name: "Momo Sete",
      about: "Typed.",
      price: 3,
      external_id: "node/7",
      source: "openstreetmap",
      week: [[{ opens: "12:00", closes: "15:00" }], [], [], [], [], [], []],
    });
  });
});

describe("a place that is there already", () => {
  it("is one nearby by a like name, or next door by any", () => {
    const near = { latitude: "38.7115", longitude: "-9.1532" }; // 120 m
    expect(duplicatesOf(draft({ name: "Momo", ...near }), [momo])).toEqual([momo]);
    expect(duplicatesOf(draft({ name: "Mómo séte", ...near }), [momo])).toEqual([momo]);
    expect(duplicatesOf(draft({ name: "Osteria", ...near }), [momo])).toEqual([]);
    expect(duplicatesOf(draft({ name: "Osteria" }), [momo])).toEqual([momo]);
    expect(duplicatesOf(draft({ name: "Momo", latitude: "38.72" }), [momo])).toEqual([]);
    expect(duplicatesOf(draft({ name: "Momo" }), [{ ...momo, id: null }])).toEqual([]);
  });
});
