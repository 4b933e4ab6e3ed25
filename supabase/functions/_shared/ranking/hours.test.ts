import { describe, expect, it } from "vitest";
import { openDuring, openUntil } from "./hours.ts";

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
    expect(openUntil(friday, "Europe/Lisbon", "2026-11-28T01:00:00Z")).toBe("02:00");
    expect(openUntil(friday, "Europe/Lisbon", "2026-11-28T02:00:00Z")).toBeNull();
  });
});
