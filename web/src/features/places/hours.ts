/** Owns: parsing, formatting and editing a week of opening hours. Pure. */
import { type Interval, minutesOf, openUntil } from "../../../../supabase/functions/_shared/ranking/hours.ts";
import { clockOf, dateOf, wallClockOf } from "../../lib/time.ts";

export const weekdays = [1, 2, 3, 4, 5, 6, 7] as const;

/** One opening on a day, on the place's local clock: "HH:MM". */
export interface Span {
  opens: string;
  closes: string;
}

/** The week as the form has it: the spans of each weekday from Monday. */
export type Week = Span[][];

/** The ISO weekday in a zone: 1 for Monday to 7 for Sunday. */
export function weekdayAt(instant: number, zone: string): number {
  const day = new Date(`${dateOf(instant, zone)}T00:00:00Z`).getUTCDay();
  return day === 0 ? 7 : day;
}

/** The locale's weekday name. 5 January 1970 was a Monday. */
export function weekdayName(weekday: number, format: (instant: number, zone: string) => string): string {
  return format(Date.UTC(1970, 0, 4 + weekday), "UTC");
}

/** "18:00" or "6:00 pm", from "18:00" or "18:00:00". */
export function formatClock(clock: string): string {
  return clockOf(`1970-01-05T${clock.slice(0, 5)}:00Z`, "UTC");
}

/** Whether a span crosses midnight; "00:00" is midnight at the end of the day. */
export function isOvernight({ opens, closes }: Span): boolean {
  return closes.slice(0, 5) !== "00:00" && closes.slice(0, 5) <= opens.slice(0, 5);
}

export function isAllDay({ opens, closes }: Span): boolean {
  return opens.slice(0, 5) === "00:00" && closes.slice(0, 5) === "00:00";
}

export function weekOf(hours: readonly Interval[]): Week {
  return weekdays.map((weekday) =>
    hours
      .filter((interval) => interval.weekday === weekday)
      .map(({ opens, closes }) => ({ opens: opens.slice(0, 5), closes: closes.slice(0, 5) }))
      .toSorted((a, b) => (a.opens < b.opens ? -1 : 1)),
  );
}

export function hoursOf(week: Week): Interval[] {
  return week.flatMap((spans, index) => spans.map((span) => ({ weekday: index + 1, ...span })));
}

const DAY = 24 * 60;
const WEEK = 7 * DAY;

/** The errors of a week: an invalid time, or overlapping openings. Weekday from 1. */
export function problemOf(week: Week): { weekday: number; problem: "not_a_time" | "overlap" } | null {
  const clock = /^([01]\d|2[0-3]):[0-5]\d$/;
  const taken: { from: number; until: number; weekday: number }[] = [];
  for (const { weekday, opens, closes } of hoursOf(week)) {
    if (!clock.test(opens) || !clock.test(closes)) return { weekday, problem: "not_a_time" };
    const from = (weekday - 1) * DAY + minutesOf(opens);
    const length = minutesOf(closes) - minutesOf(opens);
    taken.push({ from, until: from + (length <= 0 ? length + DAY : length), weekday });
  }
  taken.sort((a, b) => a.from - b.from);
  for (const [index, { until }] of taken.entries()) {
    // Sunday night extends into Monday.
    const next = taken[index + 1];
    const first = taken[0];
    if (next && next.from < until) return { weekday: next.weekday, problem: "overlap" };
    if (!next && first && first.from + WEEK < until) return { weekday: first.weekday, problem: "overlap" };
  }
  return null;
}

export type Opening =
  | { state: "unknown" }
  /** When it closes: "HH:MM", and the weekday if that is more than a day ahead. */
  | { state: "open"; until: string; weekday: number | null }
  | { state: "all_day" }
  /** When it opens next: "HH:MM", and the weekday unless that is today. */
  | { state: "closed"; opens: string; weekday: number | null };

/** Whether a place is open at an instant (ms), and when that changes. */
export function openingAt(hours: readonly Interval[], zone: string, now: number): Opening {
  const [some] = hours;
  if (!some) return { state: "unknown" };
  const until = openUntil(hours, zone, new Date(now).toISOString());
  if (until === "always") return { state: "all_day" };
  const today = weekdayAt(now, zone);
  const clock = wallClockOf(now, zone);
  if (until !== null) {
    const far = until.days > 1 || (until.days === 1 && until.clock > clock);
    return { state: "open", until: until.clock, weekday: far ? ((today - 1 + until.days) % 7) + 1 : null };
  }
  const upcoming = hours
    .map(({ weekday, opens }) => {
      const days = (weekday - today + 7) % 7;
      const passed = days === 0 && opens.slice(0, 5) <= clock;
      return { weekday, opens: opens.slice(0, 5), days: passed ? 7 : days };
    })
    .toSorted((a, b) => a.days - b.days || (a.opens < b.opens ? -1 : 1));
  const next = upcoming[0] ?? { weekday: some.weekday, opens: some.opens.slice(0, 5), days: 7 };
  return { state: "closed", opens: next.opens, weekday: next.days === 0 ? null : next.weekday };
}
