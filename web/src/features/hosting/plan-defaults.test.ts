/** Tests plan-defaults.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dateOf } from "../../lib/time.ts";
import { sampleMember, samplePlan } from "../plans/sample-plan.ts";
import {
  deadlineAt,
  defaultsFrom,
  firstEvenings,
  isOver,
  keyOfTime,
  timesOf,
  upcomingEvenings,
  withTimes,
} from "./plan-defaults.ts";

/** A Wednesday. */
const NOW = Date.parse("2026-11-25T12:00:00Z");
const zones = fc.constantFrom("Europe/Lisbon", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia");
const moments = fc.integer({ min: Date.parse("2026-01-01"), max: Date.parse("2027-12-31") });

describe("evenings", () => {
  it("are the coming Thursdays, Fridays and Saturdays, today's left out", () => {
    expect(upcomingEvenings(NOW, "Europe/Lisbon").map((time) => time.date)).toEqual([
      "2026-11-26",
      "2026-11-27",
      "2026-11-28",
      "2026-12-03",
      "2026-12-04",
      "2026-12-05",
    ]);
    // Friday noon in Lisbon is Friday evening in Kathmandu: neither offers today.
    const friday = Date.parse("2026-11-27T12:00:00Z");
    expect(upcomingEvenings(friday, "Asia/Kathmandu")[0]?.date).toBe("2026-11-28");
    expect(firstEvenings(friday, "Asia/Kathmandu").map((time) => time.date)).toEqual([
      "2026-12-04",
      "2026-12-05",
    ]);
  });

  it("are never over when they are offered, anywhere", () => {
    fc.assert(
      fc.property(moments, zones, (now, zone) => {
        const offered = [...upcomingEvenings(now, zone), ...firstEvenings(now, zone)];
        expect(offered.filter((time) => isOver(time, zone, now))).toEqual([]);
        expect(Date.parse(deadlineAt(1, now, zone))).toBeGreaterThan(now);
      }),
    );
  });
});

describe("timesOf", () => {
  it("has every day at every start, also past midnight", () => {
    expect(timesOf(["2026-11-28", "2026-11-27"], ["22:30", "12:00"], 150)).toEqual([
      { date: "2026-11-27", from: "12:00", until: "14:30" },
      { date: "2026-11-27", from: "22:30", until: "01:00" },
      { date: "2026-11-28", from: "12:00", until: "14:30" },
      { date: "2026-11-28", from: "22:30", until: "01:00" },
    ]);
  });

  it("adds nothing twice", () => {
    const days = fc.uniqueArray(fc.constantFrom("2026-11-27", "2026-11-28", "2026-11-29"));
    const starts = fc.uniqueArray(fc.constantFrom("12:00", "18:00", "19:30"));
    fc.assert(
      fc.property(days, starts, days, (a, clocks, b) => {
        const all = withTimes(timesOf(a, clocks, 90), timesOf(b, clocks, 90));
        const keys = all.map(keyOfTime);
        expect(new Set(keys).size).toBe(keys.length);
        expect(keys).toEqual(keys.toSorted());
        expect(all).toHaveLength(new Set([...a, ...b]).size * clocks.length);
      }),
    );
  });
});

describe("defaults from an earlier plan", () => {
  const place = (id: string, answers: ("yes" | "no")[]) => ({
    id,
    place_id: `${id} place`,
    proposed_by: null,
    place_votes: answers.map((answer, index) => ({ user_id: `u${index}`, answer })),
    places: null,
  });
  const plan = samplePlan({
    circle_id: "circle",
    title: "Momos",
    status: "confirmed",
    chosen_time_id: "t",
    chosen_place_id: "eaten",
    plan_members: [
      sampleMember("ana", { rsvp: "going" }),
      sampleMember("ben", { rsvp: "maybe" }),
      sampleMember("chiara", { rsvp: "declined" }),
    ],
    // Friday 19:30 in Kathmandu.
    time_options: [
      {
        id: "t",
        starts_at: "2026-11-20T13:45:00Z",
        ends_at: "2026-11-20T16:45:00Z",
        proposed_by: null,
        time_votes: [],
      },
    ],
    place_options: [place("eaten", []), place("wanted", ["yes", "yes", "no"]), place("unwanted", ["no"])],
  });
  const ratedOf = (plan_id: string, stars: number) => ({
    plan_id,
    user_id: "ana",
    place_id: "eaten place",
    stars,
    comment: "",
    created_at: "2026-11-20T00:00:00Z",
    ate: [],
    lacked: [],
    eaten_at: null,
  });
  const rated = (stars: number) => [ratedOf("plan", stars), ratedOf("other", 1)];

  it("are the people of the table, also who could not come, the weekday and hour, and the places that were liked", () => {
    const defaults = defaultsFrom(plan, rated(5), "ana", NOW);
    expect(defaults.people).toEqual(["ben", "chiara"]);
    expect(defaults.circle).toBe("circle");
    expect(defaults.times).toEqual([
      { date: "2026-12-04", from: "19:30", until: "22:30" },
      { date: "2026-12-11", from: "19:30", until: "22:30" },
    ]);
    expect(defaults.places).toEqual(["eaten place", "wanted place"]);
  });

  it("leave out a place with a bad rating", () => {
    expect(defaultsFrom(plan, rated(2), "ana", NOW).places).toEqual(["wanted place"]);
  });

  it("have the same weekday in the plan's zone, later than today", () => {
    fc.assert(
      fc.property(moments, zones, (now, zone) => {
        const defaults = defaultsFrom({ ...plan, time_zone: zone }, [], "ana", now);
        const weekday = new Date(`${dateOf("2026-11-20T13:45:00Z", zone)}T00:00:00Z`).getUTCDay();
        for (const time of defaults.times) {
          expect(new Date(`${time.date}T00:00:00Z`).getUTCDay()).toBe(weekday);
          expect(isOver(time, zone, now)).toBe(false);
        }
      }),
    );
  });
});
