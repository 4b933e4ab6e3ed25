/** Folders that belong to this user: created, repaired, or refused when they belong to another. */
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { privateFolder, UnsafeFolder } from "../../src/core/private-folder.ts";

let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "homebase-private-"));
  folder = join(parent, "own");
});
afterEach(() => rmSync(parent, { recursive: true }));

const asRoot = process.getuid?.() === 0;

test("a new folder, and one of our own that was open, are for us alone", () => {
  privateFolder(folder);
  expect(lstatSync(folder).mode & 0o777).toBe(0o700);
  chmodSync(folder, 0o777);
  privateFolder(folder);
  expect(lstatSync(folder).mode & 0o777).toBe(0o700);
});

test("a link is refused, wherever it leads, and so is a file", () => {
  mkdirSync(join(parent, "elsewhere"));
  symlinkSync(join(parent, "elsewhere"), folder);
  expect(() => privateFolder(folder)).toThrow(UnsafeFolder);
  rmSync(folder);
  writeFileSync(folder, "");
  expect(() => privateFolder(folder)).toThrow(/is no folder/);
});

test.skipIf(!asRoot)("another user's folder is refused, and untouched (needs root)", () => {
  mkdirSync(folder, { mode: 0o755 });
  chownSync(folder, 65_534, 65_534);
  expect(() => privateFolder(folder)).toThrow(/belongs to another user \(uid 65534\)/);
  expect(lstatSync(folder).mode & 0o777).toBe(0o755);
});
