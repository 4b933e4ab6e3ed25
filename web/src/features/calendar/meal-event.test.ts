/** Tests meal-event.ts. */
import ical from "ical.js";
import { expect, it } from "vitest";
import { calendarFile, googleLink, type MealEvent, outlookLink } from "./meal-event.ts";

const meal: MealEvent = {
  id: "00000000-0000-4000-8000-0000000000b1",
  title:
    "Soup; bread, and\r\nEND:VEVENT \\ a very long title with ümlauts ünd 🍜 that has to go on in another line",
  startsAt: "2026-11-27T19:30:00+00:00",
  endsAt: "2026-11-27T21:30:00+00:00",
  place: "Momo Sete, Rua 7",
  revision: 3,
  url: "https://nosh.test/plans/00000000-0000-4000-8000-0000000000b1",
};

it("writes a file that a calendar reads back, whatever the title holds", () => {
  const file = calendarFile(meal, "2026-11-20T08:00:00Z");
  const lines = file.split("\r\n");
  expect(lines.every((line) => new TextEncoder().encode(line).length <= 75)).toBe(true);
  const events = new ical.Component(ical.parse(file)).getAllSubcomponents("vevent");
  expect(events).toHaveLength(1);
  const [event] = events.map((one) => new ical.Event(one));
  expect(event?.summary).toBe(meal.title.replace("\r\n", "\n"));
  expect(event?.location).toBe(meal.place);
  expect(event?.startDate.toJSDate().toISOString()).toBe("2026-11-27T19:30:00.000Z");
  expect(event?.endDate.toJSDate().toISOString()).toBe("2026-11-27T21:30:00.000Z");
});

it("updates the entry of a meal whose place was to be decided", () => {
  const open = calendarFile({ ...meal, place: "", revision: 2 }, "2026-11-20T08:00:00Z");
  expect(open).not.toContain("LOCATION");
  const lines = (file: string) => file.split("\r\n").filter((line) => /^(UID|SEQUENCE)/.test(line));
  expect(lines(open)).toEqual([`UID:${meal.id}@nosh`, "SEQUENCE:2"]);
  expect(lines(calendarFile(meal, "2026-11-21T08:00:00Z"))).toEqual([`UID:${meal.id}@nosh`, "SEQUENCE:3"]);
});

it("fills in the calendars on the web", () => {
  const google = new URL(googleLink(meal)).searchParams;
  expect(google.get("dates")).toBe("20261127T193000Z/20261127T213000Z");
  expect(google.get("text")).toBe(meal.title);
  const outlook = new URL(outlookLink(meal)).searchParams;
  expect(outlook.get("startdt")).toBe("2026-11-27T19:30:00.000Z");
  expect(outlook.get("location")).toBe(meal.place);
});
