/** Tests refused.ts. */
import { describe, expect, it } from "vitest";
import { isRefusedDate, refusedByAll } from "./refused.ts";
import { sampleMember, samplePlan } from "./sample-plan.ts";
import type { Plan, TimeOption } from "./schema.ts";

type Votes = Record<string, "yes" | "if_need_be" | "no">;
const time = (starts_at: string, votes: Votes): TimeOption => ({
  id: starts_at,
  starts_at,
  ends_at: starts_at,
  proposed_by: null,
  time_votes: Object.entries(votes).map(([user_id, answer]) => ({ user_id, answer })),
});
/** In Kathmandu, 5:45 ahead of UTC; Dev has declined. */
const plan = (...time_options: TimeOption[]): Plan =>
  samplePlan({
    time_options,
    plan_members: [sampleMember("ana"), sampleMember("ben"), sampleMember("dev", { rsvp: "declined" })],
  });
const refused = (votes: Votes) => {
  const option = time("2026-11-27T13:45:00Z", votes);
  return refusedByAll(plan(option), option);
};

describe("a time", () => {
  it.each([
    [{ ana: "no" }, true],
    [{ ana: "no", ben: "no" }, true],
    [{ ana: "no", dev: "yes" }, true],
    [{ ana: "no", ben: "if_need_be" }, false],
    [{ dev: "no" }, false],
    [{}, false],
  ] as const)("with the answers %o is refused by all: %s", (votes, expected) => {
    expect(refused(votes)).toBe(expected);
  });
});

describe("a date", () => {
  // 0:30 of the 28th in Kathmandu.
  const late = "2026-11-27T18:45:00Z";
  it("is the one in the plan's zone", () => {
    const one = plan(time(late, { ana: "no" }));
    expect([isRefusedDate(one, "2026-11-27"), isRefusedDate(one, "2026-11-28")]).toEqual([false, true]);
  });
  it("with another time that somebody can make is not refused", () => {
    const two = plan(time(late, { ana: "no" }), time("2026-11-28T06:00:00Z", { ben: "yes" }));
    expect(isRefusedDate(two, "2026-11-28")).toBe(false);
  });
});
