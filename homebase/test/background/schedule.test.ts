/** Due times of jobs, in GMT, compared with times computed by hand. */
import { expect, it } from "vitest";
import { nextDue, parseSchedule } from "../../src/background/schedule.ts";

function after(schedule: string, from: string): string | undefined {
  const parsed = parseSchedule(schedule);
  if (!parsed) return "no schedule";
  const due = nextDue(parsed, Date.parse(from));
  return due === undefined ? undefined : new Date(due).toISOString().replace(":00.000Z", "Z");
}

it.each([
  ["* * * * *", "2026-11-21T10:30:20Z", "2026-11-21T10:31Z"],
  ["* * * * *", "2026-11-21T10:30:00Z", "2026-11-21T10:31Z"],
  ["*/15 * * * *", "2026-11-21T10:30:20Z", "2026-11-21T10:45Z"],
  ["0 4 * * *", "2026-11-21T10:30:00Z", "2026-11-22T04:00Z"],
  ["30 23 31 12 *", "2026-12-31T23:30:00Z", "2027-12-31T23:30Z"],
  ["0 0 29 2 *", "2026-11-21T00:00:00Z", "2028-02-29T00:00Z"],
  ["0 0 30 2 *", "2026-11-21T00:00:00Z", undefined],
  ["0 12 $ * *", "2026-11-21T00:00:00Z", "2026-11-30T12:00Z"],
  ["0 12 $ 2 *", "2027-12-21T00:00:00Z", "2028-02-29T12:00Z"],
  ["0 9 * * mon-fri", "2026-11-20T09:00:00Z", "2026-11-23T09:00Z"],
  ["0 9 * * 7", "2026-11-21T00:00:00Z", "2026-11-22T09:00Z"],
  ["0 9 1 * sun", "2026-11-21T00:00:00Z", "2026-11-22T09:00Z"],
  ["5,10-12,50/5 8 * jan *", "2026-11-21T00:00:00Z", "2027-01-01T08:05Z"],
  ["5,10-12,50/5 8 * jan *", "2027-01-01T08:12:00Z", "2027-01-01T08:50Z"],
  ["@daily", "2026-11-21T10:30:00Z", "2026-11-22T00:00Z"],
  ["@reboot", "2026-11-21T10:30:00Z", undefined],
])("%s after %s is %s", (schedule, from, expected) => {
  expect(after(schedule, from)).toBe(expected);
});

it("counts seconds from when the last run began", () => {
  const schedule = parseSchedule("30 seconds");
  expect(schedule && nextDue(schedule, 1_000)).toBe(31_000);
});

it.each([
  "",
  "* * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "* * * 13 *",
  "* * * * 8",
  "5-1 * * * *",
  "*/0 * * * *",
  "60 seconds",
  "0 seconds",
  "a * * * *",
  "1- * * * *",
])("%j is no schedule", (schedule) => {
  expect(after(schedule, "2026-11-21T10:30:00Z")).toBe("no schedule");
});
