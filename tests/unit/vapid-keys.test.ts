/** The development keys, which may be the first thing in the stack's folder. */
import { lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { developmentKeys } from "../../scripts/vapid-keys.ts";

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "nosh-keys-"));
});
afterEach(() => rmSync(project, { recursive: true }));

test("the folder that the keys are made in can be traversed by Postgres's user, and the keys cannot be read", () => {
  const keys = developmentKeys(project);
  const modeOf = (...path: string[]) => lstatSync(join(project, ".homebase", ...path)).mode & 0o777;
  // For root, Postgres runs as another user, and its data is in this folder.
  expect(modeOf() & 0o011).toBe(0o011 & ~process.umask());
  expect(modeOf("push-keys.json")).toBe(0o600);
  expect(developmentKeys(project)).toEqual(keys);
});
