/**
 * Owns: when a place is open. Pure; used by the browser and by the functions. The database has the same rule
 * as private.place_open_during, which confirm_plan uses.
 */

/** One weekly interval in the place's own zone. `closes` at or before `opens` means after midnight. */
export interface Interval {
  /** ISO weekday, 1 is Monday. */
  weekday: number;
  /** "HH:MM" or "HH:MM:SS", 24 hours. */
  opens: string;
  closes: string;
}

const DAY_MINUTES = 24 * 60;

/**
 * Whether a place is open from `startsAt` to `endsAt` (ISO 8601 instants). Intervals that touch or overlap are
 * one. Null when no hours are known, which is not the same as closed.
 */
export function openDuring(
  hours: readonly Interval[],
  timeZone: string,
  startsAt: string,
  endsAt: string,
): boolean | null {
  if (hours.length === 0) return null;
  return openBetween(hours, wallClock(startsAt, timeZone), wallClock(endsAt, timeZone));
}

/** As openDuring, for local times that are already computed, because Intl is expensive. */
export function openBetween(hours: readonly Interval[], start: WallClock, end: WallClock): boolean | null {
  if (hours.length === 0) return null;
  const until = closesAt(hours, start, Math.max(end.day, start.day));
  return until > start.minute && end.minute <= until;
}

/** When a place closes next: the clock ("HH:MM"), and the number of days after the requested day. */
export interface Until {
  clock: string;
  days: number;
}

/**
 * When a place that is open at `at` (ISO 8601 instant) closes next, by the same rule as openDuring; "always"
 * if it never closes, null if it is closed or its hours are not known.
 */
export function openUntil(hours: readonly Interval[], timeZone: string, at: string): Until | "always" | null {
  const start = wallClock(at, timeZone);
  const until = closesAt(hours, start, start.day + 7);
  if (until <= start.minute) return null;
  // A week without a gap repeats.
  if (until >= start.minute + 7 * DAY_MINUTES) return "always";
  const [hour, minute] = [Math.floor((until % DAY_MINUTES) / 60), until % 60];
  return {
    clock: `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`,
    days: Math.floor(until / DAY_MINUTES) - start.day,
  };
}

/**
 * The end of uninterrupted opening from `start`, in minutes of the local clock, considering intervals that
 * begin up to `lastDay`; not after `start` if it is closed then.
 */
function closesAt(hours: readonly Interval[], start: WallClock, lastDay: number): number {
  const spans: { opens: number; closes: number }[] = [];
  // An interval of the previous day may cross midnight.
  for (let day = start.day - 1; day <= lastDay; day += 1) {
    for (const interval of hours) if (interval.weekday === isoWeekday(day)) spans.push(spanOf(interval, day));
  }
  spans.sort((a, b) => a.opens - b.opens);
  // Spans that touch or overlap are one.
  let until = -Infinity;
  for (const { opens, closes } of spans) {
    if (opens > start.minute && opens > until) break;
    if (closes > start.minute || until > start.minute) until = Math.max(until, closes);
  }
  return until;
}

/** An interval on a day, in minutes of the local clock since 1970-01-01. */
function spanOf(interval: Interval, day: number): { opens: number; closes: number } {
  const opens = day * DAY_MINUTES + minutesOf(interval.opens);
  const closes = day * DAY_MINUTES + minutesOf(interval.closes);
  return { opens, closes: closes <= opens ? closes + DAY_MINUTES : closes };
}

/** Minutes since midnight of a clock's "HH:MM". */
export function minutesOf(clock: string): number {
  const [hour = 0, minute = 0] = clock.split(":").map(Number);
  return hour * 60 + minute;
}

/** The local time in a zone as whole days since 1970-01-01 and minutes since midnight. */
export interface WallClock {
  day: number;
  minute: number;
}

export function wallClock(instant: string, timeZone: string): WallClock {
  const parts: Record<string, number> = {};
  for (const part of formatter(timeZone).formatToParts(new Date(instant))) {
    parts[part.type] = Number(part.value);
  }
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  const local = Date.UTC(year, month - 1, day, hour, minute) / 60_000;
  return { day: Math.floor(local / DAY_MINUTES), minute: local };
}

/** 1970-01-01 was a Thursday. */
function isoWeekday(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

// Cached: creating a formatter costs more than using it, and ranking needs hundreds of local times.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(timeZone: string): Intl.DateTimeFormat {
  let found = formatters.get(timeZone);
  if (!found) {
    found = new Intl.DateTimeFormat("en-GB", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
    });
    formatters.set(timeZone, found);
  }
  return found;
}
