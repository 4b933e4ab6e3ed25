/** Tests hours.ts. */
import { describe, expect, it } from "vitest";
import { openDuring, openUntil, wallClock } from "./hours.ts";
import { hoursCases } from "./hours_cases.ts";

const friday = [{ weekday: 5, opens: "18:00", closes: "02:00" }];

describe("openDuring", () => {
  it("knows nothing about a place without hours", () => {
    expect(openDuring([], "Europe/Lisbon", "2026-11-27T19:00:00Z", "2026-11-27T20:00:00Z")).toBeNull();
  });

  it("holds a meal that ends exactly at closing time, after midnight", () => {
    expect(openDuring(friday, "Europe/Lisbon", "2026-11-27T23:00:00Z", "2026-11-28T02:00:00Z")).toBe(true);
    expect(openDuring(friday, "Europe/Lisbon", "2026-11-27T23:00:00Z", "2026-11-28T02:01:00Z")).toBe(false);
  });

  it("belongs to the day before when a meal starts after midnight", () => {
    expect(openDuring(friday, "Europe/Lisbon", "2026-11-28T00:30:00Z", "2026-11-28T01:30:00Z")).toBe(true);
    expect(openDuring(friday, "Europe/Lisbon", "2026-11-27T00:30:00Z", "2026-11-27T01:30:00Z")).toBe(false);
  });

  it("reads the clock on the place's own wall: +5:45 and -3:30", () => {
    // 18:00 in Kathmandu is 12:15 UTC; 18:00 in St. John's (winter) is 21:30 UTC.
    expect(openDuring(friday, "Asia/Kathmandu", "2026-11-27T12:15:00Z", "2026-11-27T13:00:00Z")).toBe(true);
    expect(openDuring(friday, "Asia/Kathmandu", "2026-11-27T12:14:00Z", "2026-11-27T13:00:00Z")).toBe(false);
    expect(openDuring(friday, "America/St_Johns", "2026-11-27T21:30:00Z", "2026-11-27T22:00:00Z")).toBe(true);
    expect(openDuring(friday, "America/St_Johns", "2026-11-27T21:29:00Z", "2026-11-27T22:00:00Z")).toBe(
      false,
    );
  });

  it("does not join two intervals with a break between them", () => {
    const split = [
      { weekday: 5, opens: "12:00", closes: "15:30" },
      { weekday: 5, opens: "19:00", closes: "23:30" },
    ];
    expect(openDuring(split, "Europe/Lisbon", "2026-11-27T15:00:00Z", "2026-11-27T19:30:00Z")).toBe(false);
  });
});

describe("openUntil", () => {
  it("gives the end of the interval that is running, or nothing", () => {
    expect(openUntil(friday, "Europe/Lisbon", "2026-11-28T01:00:00Z")).toEqual({ clock: "02:00", days: 0 });
    expect(openUntil(friday, "Europe/Lisbon", "2026-11-27T22:00:00Z")).toEqual({ clock: "02:00", days: 1 });
    expect(openUntil(friday, "Europe/Lisbon", "2026-11-28T02:00:00Z")).toBeNull();
    expect(openUntil([], "Europe/Lisbon", "2026-11-28T02:00:00Z")).toBeNull();
  });

  it.each(hoursCases)("agrees with openDuring: $name", ({ hours, timeZone, startsAt, endsAt, open }) => {
    const until = openUntil(hours, timeZone, startsAt);
    const [start, end] = [wallClock(startsAt, timeZone), wallClock(endsAt, timeZone)];
    const [hour = 0, minute = 0] =
      until === null || until === "always" ? [] : until.clock.split(":").map(Number);
    const closes =
      until === "always"
        ? Infinity
        : until === null
          ? -Infinity
          : (start.day + until.days) * 1440 + hour * 60 + minute;
    expect(end.minute <= closes).toBe(open === true);
  });
});
