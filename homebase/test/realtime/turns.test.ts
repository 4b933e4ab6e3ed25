/** Whose messages are handled next: nobody's many delay the others, and each one's stay in order. */
import { expect, test } from "vitest";
import { defaultLimits } from "../../src/realtime/kit/limits.ts";
import { Rate } from "../../src/realtime/kit/rate.ts";
import { Turns } from "../../src/realtime/kit/turns.ts";

/** Messages that take `cost` ms each, on a clock and an event loop of the test's own. */
function rig(cost: number) {
  let now = 0;
  const turns: (() => void)[] = [];
  const handled: string[] = [];
  const subject = new Turns(
    (turn) => turns.push(turn),
    () => now,
  );
  const owners = new Map<string, object>();
  const send = (name: string, message: number) => {
    const owner = owners.get(name) ?? {};
    owners.set(name, owner);
    return subject.take(owner, () => {
      now += cost;
      handled.push(`${name}${message}`);
    });
  };
  /** One turn of the loop. @returns how long it took. */
  const turn = () => {
    const [next, began] = [turns.shift(), now];
    next?.();
    return now - began;
  };
  return { subject, send, handled, turn, turns };
}

test("a message that comes alone is handled at once", () => {
  const { send, handled, turn, turns } = rig(1);
  expect(send("a", 1)).toBe(true);
  expect(handled).toEqual(["a1"]);
  turn();
  expect(turns).toEqual([]);
});

test("no turn takes much longer than its time, whoever sends how much", () => {
  const { send, handled, turn, turns } = rig(3);
  for (let message = 1; message <= 100; message += 1) send("a", message);
  while (turns.length > 0) expect(turn()).toBeLessThanOrEqual(12);
  expect(handled).toEqual(Array.from({ length: 100 }, (_, index) => `a${index + 1}`));
});

test("an owner with one message does not wait for another's thousand", () => {
  const { send, handled, turn } = rig(3);
  for (let message = 1; message <= 1_000; message += 1) send("many", message);
  send("one", 1);
  turn();
  turn();
  expect(handled.indexOf("one1")).toBeGreaterThan(0);
  expect(handled.indexOf("one1")).toBeLessThan(10);
});

test("a series ends when its last message is handled", async () => {
  const { subject, handled, turn, turns } = rig(3);
  let done = false;
  const series = Array.from({ length: 20 }, (_, index) => () => void handled.push(`s${index}`));
  const ended = subject.all({}, series).then(() => {
    done = true;
  });
  while (turns.length > 0) turn();
  await ended;
  expect([done, handled.length]).toEqual([true, 20]);
});

test("by default a channel of 100 listeners at 10 messages a second is never over the limit", () => {
  const rate = new Rate(defaultLimits.messagesPerSecond);
  for (let second = 0; second < 600; second += 1) {
    for (let message = 0; message < 10 * (100 + 1); message += 1) {
      if (rate.add(second * 1_000 + Math.floor(message / 1.01))) expect.fail(`over in second ${second}`);
    }
  }
});

test("a rate forgets what is older than a minute", () => {
  const rate = new Rate(10);
  expect(rate.add(0, 600)).toBe(true);
  expect(rate.add(59_000)).toBe(true);
  expect(rate.average(60_000)).toBeCloseTo(1 / 60);
  expect(rate.add(60_500)).toBe(false);
});
