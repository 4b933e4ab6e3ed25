/** Tests time.ts. */
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { speak } from "./i18n/language.ts";
import {
  cityOf,
  clockOf,
  dateOf,
  formatRelative,
  formatTime,
  instantOf,
  lengthOf,
  otherClock,
  spanOf,
  weekdayOfPart,
} from "./time.ts";

describe("formatTime", () => {
  it("says the table's time, and the viewer's only when it differs", () => {
    const dinner = "2026-11-27T19:30:00Z";
    expect(formatTime(dinner, "Europe/Lisbon", "Europe/London")).toBe("Fri 27 Nov, 19:30");
    expect(formatTime(dinner, "Europe/Lisbon", "America/New_York")).toBe("Fri 27 Nov, 19:30, yours 14:30");
  });

  it("says the viewer's day too when it is another one (+5:45)", () => {
    expect(formatTime("2026-11-27T19:30:00Z", "Europe/Lisbon", "Asia/Kathmandu")).toBe(
      "Fri 27 Nov, 19:30, yours Sat 01:15",
    );
  });

  it("knows half hours west of Greenwich (-2:30 in summer)", () => {
    expect(formatTime("2026-07-03T19:00:00Z", "Europe/Lisbon", "America/St_Johns")).toBe(
      "Fri 3 Jul, 20:00, yours 16:30",
    );
  });
});

it("says a table's clock beside the viewer's, with its day where that is another one", () => {
  const dinner = "2026-11-27T18:30:00Z";
  expect(otherClock(dinner, "Asia/Kathmandu", "Europe/Berlin")).toBe("Fri 19:30");
  expect(otherClock(dinner, "Europe/Lisbon", "Europe/Berlin")).toBe("19:30");
  expect(otherClock(dinner, "Europe/Madrid", "Europe/Berlin")).toBeNull();
});

it("names a zone's city as people write it", () => {
  expect(["Asia/Katmandu", "Europe/Lisbon", "America/Argentina/Buenos_Aires"].map(cityOf)).toEqual([
    "Kathmandu",
    "Lisbon",
    "Buenos Aires",
  ]);
});

describe("clockOf and spanOf", () => {
  afterEach(() => speak({ language: "en", locale: "en-GB", catalogue: {} }));
  const evening = ["2026-11-27T19:30:00Z", "2026-11-27T22:00:00Z"] as const;
  const late = ["2026-11-27T22:00:00Z", "2026-11-28T00:30:00Z"] as const;

  it.each([
    ["en-GB", "19:30", "19:30–22:00", "22:00–00:30"],
    ["en-US", "7:30 PM", "7:30–10:00 PM", "10:00 PM–12:30 AM"],
    ["en-AU", "7:30 pm", "7:30–10:00 pm", "10:00 pm–12:30 am"],
    ["de-DE", "19:30", "19:30–22:00", "22:00–00:30"],
  ] as const)("in %s", (locale, clock, span, over) => {
    speak({ language: "en", locale, catalogue: {} });
    const plain = (text: string) => text.replaceAll("\u202f", " ");
    expect(plain(clockOf(evening[0], "Europe/Lisbon"))).toBe(clock);
    expect(plain(spanOf(...evening, "Europe/Lisbon").join("–"))).toBe(span);
    expect(plain(spanOf(...late, "Europe/Lisbon").join("–"))).toBe(over);
  });
});

describe("instantOf", () => {
  const zones = ["Asia/Kathmandu", "America/St_Johns", "Europe/Lisbon", "Pacific/Chatham", "UTC"];

  it("is the inverse of reading the wall", () => {
    const minutes = fc.integer({ min: Date.UTC(2026, 0, 1) / 60_000, max: Date.UTC(2028, 0, 1) / 60_000 });
    fc.assert(
      fc.property(minutes, fc.constantFrom(...zones), (minute, zone) => {
        const instant = new Date(minute * 60_000).toISOString();
        const [date, clock] = [dateOf(instant, zone), clockOf(instant, zone)];
        const back = instantOf(date, clock, zone);
        expect([dateOf(back, zone), clockOf(back, zone)]).toEqual([date, clock]);
      }),
    );
  });

  it("moves a clock time that daylight saving skips forward", () => {
    // Lisbon, 28 March 2027: 01:00 becomes 02:00.
    expect(instantOf("2027-03-28", "01:30", "Europe/Lisbon")).toBe("2027-03-28T01:30:00.000Z");
    expect(clockOf(instantOf("2027-03-28", "01:30", "Europe/Lisbon"), "Europe/Lisbon")).toBe("02:30");
  });

  it("takes the first of two equal clock times", () => {
    // Lisbon, 25 October 2026: 02:00 becomes 01:00 again.
    expect(instantOf("2026-10-25", "01:30", "Europe/Lisbon")).toBe("2026-10-25T00:30:00.000Z");
  });
});

describe("formatRelative", () => {
  const now = Date.parse("2026-11-27T23:30:00Z");

  it("counts days on the wall of the zone, not in hours", () => {
    expect(formatRelative("2026-11-28T01:00:00Z", now, "Europe/Lisbon")).toBe("tomorrow");
    expect(formatRelative("2026-11-28T01:00:00Z", now, "Asia/Kathmandu")).toBe("in 2 h");
  });

  it("counts minutes when it is close", () => {
    expect(formatRelative("2026-11-27T23:52:00Z", now, "UTC")).toBe("in 22 min");
    expect(formatRelative("2026-11-24T20:00:00Z", now, "UTC")).toBe("3 days ago");
  });
});

it("calls a night by the day that it began on", () => {
  const at = (time: string) => weekdayOfPart(Date.parse(time), "Asia/Kathmandu");
  // 00:30 and 04:59, then 05:00 on Tuesday 24 November, at +5:45.
  expect(["2026-11-23T18:45:00Z", "2026-11-23T23:14:00Z", "2026-11-23T23:15:00Z"].map(at)).toEqual([
    "Monday",
    "Monday",
    "Tuesday",
  ]);
});

describe("lengthOf", () => {
  it("says hours and minutes", () => {
    expect(lengthOf("2026-11-27T19:30:00Z", "2026-11-27T22:00:00Z")).toBe("2.5 hours");
    expect(lengthOf("2026-11-27T19:30:00Z", "2026-11-27T20:15:00Z")).toBe("45 min");
    expect(lengthOf("2026-11-27T19:30:00Z", "2026-11-27T21:30:00Z")).toBe("2 hours");
    expect(lengthOf("2026-11-27T19:30:00Z", "2026-11-27T20:30:00Z")).toBe("1 hour");
    expect(lengthOf("2026-11-27T19:30:00Z", "2026-11-27T21:15:00Z")).toBe("1 h 45 min");
  });
});
