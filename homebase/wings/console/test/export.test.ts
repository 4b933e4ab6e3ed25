/** Results as text for other programs. */
import { expect, test } from "vitest";
import { csvOf, jsonOf } from "../page/sql/export.ts";

const RESULT = {
  columns: [
    { name: "id", type: "integer" },
    { name: 'a "note"', type: "text" },
  ],
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
