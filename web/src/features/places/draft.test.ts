/** Tests draft.ts. */
import { describe, expect, it } from "vitest";
import { checked, fieldsOfNew } from "./draft.ts";
import type { PlaceFields } from "./form-schema.ts";
import type { FoundPlace } from "./schema.ts";

const fields = (change: Partial<PlaceFields>): PlaceFields => ({
  ...fieldsOfNew({ name: "Kitchen", latitude: 38.7104, longitude: -9.1532 }, "Europe/Lisbon"),
  ...change,
});

describe("what a form may say", () => {
  it("is what the database takes", () => {
    expect(checked(fields({ name: "  Momo  ", cuisines: ["nepali"] }))).toMatchObject({
      fields: { name: "Momo", cuisines: ["nepali"], latitude: 38.7104, price: null },
    });
  });

  it("is refused field by field", () => {
    const answer = checked(
      fields({
        name: " ",
        about: "x".repeat(281),
        cuisines: ["a", "b", "c", "d", "e", "f", "g"],
        address: "x".repeat(161),
        week: [[{ opens: "12:00", closes: "" }], [], [], [], [], [], []],
      }),
    );
    expect(Object.keys("problems" in answer ? answer.problems : {}).toSorted()).toEqual([
      "about",
      "address",
      "cuisines",
      "name",
      "week",
      "weekday",
    ]);
  });
});

describe("a new place", () => {
  it("is its name, on the person's clock", () => {
    expect(fieldsOfNew({ name: "Kitchen" }, "Europe/Lisbon")).toMatchObject({
      name: "Kitchen",
      address: "",
      latitude: null,
      price: null,
      time_zone: "Europe/Lisbon",
      everybody: false,
    });
  });

  it("has the position and the zone of a pasted link", () => {
    const linked = { name: "Kitchen", latitude: 43.26, longitude: -2.93, time_zone: "Europe/Madrid" };
    expect(fieldsOfNew(linked, "Europe/Lisbon")).toMatchObject(linked);
  });

  it("has all that a search found", () => {
    const found: FoundPlace = {
      id: null,
      source: "openstreetmap",
      external_id: "node/7",
      name: "Momo Sete",
      about: "",
      cuisines: ["nepali"],
      address: "Rua do Poço dos Negros 77",
      latitude: 38.7104,
      longitude: -9.1532,
      price: 1,
      safe_diets: ["vegan"],
      hours: [{ weekday: 1, opens: "12:00", closes: "15:00" }],
    };
    expect(fieldsOfNew(found, "Europe/Lisbon")).toMatchObject({
      cuisines: ["nepali"],
      price: 1,
      safe_diets: ["vegan"],
      week: [[{ opens: "12:00", closes: "15:00" }], [], [], [], [], [], []],
    });
  });
});
