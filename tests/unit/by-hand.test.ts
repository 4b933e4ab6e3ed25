/** Tests the estimate of seconds by hand (tests/e2e/by-hand.ts). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { operators, reportOf, secondsByHand, type Task } from "../e2e/by-hand.ts";

const nothing: Task = { taps: 0, fields: 0, keystrokes: 0, screens: 0 };

test("each operator counts as often as it is done", () => {
  expect(secondsByHand(nothing).total).toBe(0);
  expect(secondsByHand({ ...nothing, taps: 1 }).total).toBeCloseTo(1.35 + 1.1 + 0.2, 6);
  expect(secondsByHand({ ...nothing, fields: 2 }).total).toBeCloseTo(2 * (1.35 + 1.1 + 0.2), 6);
  expect(secondsByHand({ ...nothing, keystrokes: 29 * 5 }).total).toBeCloseTo(60, 6);
  expect(secondsByHand({ ...nothing, screens: 3 }).total).toBe(9);
});

test("the parts add up, and a task that does more never takes less", () => {
  const count = fc.nat(50);
  const task = fc.record({ taps: count, fields: count, keystrokes: count, screens: count });
  fc.assert(
    fc.property(task, task, (one, more) => {
      const { tapping, typing, reading, total } = secondsByHand(one);
      expect(tapping + typing + reading).toBeCloseTo(total, 6);
      const both = secondsByHand({
        taps: one.taps + more.taps,
        fields: one.fields + more.fields,
        keystrokes: one.keystrokes + more.keystrokes,
        screens: one.screens + more.screens,
      });
      expect(both.total).toBeGreaterThanOrEqual(total);
      expect(both.total).toBeCloseTo(total + secondsByHand(more).total, 6);
    }),
  );
});

test("the report names each part, and the app's own time apart from them", () => {
  const seconds = secondsByHand({ taps: 4, fields: 2, keystrokes: 14, screens: 4 });
  expect(reportOf(seconds, 1240)).toBe(
    "33.7 s by hand: 15.9 s tapping, 5.8 s typing, 12.0 s reading; the app took 1.2 s in this run",
  );
  expect(operators.key).toBeCloseTo(0.41, 2);
});
