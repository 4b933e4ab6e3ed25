/** Tests arrivals.ts. */
import { expect, it } from "vitest";
import { minutesAway } from "../plans/arrival.ts";
import { sampleMember, samplePlan } from "../plans/sample-plan.ts";
import type { Member } from "../plans/schema.ts";
import { arrivalsOf, newsOf } from "./arrivals.ts";

const now = Date.parse("2026-11-27T19:00:00Z");
const in_ = (minutes: number) => new Date(now + minutes * 60_000).toISOString();
const member = (user_id: string, rsvp: Member["rsvp"], arrivals: Member["arrivals"] = null): Member =>
  sampleMember(user_id, { rsvp, arrivals });

it("counts minutes and never below zero", () => {
  expect(minutesAway(in_(8), now)).toBe(8);
  expect(minutesAway(in_(-8), now)).toBe(0);
  expect(minutesAway(null, now)).toBeNull();
});

it("fills the board in the order in which the table fills", () => {
  const plan = samplePlan({
    status: "confirmed",
    chosen_time_id: "time",
    plan_members: [
      member("home", "going"),
      member("maybe", "maybe"),
      member("far", "going", { status: "on_the_way", eta: in_(20) }),
      member("unsaid", "going", { status: "on_the_way", eta: null }),
      member("here", "maybe", { status: "arrived", eta: null }),
      member("near", "going", { status: "on_the_way", eta: in_(5) }),
    ],
  });
  expect(arrivalsOf(plan, now).map((one) => one.user_id)).toEqual([
    "here",
    "near",
    "far",
    "unsaid",
    "home",
    "maybe",
  ]);
});

it("reports people who left or arrived once, and nothing for an unchanged status", () => {
  const before = [member("ana", "going"), member("bo", "going", { status: "on_the_way", eta: in_(9) })];
  const after = [
    member("ana", "going", { status: "on_the_way", eta: in_(10) }),
    member("bo", "going", { status: "arrived", eta: null }),
    member("new", "going", { status: "arrived", eta: null }),
  ];
  expect(newsOf(before, after)).toEqual([
    { person: "ana", status: "on_the_way", eta: in_(10) },
    { person: "bo", status: "arrived", eta: null },
  ]);
  expect(newsOf(after, after)).toEqual([]);
  expect(newsOf(before, [member("bo", "going", { status: "on_the_way", eta: in_(3) })])).toEqual([]);
});
