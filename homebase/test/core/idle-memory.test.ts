/** Memory after a burst goes back to the system. */
import { expect, test } from "vitest";
import { releaseMemory } from "../../src/core/idle-memory.ts";

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
