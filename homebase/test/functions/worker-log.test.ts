/** Parsing a function's output: entries, other lines, and output meant to exhaust the memory. */
import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, it } from "vitest";
import { readEntries, type WorkerEntry } from "../../src/functions/worker-log.ts";

const MARK = "#mark ";

async function read(...chunks: string[]): Promise<WorkerEntry[]> {
  const entries: WorkerEntry[] = [];
  const output = Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)),
    { objectMode: false },
  );
  readEntries(output, MARK, "info", (entry) => entries.push(entry));
  await new Promise((resolve) => output.once("close", resolve));
  return entries;
}

it("reads entries with their level and request, and what stands past them, however it is cut into pieces", async () => {
  const text = `before\n${MARK}{"level":"warn","request":"r1"}\none\r\ntwo\n${MARK}\nafter\n${MARK}{"level":"error"}\n${MARK}\nlast`;
  const expected = [
    { text: "before", level: "info", request: undefined },
    { text: "one\ntwo", level: "warn", request: "r1" },
    { text: "after", level: "info", request: undefined },
    { text: "last", level: "info", request: undefined },
  ];
  expect(await read(text)).toEqual(expected);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 10 }), async (cuts) => {
      const at = [0, ...cuts.sort((left, right) => left - right), text.length];
      expect(await read(...at.slice(1).map((end, index) => text.slice(at[index], end)))).toEqual(expected);
    }),
    { seed: 3, numRuns: 50 },
  );
});

it("cuts a message after 10,000 characters, as hosted does: a line without an end, and lines without number", async () => {
  const [line] = await read(...("x".repeat(5_000_000).match(/.{1,65536}/g) ?? []));
  expect(line?.text).toHaveLength(10_000 + "… (cut: a message has 10,000 characters at most)".length);
  const [entry, next] = await read(`${MARK}{"level":"info"}\n`, "line\n".repeat(100_000), `${MARK}\nnext\n`);
  expect(entry?.text.length).toBeLessThan(10_100);
  expect(next?.text).toBe("next");
});

it("takes a forged mark for a line", async () => {
  expect(await read(`${MARK}{"level\n`)).toEqual([
    { text: `${MARK}{"level`, level: "info", request: undefined },
  ]);
});
