/** Tests domain.ts. */

import { describe, expect, it } from "vitest";
import { cardSeatsTaken, groupCards, waitsFor } from "./cards/card.ts";
import { cardOf } from "./cards/of-plan.ts";
import { isMoved, isToday, seatOf, stateOf, withVotes } from "./domain.ts";
import { sampleMember, samplePlan } from "./sample-plan.ts";
import type { Plan } from "./schema.ts";
import { nextOf, seatsTaken, waitedFor } from "./tally.ts";

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

describe("nextOf", () => {
  const next = (of: Plan, person = "ben", rated = true) => nextOf(of, person, NOW, { rated });
  const voted = (id: string) => withVotes(plan(24, 26), id, { time: "no" }, {});
  const both = (of: Plan, id: string) => withVotes(of, id, { time: "no" }, { place: "yes" });

  it("asks for the times and then for the places, until one of each is answered", () => {
    expect(next(plan(24, 26))).toBe("times");
    expect(next(voted("ben"))).toBe("places");
    expect(next(voted("ana"))).toBe("times");
    expect(next(withVotes(plan(24, 26), "ben", {}, { place: "yes" }))).toBe("times");
    expect(next(both(plan(24, 26), "ben"))).toBeNull();
    expect(next({ ...voted("ben"), place_options: [] })).toBeNull();
  });

  it("is not opened again by an option that is added later", () => {
    const answered = both(plan(24, 26), "ben");
    const added = [
      ...answered.time_options,
      { ...plan(48, 50).time_options[0], id: "later", time_votes: [] },
    ];
    expect(next({ ...answered, time_options: added as Plan["time_options"] })).toBeNull();
  });

  it("asks nothing after the deadline, when all times are over, or of who declined", () => {
    expect(next(plan(24, 26, { vote_deadline: hours(-1) }))).toBeNull();
    expect(next(plan(-2, -1))).toBeNull();
    expect(next(plan(24, 26, { plan_members: [sampleMember("ben", { rsvp: "declined" })] }))).toBeNull();
  });

  it("lets a host invite first, and decide when nobody has a question open or voting is closed", () => {
    const alone = plan(24, 26, { plan_members: [sampleMember("ana", { role: "host" })] });
    expect(next(alone, "ana")).toBe("invite");
    const all = both(both(plan(24, 26), "ben"), "ana");
    expect([next(all, "ana"), next(all)]).toEqual(["decide", null]);
    expect(next(plan(24, 26, { vote_deadline: hours(-1) }), "ana")).toBe("decide");
    expect(next({ ...all, decides_itself: true }, "ana")).toBeNull();
    expect(next({ ...all, proposed_time_id: "time" }, "ana")).toBeNull();
  });

  it("asks who came for a rating, for two weeks, until it is given", () => {
    const came = (id: string) => ({ plan_members: [sampleMember(id, { rsvp: "going" })] });
    expect(next(confirmed(-30, -28, came("ben")), "ben", false)).toBe("rate");
    expect(next(confirmed(-30, -28, came("ben")))).toBeNull();
    expect(next(confirmed(-30, -28), "ben", false)).toBeNull();
    expect(next(confirmed(-24 * 15, -24 * 14, came("ben")), "ben", false)).toBeNull();
  });

  it("asks for an answer once it is confirmed, unless the vote has given it, and on the day to set out", () => {
    const yes = (of: Plan) => withVotes(of, "ben", { time: "yes" }, {});
    expect(next(confirmed(24, 26))).toBe("rsvp");
    expect(next(yes(confirmed(24, 26)))).toBeNull();
    expect(next(yes(confirmed(24, 26, { moved_from_time_id: "before" })))).toBe("rsvp");
    expect(next(yes(confirmed(3, 5)))).toBe("set_out");
    expect(next(confirmed(24, 26, { chosen_place_id: null }), "ana")).toBe("place");
  });

  it("is not asked by a card that is older than the end of the vote", () => {
    const closed = cardOf(plan(24, 26, { vote_deadline: hours(-1) }), "ben", "times");
    expect([waitsFor(closed, NOW), waitsFor(cardOf(plan(24, 26), "ben", "times"), NOW)]).toEqual([
      null,
      "times",
    ]);
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
      sampleMember("ben", { answered_at: hours(-1), times_answered: true }),
      sampleMember("dev", { answered_at: hours(-1), times_answered: true, places_answered: true }),
    ];
    const hidden = plan(24, 26, { plan_members: people, results_hidden: true });
    const waited = ([undefined, "times", "places"] as const).map((question) =>
      waitedFor(hidden, NOW, question).map((one) => one.user_id),
    );
    expect(waited).toEqual([["ana", "ben"], ["ana"], ["ana", "ben"]]);
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
      answered.map((one) => cardOf(one, "ben", nextOf(one, "ben", NOW))),
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
