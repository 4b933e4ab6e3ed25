/** Parsing a function's output: entries, other lines, and output meant to exhaust the memory. */
import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, it } from "vitest";
import { readEntries, type WorkerEntry } from "../../src/functions/worker-log.ts";

const MARK = "#mark ";
const OWN = "file:///homebase/runtime/";

async function read(...chunks: string[]): Promise<WorkerEntry[]> {
  const entries: WorkerEntry[] = [];
  const output = Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)),
    { objectMode: false },
  );
  readEntries(output, { mark: MARK, level: "info", own: OWN }, (entry) => entries.push(entry));
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

it("leaves the frames of the stack's own modules and of Deno's out of an error's stack", async () => {
  const stack = [
    "Error: full",
    "    at deep (file:///project/supabase/functions/boom/index.ts:1:54)",
    "    at async file:///project/supabase/functions/boom/index.ts:3:9",
    "    at answer (file:///homebase/runtime/prelude.ts:155:33)",
    "    at file:///homebase/runtime/prelude.ts:168:13",
    "    at async file:///homebase/runtime/prelude.ts:168:13",
    "    at AsyncLocalStorage.run (ext:deno_node/async_hooks.ts:1:1762)",
    "Caused by Error: at file:///homebase/runtime/ nobody was at home",
    "    at ext:core/01_core.js:1:1",
    "    at https://example.com/mod.ts:1:1",
  ];
  const [entry] = await read(`${MARK}{"level":"error"}\n${stack.join("\n")}\n${MARK}\n`);
  expect(entry?.text.split("\n")).toEqual([0, 1, 2, 7, 9].map((at) => stack[at]));
});
