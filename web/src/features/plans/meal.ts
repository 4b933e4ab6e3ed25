/** Owns: converting a meal's local clock times in a zone to instants. Pure. */
import { instantOf } from "../../lib/time.ts";

export const DAY_MS = 86_400_000;

/** Start and end as ISO instants; an end at or before the start is on the next day. */
export function mealOn(date: string, from: string, until: string, zone: string): [string, string] {
  return [instantOf(date, from, zone), instantOf(until <= from ? dayAfter(date) : date, until, zone)];
}

/** The date (YYYY-MM-DD) some days after another. */
export function dayAfter(date: string, days = 1): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The clock (HH:MM) some minutes after another, wrapping at midnight. */
export function clockAfter(clock: string, minutes: number): string {
  const [hour = 0, minute = 0] = clock.split(":").map(Number);
  const total = (((hour * 60 + minute + minutes) % 1440) + 1440) % 1440;
  return `${String(Math.floor(total / 60)).padStart(2, "0")}:${String(total % 60).padStart(2, "0")}`;
}
