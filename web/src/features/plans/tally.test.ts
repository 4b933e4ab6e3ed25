import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answer, Member, Plan } from "./schema.ts";
import { areHidden, tallyOf, waitedFor, warmthOf } from "./tally.ts";

const NOW = Date.parse("2026-11-25T12:00:00Z");

function member(id: string, more: Partial<Member> = {}): Member {
  return {
    user_id: id,
    role: "guest",
    rsvp: "pending",
    plus_ones: 0,
    waitlisted_at: null,
    joined_at: "2026-11-01T00:00:00Z",
    answered_at: null,
    required: false,
    profiles: null,
    arrivals: null,
    ...more,
  };
}

const ids = ["ana", "ben", "chiara", "dev"];
type Vote = { user_id: string; answer: Answer };
const votes = fc
  .dictionary(fc.constantFrom(...ids), fc.constantFrom<Answer>("yes", "if_need_be", "no"))
  .map((given) => Object.entries(given).map(([user_id, answer]): Vote => ({ user_id, answer })));

function plan(timeVotes: Vote[], more: Partial<Plan> = {}): Plan {
  return {
    id: "plan",
    circle_id: null,
    title: "Dinner",
    note: "",
    status: "polling",
    time_zone: "Asia/Kathmandu",
    vote_deadline: null,
    capacity: null,
    guests_may_propose: true,
    results_hidden: true,
    chosen_time_id: null,
    chosen_place_id: null,
    ready_at: null,
    ready_by: null,
    created_at: "2026-11-01T00:00:00Z",
    updated_at: "2026-11-01T00:00:00Z",
    plan_members: ids.map((id) => member(id)),
    time_options: [
      {
        id: "time",
        starts_at: "2026-11-27T13:45:00Z",
        ends_at: "2026-11-27T16:00:00Z",
        proposed_by: null,
        time_votes: timeVotes,
      },
    ],
    place_options: [],
    ...more,
  };
}

describe("tallyOf", () => {
  it("counts everyone who is asked exactly once, and silence is not a no", () => {
    fc.assert(
      fc.property(votes, (given) => {
        const tally = tallyOf(
          given,
          ids.map((id) => member(id)),
        );
        expect([...tally.yes, ...tally.if_need_be, ...tally.no, ...tally.silent].toSorted()).toEqual(ids);
        expect(tally.silent).toHaveLength(ids.length - given.length);
      }),
    );
  });

  it("does not wait for who declined the whole plan", () => {
    expect(tallyOf([], [member("ana"), member("ben", { rsvp: "declined" })]).silent).toEqual(["ana"]);
  });

  it("names who must be there and cannot", () => {
    const people = [member("ana", { required: true }), member("ben", { required: true }), member("dev")];
    const given: Vote[] = [
      { user_id: "ana", answer: "no" },
      { user_id: "ben", answer: "if_need_be" },
      { user_id: "dev", answer: "no" },
    ];
    expect(tallyOf(given, people).requiredOut).toEqual(["ana"]);
  });

  it("is never colder for a yes more, and lies between nobody and everybody", () => {
    fc.assert(
      fc.property(votes, fc.constantFrom(...ids), (given, who) => {
        const people = ids.map((id) => member(id));
        const warmer = [
          ...given.filter((vote) => vote.user_id !== who),
          { user_id: who, answer: "yes" as const },
        ];
        const [before, after] = [given, warmer].map((each) => warmthOf(tallyOf(each, people)));
        expect(after).toBeGreaterThanOrEqual(before ?? 1);
        expect(after).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("hidden answers", () => {
  it("are hidden until one has answered, and no longer once it is decided", () => {
    expect(areHidden(plan([]), "ana")).toBe(true);
    expect(areHidden(plan([{ user_id: "ben", answer: "yes" }]), "ana")).toBe(true);
    expect(areHidden(plan([{ user_id: "ana", answer: "no" }]), "ana")).toBe(false);
    expect(areHidden(plan([], { status: "confirmed" }), "ana")).toBe(false);
    expect(areHidden(plan([], { results_hidden: false }), "ana")).toBe(false);
  });

  it("do not hide whom the table waits for", () => {
    const people = [member("ana"), member("ben", { answered_at: "2026-11-02T00:00:00Z" }), member("dev")];
    const waited = waitedFor(plan([], { plan_members: people }), "ana", NOW);
    expect(waited.map((one) => one.user_id)).toEqual(["ana", "dev"]);
  });

  it("wait for nobody once nothing is to be answered", () => {
    expect(waitedFor(plan([], { status: "cancelled" }), "ana", NOW)).toEqual([]);
    expect(waitedFor(plan([], { time_options: [] }), "ana", NOW)).toEqual([]);
  });
});
