/**
 * Owns: formatting and parsing times. Every function takes the zone (IANA name) and, where "now" matters, the
 * instant, and depends only on these and the locale. Instants are ISO 8601 strings.
 */
import { locale } from "./i18n/language.ts";
import { timeWords } from "./words.ts";

const cache = new Map<string, Intl.DateTimeFormat>();

function formatter(of: string, zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${of} ${zone} ${JSON.stringify(options)}`;
  let known = cache.get(key);
  if (!known) {
    known = new Intl.DateTimeFormat(of, { timeZone: zone, calendar: "gregory", ...options });
    cache.set(key, known);
  }
  return known;
}

function format(instant: string | number, zone: string, options: Intl.DateTimeFormatOptions): string {
  return formatter(locale(), zone, options).format(new Date(instant));
}

/** In the locale's format: "19:30", "7:30 pm". */
export function clockOf(instant: string, zone: string): string {
  return format(instant, zone, clockOptions());
}

/** Where the day has twelve hours twice, nobody writes "07:30 PM". */
function clockOptions(): Intl.DateTimeFormatOptions {
  const { hour12 } = formatter(locale(), "UTC", { hour: "numeric" }).resolvedOptions();
  return { hour: hour12 ? "numeric" : "2-digit", minute: "2-digit" };
}

/** Two clock times to be joined by a dash: "19:30" and "22:00", "7:30" and "10:00 PM". */
export function spanOf(startsAt: string, endsAt: string, zone: string): [from: string, until: string] {
  const [from, until] = [startsAt, endsAt].map((instant) =>
    formatter(locale(), zone, clockOptions()).formatToParts(new Date(instant)),
  );
  const period = (parts: Intl.DateTimeFormatPart[] = []) =>
    parts.find(({ type }) => type === "dayPeriod")?.value;
  const once = period(from) === period(until);
  const text = (parts: Intl.DateTimeFormatPart[] = [], whole: boolean) =>
    parts
      .map(({ type, value }) => (type === "dayPeriod" && !whole ? "" : value))
      .join("")
      .trim();
  return [text(from, !once), text(until, true)];
}

/** "19:30" in every locale, for a form's time input and a map's link. */
export function wallClockOf(instant: string | number, zone: string): string {
  return formatter("en-GB", zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(
    new Date(instant),
  );
}

/** "Fri 27 Nov" */
export function dayOf(instant: string, zone: string): string {
  return format(instant, zone, { weekday: "short", day: "numeric", month: "short" }).replace(",", "");
}

/** The parts of a calendar leaf: { weekday: "Fri", day: "27", month: "Nov" }. */
export function leafOf(instant: string, zone: string): { weekday: string; day: string; month: string } {
  return {
    weekday: format(instant, zone, { weekday: "short" }),
    day: format(instant, zone, { day: "numeric" }),
    month: format(instant, zone, { month: "short" }),
  };
}

/** "2026-11-27", the local date in the zone. */
export function dateOf(instant: string | number, zone: string): string {
  return formatter("en-CA", zone, {}).format(new Date(instant));
}

/** A readable time: "Fri 27 Nov, 19:30", with "yours 14:30" (and the day, if it differs) for another zone. */
export function formatTime(instant: string, zone: string, viewerZone: string): string {
  const there = `${dayOf(instant, zone)}, ${clockOf(instant, zone)}`;
  const yours = yourTime(instant, zone, viewerZone);
  return yours ? `${there}, ${yours}` : there;
}

/** "yours 14:30", "yours Sat 00:15", or null when the viewer's local time is the same. */
export function yourTime(instant: string, zone: string, viewerZone: string): string | null {
  const mine = otherClock(instant, zone, viewerZone);
  return mine && timeWords().yours(mine);
}

/** The clock of another zone beside a zone's own, with the weekday where that differs: "14:30", "Sat 00:15", or null. */
export function otherClock(instant: string, zone: string, other: string): string | null {
  const clock = clockOf(instant, other);
  if (dateOf(instant, zone) !== dateOf(instant, other))
    return `${format(instant, other, { weekday: "short" })} ${clock}`;
  return clock === clockOf(instant, zone) ? null : clock;
}

/** "2.5 hours", "1 h 45 min", "45 min" */
export function lengthOf(startsAt: string, endsAt: string): string {
  const minutes = Math.round((Date.parse(endsAt) - Date.parse(startsAt)) / 60_000);
  return timeWords().length(Math.floor(minutes / 60), minutes % 60);
}

/** A relative time as people say it: "in 40 min", "tomorrow", "in 5 days", "3 days ago". */
export function formatRelative(instant: string, now: number, zone: string): string {
  const words = timeWords();
  const minutes = Math.round((Date.parse(instant) - now) / 60_000);
  const days = dayNumber(dateOf(instant, zone)) - dayNumber(dateOf(now, zone));
  if (Math.abs(minutes) < 1) return words.now;
  if (Math.abs(minutes) < 60) {
    return minutes > 0 ? words.inMinutes(minutes) : words.minutesAgo(-minutes);
  }
  if (days === 0) {
    const hours = Math.round(Math.abs(minutes) / 60);
    return minutes > 0 ? words.inHours(hours) : words.hoursAgo(hours);
  }
  if (days === 1) return words.tomorrow;
  if (days === -1) return words.yesterday;
  return days > 0 ? words.inDays(days) : words.daysAgo(-days);
}

const NIGHT_ENDS = 5;
const NIGHT_MS = NIGHT_ENDS * 3_600_000;

/** The local part of the day: 0 night, 1 morning, 2 afternoon, 3 evening. */
export function partOfDay(instant: number, zone: string): 0 | 1 | 2 | 3 {
  const hour = Number(wallClockOf(instant, zone).slice(0, 2));
  return hour < NIGHT_ENDS ? 0 : hour < 12 ? 1 : hour < 17 ? 2 : 3;
}

/** "Saturday" */
export function weekdayOf(instant: string | number, zone: string): string {
  return format(instant, zone, { weekday: "long" });
}

/** The weekday that a part of the day is called by: half past midnight on Tuesday is Monday night. */
export function weekdayOfPart(instant: number, zone: string): string {
  return weekdayOf(partOfDay(instant, zone) === 0 ? instant - NIGHT_MS : instant, zone);
}

/** "May", or "May 2025" if the year differs from `now`'s. */
export function monthOf(instant: string, now: number, zone: string): string {
  const other = dateOf(instant, zone).slice(0, 4) !== dateOf(now, zone).slice(0, 4);
  return format(instant, zone, { month: "long", ...(other ? { year: "numeric" } : {}) });
}

/**
 * The instant at which the local time in `zone` is `date` ("2026-11-27") and `clock` ("19:30"). A clock time
 * that daylight saving skips is moved forward by the gap; one that occurs twice means the first.
 */
export function instantOf(date: string, clock: string, zone: string): string {
  const wall = Date.parse(`${date}T${clock}:00Z`);
  // The offset depends on the resulting instant, so both offsets around a change are tried.
  const candidates = [wall - DAY, wall + DAY].map((near) => wall - offsetAt(near, zone));
  const exact = candidates.filter((instant) => instant + offsetAt(instant, zone) === wall);
  const chosen = exact.length > 0 ? Math.min(...exact) : Math.max(...candidates);
  return new Date(chosen).toISOString();
}

const DAY = 86_400_000;

/**
 * The zone's offset from UTC at an instant, in milliseconds. Computed in a fixed locale, because digits and
 * calendars differ.
 */
function offsetAt(instant: number, zone: string): number {
  const parts = formatter("en-GB", zone, {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((each) => each.type === type)?.value ?? 0);
  const wall = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return wall - Math.floor(instant / 1000) * 1000;
}

function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY;
}

/** The city that a zone is called by, as people write it: "Buenos Aires" of "America/Argentina/Buenos_Aires". */
export function cityOf(zone: string): string {
  const city = (zone.split("/").at(-1) ?? zone).replaceAll("_", " ");
  return timeWords().cities[city] ?? city;
}

/** The zone this browser is in. */
export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}
