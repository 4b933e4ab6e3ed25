/** This user's folders outside of projects, and the key that proves what was made here. */
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { ownCode, userCache } from "../../src/core/user-folders.ts";

const parent = mkdtempSync(join(tmpdir(), "homebase-user-"));
let state: string;
let count = 0;
beforeEach(() => {
  state = join(parent, String(count++));
  vi.stubEnv("HOMEBASE_STATE", state);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(parent, { recursive: true });
});

const mode = (path: string) => lstatSync(path).mode & 0o777;

test("a code is the same again, and another one for another use, text or user", () => {
  const code = ownCode("use", "text");
  expect(ownCode("use", "text")).toBe(code);
  expect(
    new Set([code, ownCode("us", "etext"), ownCode("use", "other"), ownCode("other", "text")]).size,
  ).toBe(4);
  vi.stubEnv("HOMEBASE_STATE", `${state}-of-another`);
  expect(ownCode("use", "text")).not.toBe(code);
});

test("nobody else may read the key or write to its folder", () => {
  ownCode("use", "text");
  expect(mode(join(state, "key"))).toBe(0o600);
  expect(mode(state) & 0o022).toBe(0);
});

test.each<[what: string, harm: (key: string) => void]>([
  ["that others may read", (key) => chmodSync(key, 0o644)],
  ["that is cut", (key) => writeFileSync(key, "short")],
  [
    "that is a link",
    (key) => {
      rmSync(key);
      symlinkSync("/dev/zero", key);
    },
  ],
])("a key %s is not used", (_, harm) => {
  mkdirSync(state);
  const key = join(state, "key");
  writeFileSync(key, "x".repeat(32), { mode: 0o600 });
  harm(key);
  expect(() => ownCode("use", "text")).toThrow("Remove it and start again.");
});

test("a folder that the group may write to is closed to it", () => {
  mkdirSync(state);
  chmodSync(state, 0o775);
  ownCode("use", "text");
  expect(mode(state)).toBe(0o755);
});

test.runIf(process.getuid?.() !== 0)("the cache is where the variable says, also behind a link", () => {
  const cache = join(parent, "cache");
  mkdirSync(cache);
  symlinkSync(cache, join(parent, "link"));
  vi.stubEnv("HOMEBASE_CACHE", join(parent, "link"));
  expect(userCache()).toBe(cache);
});

test.runIf(process.getuid?.() === 0)("root's cache is the system's folder, which only root writes to", () => {
  vi.stubEnv("HOMEBASE_CACHE", join(parent, "cache"));
  expect(userCache()).toBe("/var/lib/homebase");
  expect([mode("/var/lib/homebase"), lstatSync("/var/lib/homebase").uid]).toEqual([0o755, 0]);
});
