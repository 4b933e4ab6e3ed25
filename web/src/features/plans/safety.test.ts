/** Tests safety.ts. */
import { expect, it } from "vitest";
import { safetyOf } from "./safety.ts";
import type { Member, Rating } from "./schema.ts";

const member = (user_id: string, diets: string[], rsvp: Member["rsvp"] = "pending"): Member =>
  ({ user_id, rsvp, profiles: { display_name: user_id, avatar_path: null, diets, budget: 2 } }) as Member;

it("says for whom a place is safe, and never takes unknown for safe", () => {
  const table = [
    member("ana", ["vegetarian"]),
    member("bo", ["gluten_free", "vegan"]),
    member("cleo", []),
    member("dev", ["kosher"], "declined"),
  ];
  // A kitchen that is safe for vegans is so for vegetarians.
  expect(safetyOf({ safe_diets: ["vegan"] }, table, [])).toEqual({
    safe: ["ana"],
    unknown: [{ person: "bo", diets: ["gluten_free"] }],
    eaten: [],
    unasked: [],
  });
  expect(safetyOf({ safe_diets: [] }, table, []).safe).toEqual([]);
});

it("names people who have not said what they eat, and not those who eat everything", () => {
  const asked = (user_id: string, diets_known: boolean, rsvp: Member["rsvp"] = "pending"): Member => {
    const given = member(user_id, [], rsvp);
    return { ...given, profiles: given.profiles && { ...given.profiles, diets_known } };
  };
  const table = [asked("ana", true), asked("bo", false), asked("cleo", false, "declined")];
  expect(safetyOf({ safe_diets: [] }, table, [])).toEqual({
    safe: [],
    unknown: [],
    eaten: [],
    unasked: ["bo"],
  });
});

it("does not warn of a place where the person ate by their diet, and does not call it confirmed", () => {
  const table = [member("ana", ["vegetarian"]), member("bo", ["vegetarian", "halal"])];
  const meal = (user_id: string, place_id: string | null): Rating => ({
    plan_id: "earlier",
    user_id,
    place_id,
    stars: 5,
    comment: "",
    created_at: "2026-11-02T10:00:00Z",
    ate: ["vegetarian"],
    lacked: [],
    eaten_at: "2026-10-30T19:00:00Z",
  });
  const place = { id: "kitchen", safe_diets: [] };
  const at = "2026-10-30T19:00:00Z";
  expect(safetyOf(place, table, [meal("ana", "kitchen"), meal("bo", "kitchen")])).toEqual({
    safe: [],
    unknown: [{ person: "bo", diets: ["halal"] }],
    eaten: [
      { person: "ana", diet: "vegetarian", at },
      { person: "bo", diet: "vegetarian", at },
    ],
    unasked: [],
  });
  const elsewhere = [meal("ana", "other"), meal("ana", null)];
  expect(safetyOf(place, table, elsewhere).unknown).toHaveLength(2);
  expect(safetyOf({ safe_diets: [] }, table, elsewhere).unknown).toHaveLength(2);
});
