/** The private tree of Postgres's binaries: laid once, used again while it is whole, and laid again when it is not. */
import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installBinaries, type PostgresBinaries } from "../../src/postgres/cluster/binaries.ts";

let parent: string;
let binaries: PostgresBinaries;
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), "homebase-binaries-"));
  binaries = await installBinaries(parent, true);
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const harms: Record<string, (path: string) => void> = {
  emptied: (path) => truncateSync(path, 0),
  cut: (path) => truncateSync(path, 100),
  deleted: (path) => rmSync(path),
  "a folder": (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};

test("a whole tree is used again", async () => {
  const { ino } = statSync(binaries.postgres);
  expect(await installBinaries(parent, true)).toEqual(binaries);
  expect(statSync(binaries.postgres).ino).toBe(ino);
});

test.each(
  ["bin/postgres", "bin/initdb", "files.json"].flatMap((file) =>
    Object.keys(harms).map((harm) => [file, harm] as const),
  ),
)("%s, %s: the tree is laid again", async (file, harm) => {
  const path = join(binaries.folder, file);
  const { size } = statSync(path);
  harms[harm]?.(path);
  expect(await installBinaries(parent, true)).toEqual(binaries);
  expect(statSync(path).isFile()).toBe(true);
  expect(statSync(path).size).toBe(size);
});
