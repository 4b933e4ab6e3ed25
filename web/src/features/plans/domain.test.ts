/** Tests domain.ts. */

import { describe, expect, it } from "vitest";
import { cardOf, cardSeatsTaken, waitsFor as cardWaitsFor, groupCards } from "./cards/card.ts";
import { isMoved, isToday, seatOf, stateOf, withVotes } from "./domain.ts";
import { sampleMember, samplePlan } from "./sample-plan.ts";
import type { Plan } from "./schema.ts";
import { seatsTaken, waitedFor, waitsForVote } from "./tally.ts";

const NOW = Date.parse("2026-11-27T12:00:00Z");
const hours = (count: number) => new Date(NOW + count * 3_600_000).toISOString();

/** A plan with one time, `from` to `until` hours from now, and one place. */
function plan(from: number, until: number, more: Partial<Plan> = {}): Plan {
  return samplePlan({
    id: `plan ${from}`,
    plan_members: [sampleMember("ana", { role: "host" }), sampleMember("ben")],
    time_options: [
      { id: "time", starts_at: hours(from), ends_at: hours(until), proposed_by: null, time_votes: [] },
    ],
    place_options: [{ id: "place", place_id: "kitchen", proposed_by: null, place_votes: [], places: null }],
    ...more,
  });
}
const confirmed = (from: number, until: number, more: Partial<Plan> = {}) =>
  plan(from, until, { status: "confirmed", chosen_time_id: "time", chosen_place_id: "place", ...more });

/** The home screen's groups, from the plan's card. */
const waitsFor = (of: Plan, person: string, now: number, rated?: ReadonlySet<string>) =>
  cardWaitsFor(cardOf(of, person, rated?.has(of.id)), person, now);
const seatsOf = (of: Plan, now: number) =>
  cardOf(of, "ana").people.map((person) => seatOf(person, stateOf(of, now), isMoved(of)));

describe("stateOf", () => {
  it("is done four hours after the last minute, and not a moment before", () => {
    expect(stateOf(confirmed(-7, -4), NOW)).toBe("done");
    expect(stateOf(confirmed(-7, -3.99), NOW)).toBe("confirmed");
  });

  it("is never done while it was not confirmed", () => {
    expect(stateOf(plan(-30, -28), NOW)).toBe("polling");
    expect(stateOf(confirmed(-30, -28, { status: "cancelled" }), NOW)).toBe("cancelled");
  });
});

describe("isToday", () => {
  it("begins six hours before the meal and ends when it is done", () => {
    expect(isToday(confirmed(6, 8), NOW)).toBe(true);
    expect(isToday(confirmed(6.1, 8), NOW)).toBe(false);
    expect(isToday(confirmed(-6, -4), NOW)).toBe(false);
  });
});

describe("waitsFor", () => {
  const voted = (id: string) => withVotes(plan(24, 26), id, { time: "no" }, {});

  it("waits for a vote until anything is answered, a no or a place included", () => {
    expect(waitsFor(plan(24, 26), "ben", NOW)).toBe("vote");
    expect(waitsFor(voted("ben"), "ben", NOW)).toBeNull();
    expect(waitsFor(voted("ana"), "ben", NOW)).toBe("vote");
    expect(waitsFor(withVotes(plan(24, 26), "ben", {}, { place: "yes" }), "ben", NOW)).toBeNull();
    expect([plan(24, 26), voted("ben")].map((one) => waitsForVote(one, "ben", NOW))).toEqual([true, false]);
  });

  it("does not wait after the deadline, for a time that is over, or for who declined", () => {
    expect(waitsFor(plan(24, 26, { vote_deadline: hours(-1) }), "ben", NOW)).toBeNull();
    expect(waitsFor(plan(-2, -1), "ben", NOW)).toBeNull();
    expect(
      waitsFor(plan(24, 26, { plan_members: [sampleMember("ben", { rsvp: "declined" })] }), "ben", NOW),
    ).toBeNull();
  });

  it("waits for a rating from who came, for two weeks, until it is given", () => {
    const came = (id: string) => ({ plan_members: [sampleMember(id, { rsvp: "going" })] });
    expect(waitsFor(confirmed(-30, -28, came("ben")), "ben", NOW, new Set())).toBe("rating");
    expect(waitsFor(confirmed(-30, -28, came("ben")), "ben", NOW, new Set(["plan -30"]))).toBeNull();
    expect(waitsFor(confirmed(-30, -28), "ben", NOW, new Set())).toBeNull();
    expect(waitsFor(confirmed(-24 * 15, -24 * 14, came("ben")), "ben", NOW, new Set())).toBeNull();
  });

  it("waits for an answer once it is confirmed, unless the vote has given it", () => {
    expect(waitsFor(confirmed(24, 26), "ben", NOW)).toBe("rsvp");
    expect(waitsFor(withVotes(confirmed(24, 26), "ben", { time: "yes" }, {}), "ben", NOW)).toBeNull();
    const moved = confirmed(24, 26, { moved_from_time_id: "before" });
    expect(waitsFor(withVotes(moved, "ben", { time: "yes" }, {}), "ben", NOW)).toBe("rsvp");
  });
});

describe("seatsOf", () => {
  it("draws silence, yes, if need be and no each in its own way", () => {
    const people = ["ana", "ben", "chiara", "dev"].map((id) => sampleMember(id));
    const answers = [
      { user_id: "ben", answer: "yes" as const },
      { user_id: "chiara", answer: "if_need_be" as const },
      { user_id: "dev", answer: "no" as const },
    ];
    const base = plan(24, 26, { plan_members: people });
    const voted = {
      ...base,
      time_options: base.time_options.map((time) => ({ ...time, time_votes: answers })),
    };
    expect(seatsOf(voted, NOW).map((seat) => seat.look)).toEqual(["empty", "set", "maybe", "out"]);
  });

  it("says after the meal who was there", () => {
    const people = [
      sampleMember("ana", { rsvp: "going", plus_ones: 1 }),
      sampleMember("ben", { rsvp: "maybe" }),
      sampleMember("dev", { rsvp: "maybe", arrivals: { status: "arrived", eta: null } }),
    ];
    const seats = seatsOf(confirmed(-9, -7, { plan_members: people }), NOW);
    expect(seats.map((seat) => seat.words)).toEqual(["was there and brought 1", "said maybe", "was there"]);
  });

  it("covers the dish of who has answered where answers are hidden", () => {
    const people = [sampleMember("ana", { answered_at: hours(-1) }), sampleMember("ben")];
    const looks = seatsOf(plan(24, 26, { plan_members: people, results_hidden: true }), NOW);
    expect(looks.map((seat) => seat.look)).toEqual(["covered", "empty"]);
  });

  it("lets an arrival outshine the RSVP, and counts plus-ones", () => {
    const people = [
      sampleMember("ana", { rsvp: "going", plus_ones: 2 }),
      sampleMember("ben", { rsvp: "maybe", arrivals: { status: "arrived", eta: null } }),
      sampleMember("chiara", { rsvp: "waitlisted", waitlisted_at: hours(-1) }),
    ];
    const here = confirmed(1, 2, { plan_members: people });
    expect(seatsOf(here, NOW).map((seat) => seat.look)).toEqual(["set", "arrived", "waiting"]);
    expect([seatsTaken(here, NOW), cardSeatsTaken(cardOf(here, "ana"), NOW)]).toEqual([4, 4]);
  });
});

describe("whom the table waits for", () => {
  it("is known where answers are hidden", () => {
    const people = [
      sampleMember("ana"),
      sampleMember("ben", { answered_at: hours(-1) }),
      sampleMember("dev"),
    ];
    const waited = waitedFor(plan(24, 26, { plan_members: people, results_hidden: true }), NOW);
    expect(waited.map((one) => one.user_id)).toEqual(["ana", "dev"]);
  });

  it("is nobody once nothing is to be answered", () => {
    expect(waitedFor(plan(24, 26, { status: "cancelled" }), NOW)).toEqual([]);
    expect(waitedFor(plan(24, 26, { time_options: [] }), NOW)).toEqual([]);
  });
});

describe("groupCards", () => {
  it("puts every plan on exactly one group, the next meal first", () => {
    const plans = [confirmed(80, 82), confirmed(50, 52), plan(24, 26), confirmed(2, 3), confirmed(-30, -28)];
    const answered = plans.map((one) => ({
      ...one,
      plan_members: one.plan_members.map((each) => ({
        ...each,
        rsvp: one.status === "polling" ? each.rsvp : ("going" as const),
      })),
    }));
    const groups = groupCards(
      answered.map((one) => cardOf(one, "ben")),
      "ben",
      NOW,
    );
    expect(Object.values(groups).flat()).toHaveLength(plans.length);
    expect(groups.coming.map((one) => one.id)).toEqual(["plan 50", "plan 80"]);
    expect(groups.today).toHaveLength(1);
    expect(groups.waiting).toHaveLength(1);
    expect(groups.past).toHaveLength(1);
  });
});

describe("withVotes", () => {
  it("changes one person's answer and nobody else's, and null takes it back", () => {
    const both = withVotes(withVotes(plan(24, 26), "ana", { time: "yes" }, {}), "ben", { time: "no" }, {});
    const back = withVotes(both, "ana", { time: null }, {});
    expect(both.time_options[0]?.time_votes).toHaveLength(2);
    expect(back.time_options[0]?.time_votes).toEqual([{ user_id: "ben", answer: "no" }]);
  });
});
