/** Tests hours.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hoursOf, isAllDay, isOvernight, openingAt, problemOf, weekdayAt, weekOf } from "./hours.ts";

const lisbon = "Europe/Lisbon";
/** Wednesday to Sunday, late. */
const late = [3, 4, 5, 6, 7].map((weekday) => ({ weekday, opens: "18:00:00", closes: "02:00:00" }));
const at = (instant: string) => Date.parse(instant);

describe("whether a place is open", () => {
  it("counts the evening that runs past midnight", () => {
    // Saturday 00:30 in Lisbon belongs to Friday's evening.
    expect(openingAt(late, lisbon, at("2026-11-28T00:30:00Z"))).toEqual({
      state: "open",
      until: "02:00",
      weekday: null,
    });
    expect(openingAt(late, lisbon, at("2026-11-28T02:00:00Z"))).toEqual({
      state: "closed",
      opens: "18:00",
      weekday: null,
    });
  });

  it("names the day it opens again, and a week ahead when that is the only one", () => {
    // Monday.
    expect(openingAt(late, lisbon, at("2026-11-23T12:00:00Z"))).toEqual({
      state: "closed",
      opens: "18:00",
      weekday: 3,
    });
    const mondays = [{ weekday: 1, opens: "09:00", closes: "10:00" }];
    expect(openingAt(mondays, lisbon, at("2026-11-23T12:00:00Z"))).toEqual({
      state: "closed",
      opens: "09:00",
      weekday: 1,
    });
  });

  it("goes by the place's clock, a quarter of an hour off and a day ahead", () => {
    const kathmandu = [{ weekday: 6, opens: "01:00", closes: "03:00" }];
    // Friday 19:30 UTC is Saturday 01:15 in Kathmandu.
    expect(weekdayAt(at("2026-11-27T19:30:00Z"), "Asia/Kathmandu")).toBe(6);
    expect(openingAt(kathmandu, "Asia/Kathmandu", at("2026-11-27T19:30:00Z"))).toEqual({
      state: "open",
      until: "03:00",
      weekday: null,
    });
  });

  it("joins what touches across midnight and the week's end, and names the day that is far", () => {
    const touching = [
      { weekday: 7, opens: "18:00", closes: "00:00" },
      { weekday: 1, opens: "00:00", closes: "03:00" },
    ];
    // Sunday evening.
    expect(openingAt(touching, lisbon, at("2026-11-29T22:00:00Z"))).toEqual({
      state: "open",
      until: "03:00",
      weekday: null,
    });
    const weekend = [6, 7].map((weekday) => ({ weekday, opens: "00:00", closes: "00:00" }));
    // Saturday morning: open until midnight at the beginning of Monday.
    expect(openingAt(weekend, lisbon, at("2026-11-28T09:00:00Z"))).toEqual({
      state: "open",
      until: "00:00",
      weekday: 1,
    });
    const noonToNoon = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, opens: "12:00", closes: "12:00" }));
    expect(openingAt(noonToNoon, lisbon, 0)).toEqual({ state: "all_day" });
  });

  it("does not take unknown for closed, nor the whole day for until midnight", () => {
    expect(openingAt([], lisbon, 0)).toEqual({ state: "unknown" });
    const always = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, opens: "00:00", closes: "00:00" }));
    expect(openingAt(always, lisbon, 0)).toEqual({ state: "all_day" });
    expect(isAllDay({ opens: "00:00", closes: "00:00" })).toBe(true);
    expect(isOvernight({ opens: "18:00", closes: "00:00" })).toBe(false);
    expect(isOvernight({ opens: "18:00", closes: "02:00" })).toBe(true);
  });
});

describe("a week that is written down", () => {
  const clock = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`);

  it("comes back as it was", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.tuple(clock, clock)), { minLength: 7, maxLength: 7 }), (days) => {
        const week = days.map((span) => (span ? [{ opens: span[0], closes: span[1] }] : []));
        expect(weekOf(hoursOf(week))).toEqual(week);
      }),
    );
  });

  it("may not be open twice at once, not even across Sunday's midnight", () => {
    const week = (days: Record<number, [string, string][]>) =>
      [1, 2, 3, 4, 5, 6, 7].map((day) => (days[day] ?? []).map(([opens, closes]) => ({ opens, closes })));
    expect(
      problemOf(
        week({
          1: [
            ["12:00", "15:00"],
            ["19:00", "02:00"],
          ],
          2: [["12:00", "15:00"]],
        }),
      ),
    ).toBeNull();
    expect(
      problemOf(
        week({
          1: [
            ["12:00", "15:00"],
            ["14:00", "18:00"],
          ],
        }),
      ),
    ).toEqual({
      weekday: 1,
      problem: "overlap",
    });
    expect(problemOf(week({ 7: [["20:00", "03:00"]], 1: [["02:00", "05:00"]] }))).toEqual({
      weekday: 1,
      problem: "overlap",
    });
    expect(problemOf(week({ 4: [["", "15:00"]] }))).toEqual({ weekday: 4, problem: "not_a_time" });
    // Open all day, every day: each opening ends when the next begins.
    expect(problemOf(week({ 1: [["00:00", "00:00"]], 2: [["00:00", "00:00"]] }))).toBeNull();
  });
});
