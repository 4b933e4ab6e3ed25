/**
 * Owns: the cases of "open during a meal" that the database (private.place_open_during) and openDuring both have to
 * pass. Lisbon in November is UTC; 2026-11-27 is a Friday.
 */
import type { Interval } from "./hours.ts";

export interface HoursCase {
  name: string;
  hours: readonly Interval[];
  timeZone: string;
  startsAt: string;
  endsAt: string;
  open: boolean | null;
}

const everyDay = (opens: string, closes: string): Interval[] =>
  [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, opens, closes }));
const fridayNight: Interval[] = [{ weekday: 5, opens: "18:00", closes: "02:00" }];
const split: Interval[] = [
  { weekday: 5, opens: "12:00", closes: "15:30" },
  { weekday: 5, opens: "19:00", closes: "23:30" },
];
const touching: Interval[] = [
  { weekday: 5, opens: "15:30", closes: "23:30" },
  { weekday: 5, opens: "12:00", closes: "15:30" },
];
const overlapping: Interval[] = [
  { weekday: 5, opens: "12:00", closes: "16:00" },
  { weekday: 5, opens: "14:00", closes: "20:00" },
];
const acrossMidnight: Interval[] = [
  { weekday: 5, opens: "18:00", closes: "00:00" },
  { weekday: 6, opens: "00:00", closes: "03:00" },
];
const acrossTheWeek: Interval[] = [
  { weekday: 7, opens: "18:00", closes: "00:00" },
  { weekday: 1, opens: "00:00", closes: "03:00" },
];

function lisbon(
  name: string,
  hours: readonly Interval[],
  startsAt: string,
  endsAt: string,
  open: boolean | null,
): HoursCase {
  return {
    name,
    hours,
    timeZone: "Europe/Lisbon",
    startsAt: `${startsAt}:00Z`,
    endsAt: `${endsAt}:00Z`,
    open,
  };
}

export const hoursCases: readonly HoursCase[] = [
  lisbon("no hours are known", [], "2026-11-27T19:00", "2026-11-27T20:00", null),
  lisbon("inside an interval", fridayNight, "2026-11-27T19:00", "2026-11-27T21:00", true),
  lisbon("before it opens", fridayNight, "2026-11-27T17:59", "2026-11-27T19:00", false),
  lisbon("ends as it closes, after midnight", fridayNight, "2026-11-27T23:00", "2026-11-28T02:00", true),
  lisbon("ends a minute later", fridayNight, "2026-11-27T23:00", "2026-11-28T02:01", false),
  lisbon("begins after midnight", fridayNight, "2026-11-28T00:30", "2026-11-28T01:30", true),
  lisbon("after midnight of the day before", fridayNight, "2026-11-27T00:30", "2026-11-27T01:30", false),
  lisbon("over a break", split, "2026-11-27T15:00", "2026-11-27T19:30", false),
  lisbon("over intervals that touch", touching, "2026-11-27T15:00", "2026-11-27T19:30", true),
  lisbon("over intervals that overlap", overlapping, "2026-11-27T13:00", "2026-11-27T19:00", true),
  lisbon("beyond intervals that overlap", overlapping, "2026-11-27T13:00", "2026-11-27T20:01", false),
  lisbon("touching at midnight", acrossMidnight, "2026-11-27T22:00", "2026-11-28T02:30", true),
  lisbon("beyond what touches at midnight", acrossMidnight, "2026-11-27T22:00", "2026-11-28T03:30", false),
  lisbon("from Sunday into Monday", acrossTheWeek, "2026-11-29T22:00", "2026-11-30T02:00", true),
  lisbon(
    "round the clock, across midnight",
    everyDay("00:00", "00:00"),
    "2026-11-27T22:00",
    "2026-11-28T02:00",
    true,
  ),
  lisbon(
    "round the clock, twelve hours",
    everyDay("00:00", "00:00"),
    "2026-11-27T18:00",
    "2026-11-28T06:00",
    true,
  ),
  lisbon(
    "round the clock, said otherwise",
    everyDay("08:00", "08:00"),
    "2026-11-27T06:00",
    "2026-11-27T10:00",
    true,
  ),
  lisbon(
    "a whole day and none after it",
    [{ weekday: 5, opens: "00:00", closes: "00:00" }],
    "2026-11-27T22:00",
    "2026-11-28T00:01",
    false,
  ),
  lisbon(
    "the last minutes of every day missing",
    everyDay("00:00", "23:59"),
    "2026-11-27T22:00",
    "2026-11-28T02:00",
    false,
  ),
  {
    name: "by the place's own clock, a quarter of an hour off",
    hours: fridayNight,
    timeZone: "Asia/Kathmandu",
    startsAt: "2026-11-27T12:15:00Z",
    endsAt: "2026-11-27T13:00:00Z",
    open: true,
  },
  {
    name: "half an hour west, a minute early",
    hours: fridayNight,
    timeZone: "America/St_Johns",
    startsAt: "2026-11-27T21:29:00Z",
    endsAt: "2026-11-27T22:00:00Z",
    open: false,
  },
  {
    name: "the night in which the clock goes back, by the wall",
    hours: [{ weekday: 7, opens: "00:00", closes: "02:00" }],
    timeZone: "Europe/Lisbon",
    startsAt: "2026-10-25T00:50:00Z",
    endsAt: "2026-10-25T01:05:00Z",
    open: true,
  },
];
