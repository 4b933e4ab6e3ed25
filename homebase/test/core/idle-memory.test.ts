/** Memory after a burst goes back to the system. */
import { expect, test } from "vitest";
import { holdsUnused, releaseMemory } from "../../src/core/idle-memory.ts";

test("releasing memory gives free pages of the heap back", () => {
  let burst: unknown[] | undefined = Array.from({ length: 400_000 }, (_, index) => ({
    index,
    text: `${index}`,
  }));
  const full = process.memoryUsage().heapTotal;
  expect(burst.length).toBe(400_000);
  burst = undefined;
  releaseMemory();
  const { heapTotal, heapUsed } = process.memoryUsage();
  expect(heapTotal).toBeLessThan(full - 20 * 1024 ** 2);
  expect(heapTotal - heapUsed).toBeLessThan(16 * 1024 ** 2);
});

test("bytes of bodies count, which are outside of the heap", () => {
  const MB = 1024 ** 2;
  const idle = { heapTotal: 30 * MB, heapUsed: 28 * MB, rss: 110 * MB };
  expect(holdsUnused(idle, idle.rss, 24 * MB)).toBe(false);
  expect(holdsUnused({ ...idle, rss: idle.rss + 80 * MB }, idle.rss, 24 * MB)).toBe(true);
  expect(holdsUnused({ ...idle, heapTotal: 60 * MB }, idle.rss, 24 * MB)).toBe(true);
});

test("bodies that nobody holds any more are released, though the heap is small", () => {
  let bodies: Buffer[] | undefined = Array.from({ length: 16 }, () => Buffer.alloc(5 * 1024 ** 2, 1));
  expect(bodies.length).toBe(16);
  const { arrayBuffers } = process.memoryUsage();
  bodies = undefined;
  releaseMemory();
  expect(process.memoryUsage().arrayBuffers).toBeLessThan(arrayBuffers - 70 * 1024 ** 2);
});
