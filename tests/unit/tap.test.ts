/** Tests reading the output of pgTAP. */
import { expect, test } from "vitest";
import { parseTap } from "../sql/tap.ts";

test("a failed assertion keeps its diagnostics, and other statements' results are not TAP", () => {
  const report = parseTap(["1..2", "ok 1 - first", "not ok 2 - second\n# Failed test 2\n#   have: 1", "7"]);
  expect(report.planned).toBe(2);
  expect(report.assertions).toEqual([
    { number: 1, passed: true, description: "first", diagnostics: [] },
    { number: 2, passed: false, description: "second", diagnostics: ["Failed test 2", "  have: 1"] },
  ]);
});

test("a plan that was not kept is a complaint", () => {
  const report = parseTap(["1..3", "ok 1", "# Looks like you planned 3 tests but ran 1"]);
  expect(report.complaints).toEqual(["Looks like you planned 3 tests but ran 1"]);
});
