/**
 * Owns: parsing OpenStreetMap's opening hours ("Mo-Fr 12:00-15:00,19:00-23:00; Sa 19:00-02:00; Su off") to
 * weekly intervals. Only purely weekly hours are supported; months, dates, sunrise and the like make the
 * result unknown, because partly understood hours would send people to a closed door.
 */
import type { Interval } from "../ranking/hours.ts";

const DAYS = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];

/** The week's intervals, or null when they are not purely weekly. */
export function readOpeningHours(text: string): Interval[] | null {
  const week = new Map<number, Interval[]>();
  const rules = text
    .split(";")
    .map((rule) => rule.trim())
    .filter((rule) => rule !== "");
  if (rules.length === 0) return null;
  for (const rule of rules) {
    if (rule === "24/7") {
      for (let weekday = 1; weekday <= 7; weekday += 1) {
        week.set(weekday, [{ weekday, opens: "00:00", closes: "00:00" }]);
      }
      continue;
    }
    const [, before = "", after = ""] = /^([A-Za-z,\- ]*?)\s*((?:\d|off|closed).*)$/.exec(rule) ?? [];
    // Public holidays are not part of a week; the other days' hours still apply.
    const named = before
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "PH" && part !== "SH");
    if (before !== "" && named.length === 0) continue;
    const days = before === "" ? [1, 2, 3, 4, 5, 6, 7] : daysOf(named);
    if (!days || after === "") return null;
    const spans = /^(off|closed)$/.test(after) ? [] : spansOf(after);
    if (!spans) return null;
    // In this format a later rule replaces an earlier one for its days.
    for (const weekday of days) {
      week.set(
        weekday,
        spans.map(([opens, closes]) => ({ weekday, opens, closes })),
      );
    }
  }
  return [...week.entries()].sort(([a], [b]) => a - b).flatMap(([, intervals]) => intervals);
}

function daysOf(parts: readonly string[]): number[] | null {
  const days: number[] = [];
  for (const part of parts) {
    const [from, to = from] = part.split("-").map((day) => DAYS.indexOf(day.trim()));
    if (from === undefined || to === undefined || from < 0 || to < 0) return null;
    for (let day = from; ; day = (day + 1) % 7) {
      days.push(day + 1);
      if (day === to) break;
    }
  }
  return days;
}

function spansOf(text: string): [string, string][] | null {
  const spans: [string, string][] = [];
  for (const part of text.split(",")) {
    const [, opens, closes] = /^\s*(\d{1,2}:\d{2})\s*-\s*(\d{1,2}:\d{2})\s*$/.exec(part) ?? [];
    const [from, to] = [clock(opens), clock(closes)];
    if (!from || !to) return null;
    spans.push([from, to]);
  }
  return spans;
}

/** "HH:MM", with 24:00 and later as the hours after midnight. */
function clock(text: string | undefined): string | null {
  const [hours = Number.NaN, minutes = Number.NaN] = (text ?? "").split(":").map(Number);
  if (!(hours >= 0 && hours <= 28 && minutes >= 0 && minutes < 60)) return null;
  return `${String(hours % 24).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
}
