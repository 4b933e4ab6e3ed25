/** The restarts after unexpected errors: growing pauses within a row, none lost, never two at once. */
import { expect, test } from "vitest";
import { restarter } from "../../src/cli/kit/restarts.ts";
import { createLog, type LogEntry } from "../../src/core/log.ts";

/** A clock that a pause moves on. */
function rig(restart: (count: number) => void = () => {}) {
  const pauses: number[] = [];
  const entries: LogEntry[] = [];
  let now = 0;
  let count = 0;
  const time = {
    now: () => now,
    pause: async (milliseconds: number) => {
      pauses.push(milliseconds);
      now += milliseconds;
    },
  };
  const caught = restarter(
    createLog("test", (entry) => entries.push(entry)),
    async () => restart(++count),
    time,
  );
  const idle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    pauses,
    entries,
    caught,
    idle,
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
    count: () => count,
  };
}

test("the pauses of a row grow to half a minute, and a quiet minute ends the row", async () => {
  const { pauses, caught, idle, wait } = rig();
  for (let error = 0; error < 8; error += 1) {
    caught(new Error("boom"));
    await idle();
  }
  expect(pauses).toEqual([0, 1_000, 2_000, 5_000, 15_000, 30_000, 30_000, 30_000]);
  wait(60_001);
  caught(new Error("boom"));
  await idle();
  expect(pauses.at(-1)).toBe(0);
});

test("an error during a restart leads to one more, whatever their number", async () => {
  const errors = rig((count) => {
    if (count === 1) for (let at = 0; at < 3; at += 1) errors.caught(new Error("again"));
  });
  errors.caught(new Error("boom"));
  await errors.idle();
  expect([errors.count(), errors.pauses]).toEqual([2, [0, 1_000]]);
});

test("a restart that fails is tried again after the next pause", async () => {
  const failing = rig((count) => {
    if (count < 4) throw new Error("the port is in use");
  });
  failing.caught(new Error("boom"));
  await failing.idle();
  expect([failing.count(), failing.pauses]).toEqual([4, [0, 1_000, 2_000, 5_000]]);
  expect(failing.entries.map(({ message }) => message.split(/[;.]/)[0])).toEqual([
    "An unexpected error",
    ...Array(3).fill("The restart failed"),
    "Restarted after an unexpected error",
  ]);
});
