/** Files that replace others, compared with histories. */
import { expect, test } from "vitest";
import type { Migration } from "../../src/postgres/files/project-files.ts";
import {
  replacedVersions,
  replacements,
  replacesHeader,
} from "../../src/postgres/files/squashed-migrations.ts";

const file = (version: string, sql: string): Migration => ({
  version,
  name: "one",
  path: `supabase/migrations/${version}_one.sql`,
  sql,
});
const baseline = file("3", `${replacesHeader(["1", "2", "3"])}\ncreate table a ();`);
const removed = (files: Migration[], history: string[]) =>
  replacements(files, history).map((one) => [one.migration.version, one.removed]);

test("the header is read back, in as many lines as it needs", () => {
  const versions = Array.from({ length: 63 }, (_, index) => String(20260101000000 + index));
  const header = replacesHeader(versions);
  expect(Math.max(...header.split("\n").map((line) => line.length))).toBeLessThan(130);
  expect(replacedVersions(file("9", `-- A title.\n${header}\nselect 1;`))).toEqual(versions);
  expect(replacedVersions(file("9", header))).toEqual(versions);
});

test("only comments before the first statement count", () => {
  expect(replacedVersions(file("9", "select 1;\n-- homebase: replaces 1 2"))).toEqual([]);
  expect(replacedVersions(file("9", "-- It replaces 1\nselect 1;"))).toEqual([]);
});

test("what is no version is refused with the file's name", () => {
  for (const list of ["1 2x", "", "all"]) {
    expect(() => replacedVersions(file("9", `-- homebase: replaces ${list}\nselect 1;`))).toThrow(/versions/);
  }
});

test("a history with all of them is rewritten, and one without any is not touched", () => {
  expect(removed([baseline], ["1", "2", "3"])).toEqual([["3", ["1", "2"]]]);
  expect(removed([baseline, file("4", "")], ["1", "2", "3", "4"])).toEqual([["3", ["1", "2"]]]);
  expect(removed([baseline], [])).toEqual([]);
  expect(removed([baseline], ["3"])).toEqual([]);
  expect(removed([baseline], ["0", "3", "4"])).toEqual([]);
});

test("a history with only some is refused, and what it lacks is named", () => {
  for (const [history, lacking] of [
    [["1"], "2, 3"],
    [["1", "2"], "3"],
    [["2", "3"], "1"],
    [["1", "3", "4"], "2"],
  ] as const) {
    expect(() => replacements([baseline], history)).toThrow(
      new RegExp(`lacks ${lacking}\\. Nothing was changed\\. Check out the commit before`),
    );
  }
});

test("the parts of one squash stand for the old files together", () => {
  const header = replacesHeader(["1", "2", "3"]);
  const parts = [file("2", `${header}\nselect 1;`), file("3", `${header}\nselect 2;`)];
  expect(removed(parts, ["1", "2", "3"])).toEqual([
    ["2", ["1"]],
    ["3", ["1"]],
  ]);
  expect(removed(parts, ["2", "3"])).toEqual([]);
  expect(() => replacements(parts, ["1", "2"])).toThrow(/lacks 3\./);
});

test("a replaced file that is still there is refused", () => {
  expect(() => replacements([file("1", "select 1;"), baseline], [])).toThrow(
    "supabase/migrations/3_one.sql replaces it: remove one of them.",
  );
});
