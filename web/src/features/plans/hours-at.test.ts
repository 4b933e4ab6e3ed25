/** Tests hours-at.ts. */
import { afterEach, describe, expect, it } from "vitest";
import { speak } from "../../lib/i18n/language.ts";
import { closedTimes, hoursAt } from "./hours-at.ts";
import * as placeOptions from "./words/place-options.de.ts";

const ZONE = "Europe/Lisbon";
const time = (day: number, hour: number) => ({
  starts_at: `2026-11-${day}T${hour}:30:00Z`,
  ends_at: `2026-11-${day}T${hour + 1}:30:00Z`,
});
/** Friday noon and evening, Saturday noon and evening, Sunday evening. */
const times = [time(27, 12), time(27, 19), time(28, 12), time(28, 19), time(29, 19)];
const place = (hours: [weekday: number, opens: string, closes: string][]) => ({
  time_zone: ZONE,
  place_hours: hours.map(([weekday, opens, closes]) => ({ weekday, opens, closes })),
});
const [FRI, SAT, SUN] = [5, 6, 7] as const;
const all = (weekday: number) => [weekday, "12:00", "23:00"] as [number, string, string];

const always = place([all(FRI), all(SAT), all(SUN)]);
const notFridayNight = place([[FRI, "12:00", "15:00"], all(SAT), all(SUN)]);
const twoClosed = place([[FRI, "12:00", "15:00"], [SAT, "18:00", "23:00"], all(SUN)]);
const sundayOnly = place([all(SUN)]);
const mondays = place([all(1)]);
const unknown = place([]);

afterEach(() => speak({ language: "en", locale: "en-GB", catalogue: {} }));

describe("the hours at a plan's times", () => {
  it("are said in English", () => {
    expect(hoursAt(unknown, times, ZONE)).toBe("hours unknown");
    expect(hoursAt(always, times, ZONE)).toBe("open at every suggested time");
    expect(hoursAt(notFridayNight, times, ZONE)).toBe("closed Fri 19:30");
    expect(hoursAt(twoClosed, times, ZONE)).toBe("closed Fri 19:30 and Sat 12:30");
    expect(hoursAt(sundayOnly, times, ZONE)).toBe("closed at 4 of 5 times");
    expect(hoursAt(mondays, times, ZONE)).toBe("closed at every suggested time");
    expect(hoursAt(mondays, times.slice(0, 1), ZONE)).toBe("closed then");
  });

  it("are said in German", () => {
    speak({ language: "de", locale: "de-DE", catalogue: placeOptions });
    expect(hoursAt(unknown, times, ZONE)).toBe("Zeiten unbekannt");
    expect(hoursAt(notFridayNight, times, ZONE)).toBe("Fr 19:30 zu");
    expect(hoursAt(twoClosed, times, ZONE)).toBe("Fr 19:30 und Sa 12:30 zu");
    expect(hoursAt(sundayOnly, times, ZONE)).toBe("bei 4 von 5 Terminen zu");
  });

  it("name the date where another time has the same weekday and hour", () => {
    const weekLater = { starts_at: "2026-12-04T19:30:00Z", ends_at: "2026-12-04T20:30:00Z" };
    const closedThen = hoursAt(notFridayNight, [...times, weekLater], ZONE);
    expect(closedThen).toBe("closed Fri 27 Nov 19:30 and Fri 4 Dec 19:30");
  });
});

it("knows at which times a place is closed, on its own clock", () => {
  const evening = { starts_at: "2026-11-27T19:00:00Z", ends_at: "2026-11-27T21:00:00Z" };
  const noon = { starts_at: "2026-11-27T12:00:00Z", ends_at: "2026-11-27T14:00:00Z" };
  const place = {
    time_zone: "Europe/Lisbon",
    place_hours: [{ weekday: 5, opens: "18:00", closes: "02:00" }],
  };
  expect(closedTimes(place, [noon, evening])).toEqual([noon]);
  // In Kathmandu it is 00:45 on Saturday.
  expect(closedTimes({ ...place, time_zone: "Asia/Kathmandu" }, [evening])).toEqual([evening]);
  expect(closedTimes({ ...place, place_hours: [] }, [noon])).toBeNull();
});
