/** A new plan's deadline: a number of days from now, a chosen day, or none. */
import { expect, test } from "vitest";
import { deadlineOf, usualRules } from "./rules.ts";

const now = Date.parse("2026-11-20T10:00:00Z");

test("without a choice a plan has no deadline", () => {
  expect(deadlineOf(usualRules, "Europe/Lisbon", now)).toBeNull();
});

test("a number of days ends in the evening of that day, where the plan is", () => {
  const [lisbon, kathmandu] = ["Europe/Lisbon", "Asia/Kathmandu"].map((zone) =>
    deadlineOf({ ...usualRules, until: 3 }, zone, now),
  );
  expect(lisbon?.slice(0, 10)).toBe("2026-11-23");
  expect(Date.parse(lisbon ?? "") - Date.parse(kathmandu ?? "")).toBe(5.75 * 3_600_000);
});

test("a chosen day needs a date and a time", () => {
  const exact = { ...usualRules, until: "exact" as const };
  expect(deadlineOf({ ...exact, date: "2026-12-01", clock: "20:00" }, "Asia/Kathmandu", now)).toBe(
    "2026-12-01T14:15:00.000Z",
  );
  expect(deadlineOf(exact, "Europe/Lisbon", now)).toBeNull();
  expect(deadlineOf({ ...exact, date: "2026-12-01", clock: "" }, "Europe/Lisbon", now)).toBeNull();
});
