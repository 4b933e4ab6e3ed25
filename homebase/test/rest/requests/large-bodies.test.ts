/** Large bodies share a bounded memory: they wait for room in their order, and a slow one gives way. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { LargeBodies } from "../../../src/rest/request/large-bodies.ts";

const MB = 1024 ** 2;
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Takes room for a body, and notes when it has it. */
function body(large: LargeBodies, bytes: number, arriving = false) {
  const place = large.place(() => one.arriving);
  const one = { entered: false, ended: false, release: place.leave, arriving };
  const end = () => {
    one.ended = true;
  };
  void place.admit(bytes, end).then(() => {
    one.entered = true;
  });
  return one;
}
const settled = () => Promise.resolve().then(() => undefined);

test("small sums do not wait; beyond the room the order is kept", async () => {
  const large = new LargeBodies(silentLog);
  const [first, second, third, fourth] = [30, 30, 30, 1].map((size) => body(large, size * MB));
  await settled();
  expect([first, second, third, fourth].map((one) => one?.entered)).toEqual([true, true, false, false]);
  first?.release();
  await settled();
  expect([third?.entered, fourth?.entered]).toEqual([true, true]);
});

test("a body larger than all room is let in alone", async () => {
  const large = new LargeBodies(silentLog);
  const small = body(large, MB);
  const huge = body(large, 99 * MB);
  await settled();
  expect([small.entered, huge.entered]).toEqual([true, false]);
  small.release();
  await settled();
  expect(huge.entered).toBe(true);
});

test("while others wait, what arrives for too long is broken off, and what is being processed is not", async () => {
  const large = new LargeBodies(silentLog);
  const slow = body(large, 30 * MB, true);
  const processed = body(large, 30 * MB);
  await settled();
  vi.advanceTimersByTime(60_000);
  expect(slow.ended).toBe(false);
  const waits = body(large, 60 * MB);
  await settled();
  vi.advanceTimersByTime(30_000);
  expect([slow.ended, processed.ended, waits.entered]).toEqual([true, false, false]);
  slow.release();
  processed.release();
  await settled();
  expect(waits.entered).toBe(true);
});

test("a request that ends while it waits takes no room, also when its turn comes", async () => {
  const large = new LargeBodies(silentLog);
  const [first, left, last] = [60, 60, 60].map((size) => body(large, size * MB));
  await settled();
  left?.release();
  first?.release();
  await settled();
  expect([left?.entered, last?.entered]).toEqual([false, true]);
});
