/** Tests choice.ts. */
import { expect, it } from "vitest";
import { sampleMember, samplePlan } from "../plans/sample-plan.ts";
import type { Plan, TimeOption } from "../plans/schema.ts";
import { futureTimes, turnoutOf, unsafeAt, verdictOn } from "./choice.ts";

const [sampleTime] = samplePlan().time_options;
const time = (id: string, starts_at: string, votes: TimeOption["time_votes"] = []): TimeOption => ({
  ...(sampleTime as TimeOption),
  id,
  starts_at,
  ends_at: new Date(Date.parse(starts_at) + 7_200_000).toISOString(),
  time_votes: votes,
});
const friday = time("friday", "2026-11-27T13:45:00Z", [
  { user_id: "ana", answer: "yes" },
  { user_id: "ben", answer: "no" },
  { user_id: "dev", answer: "if_need_be" },
]);
const saturday = time("saturday", "2026-11-28T13:45:00Z");
const beforeBoth = Date.parse("2026-11-26T00:00:00Z");
const between = Date.parse("2026-11-28T00:00:00Z");

/** Dev is vegan and Ben vegetarian; the kitchen is safe for vegetarians and open on Fridays. */
const profile = (diets: ("vegan" | "vegetarian")[]) => ({
  display_name: "Somebody",
  avatar_path: null,
  diets,
  diets_known: true,
  budget: 4,
  is_guest: false,
});
const plan = samplePlan({
  status: "confirmed",
  chosen_time_id: "friday",
  chosen_place_id: "kitchen",
  plan_members: [
    sampleMember("ana"),
    sampleMember("ben", { profiles: profile(["vegan"]) as never }),
    sampleMember("dev", { profiles: profile(["vegan"]) as never }),
  ],
  time_options: [friday, saturday],
  place_options: [
    {
      id: "kitchen",
      place_id: "k",
      proposed_by: null,
      place_votes: [],
      places: {
        id: "k",
        name: "Kitchen",
        safe_diets: ["vegetarian"],
        time_zone: "UTC",
        place_hours: [{ weekday: 5, opens: "12:00", closes: "20:00" }],
      } as unknown as NonNullable<Plan["place_options"][number]["places"]>,
    },
  ],
});

it("offers what is still to come", () => {
  expect(futureTimes(plan, beforeBoth)).toEqual([friday, saturday]);
  expect(futureTimes(plan, between)).toEqual([saturday]);
});

it("asks nobody about a time without a place, and everybody with a diet about a place of which nothing is known", () => {
  const open = { ...plan, time_options: [friday], chosen_place_id: null };
  expect(verdictOn(open, { time: "friday", place: null }, [])).toEqual({ closed: false, unsafe: [] });
  expect(unsafeAt(open, "friday", { safe_diets: [] }, [])).toEqual([{ person: "dev", diets: ["vegan"] }]);
});

it("counts who can make a time, of the people who have not declined", () => {
  expect(turnoutOf(plan, friday, Date.parse("2026-11-20T12:00:00Z"))).toEqual({ can: 2, asked: 3 });
  const declined = plan.plan_members.map((member) =>
    member.user_id === "dev" ? { ...member, rsvp: "declined" as const } : member,
  );
  expect(turnoutOf({ ...plan, plan_members: declined }, friday, Date.parse("2026-11-20T12:00:00Z"))).toEqual({
    can: 1,
    asked: 2,
  });
});

it("names the people the place is not known to be safe for, but not who cannot make that time", () => {
  expect(verdictOn(plan, { time: "friday", place: "kitchen" }, [])).toEqual({
    closed: false,
    unsafe: [{ person: "dev", diets: ["vegan"] }],
  });
  expect(verdictOn(plan, { time: "saturday", place: "kitchen" }, [])).toMatchObject({
    closed: true,
    unsafe: [{ person: "ben" }, { person: "dev" }],
  });
  expect(verdictOn(plan, { time: null, place: "kitchen" }, []).closed).toBe(false);
});
