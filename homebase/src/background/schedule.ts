/**
 * Owns parsing a pg_cron schedule: five fields in GMT, `$` for the last day of a month, `N seconds`, and the
 * names that start with `@` (pg_cron documentation, "What is pg_cron?").
 */

/** When a job runs. */
export type Schedule =
  | { kind: "interval"; milliseconds: number }
  | { kind: "start" }
  | {
      kind: "calendar";
      minutes: ReadonlySet<number>;
      hours: ReadonlySet<number>;
      /** Days of the month; LAST_DAY is the last one. */
      days: ReadonlySet<number>;
      months: ReadonlySet<number>;
      /** 0 is Sunday. */
      weekdays: ReadonlySet<number>;
      /** Whether days and weekdays are both restricted: then either suffices. */
      either: boolean;
    };

const LAST_DAY = 32;
const MINUTE_MS = 60_000;
// Leap days are at most eight years apart.
const FURTHEST_DAYS = 366 * 9;

const NAMED: Record<string, string> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Parses a schedule that the database has accepted; undefined when it is invalid. */
export function parseSchedule(text: string): Schedule | undefined {
  const trimmed = text.trim().toLowerCase();
  const seconds = /^([1-9]|[1-5]\d)\s+seconds?$/.exec(trimmed);
  if (seconds) return { kind: "interval", milliseconds: Number(seconds[1]) * 1_000 };
  if (trimmed === "@reboot") return { kind: "start" };
  const fields = (NAMED[trimmed] ?? trimmed).split(/\s+/);
  const [minute, hour, day, month, weekday] = fields;
  if (fields.length !== 5 || !minute || !hour || !day || !month || !weekday) return undefined;
  const minutes = readField(minute, 0, 59);
  const hours = readField(hour, 0, 23);
  const days = day === "$" ? new Set([LAST_DAY]) : readField(day, 1, 31);
  const months = readField(month, 1, 12, MONTHS);
  const given = readField(weekday, 0, 7, WEEKDAYS);
  if (!minutes || !hours || !days || !months || !given) return undefined;
  const weekdays = new Set([...given].map((one) => one % 7));
  const either = !day.startsWith("*") && !weekday.startsWith("*");
  return { kind: "calendar", minutes, hours, days, months, weekdays, either };
}

function readField(
  field: string,
  lowest: number,
  highest: number,
  names: string[] = [],
): Set<number> | undefined {
  const values = new Set<number>();
  const number = (text: string) => (/^\d+$/.test(text) ? Number(text) : names.indexOf(text) + lowest);
  for (const part of field.split(",")) {
    const found = /^(?:(\*)|([a-z]+|\d+)(?:-([a-z]+|\d+))?)(?:\/(\d+))?$/.exec(part);
    if (!found) return undefined;
    const [, every, first, last, step] = found;
    const from = every ? lowest : number(first ?? "");
    const to = every ? highest : last !== undefined ? number(last) : step !== undefined ? highest : from;
    const by = step === undefined ? 1 : Number(step);
    if (by === 0 || from < lowest || to > highest || to < from) return undefined;
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return values;
}

/**
 * The first time after `after` at which a schedule is due.
 * @param after milliseconds since the epoch; for an interval, the start of its last run.
 * @returns milliseconds since the epoch; undefined for never.
 */
export function nextDue(schedule: Schedule, after: number): number | undefined {
  if (schedule.kind === "start") return undefined;
  if (schedule.kind === "interval") return after + schedule.milliseconds;
  const start = new Date(Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS);
  for (let passed = 0; passed < FURTHEST_DAYS; passed += 1) {
    const day = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate() + passed));
    if (!onDay(schedule, day)) continue;
    for (const hour of [...schedule.hours].sort(ascending)) {
      for (const minute of [...schedule.minutes].sort(ascending)) {
        const due = day.getTime() + (hour * 60 + minute) * MINUTE_MS;
        if (due >= start.getTime()) return due;
      }
    }
  }
  return undefined;
}

function ascending(left: number, right: number): number {
  return left - right;
}

function onDay(schedule: Extract<Schedule, { kind: "calendar" }>, day: Date): boolean {
  const { days, months, weekdays, either } = schedule;
  if (!months.has(day.getUTCMonth() + 1)) return false;
  const last = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
  const byDay = days.has(day.getUTCDate()) || (days.has(LAST_DAY) && day.getUTCDate() === last);
  const byWeekday = weekdays.has(day.getUTCDay());
  return either ? byDay || byWeekday : byDay && byWeekday;
}
