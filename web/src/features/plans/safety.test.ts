/** Tests safety.ts. */
import { expect, it } from "vitest";
import { closedTimes, safetyOf } from "./safety.ts";
import type { Member, Rating, TimeOption } from "./schema.ts";

const member = (user_id: string, diets: string[], rsvp: Member["rsvp"] = "pending"): Member =>
  ({ user_id, rsvp, profiles: { display_name: user_id, avatar_path: null, diets, budget: 2 } }) as Member;
const time = (starts_at: string, ends_at: string): TimeOption => ({
  id: starts_at,
  starts_at,
  ends_at,
  proposed_by: null,
  time_votes: [],
});

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

it("knows at which times a place is closed, on its own clock", () => {
  const evening = time("2026-11-27T19:00:00Z", "2026-11-27T21:00:00Z");
  const noon = time("2026-11-27T12:00:00Z", "2026-11-27T14:00:00Z");
  const place = {
    time_zone: "Europe/Lisbon",
    place_hours: [{ weekday: 5, opens: "18:00", closes: "02:00" }],
  };
  expect(closedTimes(place, [noon, evening])).toEqual([noon]);
  // In Kathmandu it is 00:45 on Saturday.
  expect(closedTimes({ ...place, time_zone: "Asia/Kathmandu" }, [evening])).toEqual([evening]);
  expect(closedTimes({ ...place, place_hours: [] }, [noon])).toBeNull();
});
