/** Results as text for other programs. */
import { describe, expect, test } from "vitest";
import { csvOf, exported, type Format, jsonOf } from "../page/parts/rows-as-text.ts";

const RESULT = {
  columns: ["id", 'a "note"'],
  rows: [
    ["1", 'two, "three"\nfour'],
    ["2", ""],
    ["3", null],
  ],
};

test("CSV quotes what must be, and tells an empty text from null", () => {
  expect(csvOf(RESULT)).toBe('id,"a ""note"""\r\n1,"two, ""three""\nfour"\r\n2,""\r\n3,');
});

test("JSON has an object a row, with null", () => {
  expect(JSON.parse(jsonOf(RESULT))).toEqual([
    { id: "1", 'a "note"': 'two, "three"\nfour' },
    { id: "2", 'a "note"': "" },
    { id: "3", 'a "note"': null },
  ]);
});

describe("a stream of parts", () => {
  const [one, two, three] = RESULT.rows;
  const PARTS = [[one, two], [three], []].map((rows, at) => ({
    columns: RESULT.columns,
    rows: rows.filter((row) => row !== undefined),
    last: at === 2,
  }));
  const textOf = async (parts: typeof PARTS, format: Format, counts: number[] = []) =>
    (await exported(streamOf(parts), format, (count) => counts.push(count))).join("");

  test("is the same text as all rows at once, and counted meanwhile", async () => {
    const counts: number[] = [];
    expect(await textOf(PARTS, "CSV", counts)).toBe(csvOf(RESULT));
    expect(counts).toEqual([2, 3, 3]);
    expect(await textOf(PARTS, "JSON")).toBe(jsonOf(RESULT));
  });

  test("without rows has the line of names", async () => {
    expect(await textOf(PARTS.slice(2), "CSV")).toBe('id,"a ""note"""');
  });

  test("that breaks off is no text", async () => {
    await expect(textOf(PARTS.slice(0, 2), "CSV")).rejects.toThrow("before its last row");
  });
});

async function* streamOf<T>(parts: readonly T[]): AsyncGenerator<T> {
  yield* parts;
}
