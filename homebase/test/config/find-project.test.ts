/** Which project a folder belongs to: one of its own, one above, one below. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { projectsBelow } from "../../src/config/find-project.ts";

let root: string;
const bare = () => join(root, "examples", "todo");
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "homebase-find-"));
  mkdirSync(join(root, "supabase"));
  writeFileSync(join(root, "supabase", "config.toml"), 'project_id = "above"\n');
  mkdirSync(join(bare(), "supabase", "migrations"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const environment = {};

test("from a folder without config.toml the project with one above it is found, as by the Supabase CLI", () => {
  expect(loadConfig({ from: bare(), environment }).projectFolder).toBe(root);
});

test("a folder that is named is its own project, without config.toml and below another one", () => {
  expect(loadConfig({ named: bare(), environment }).projectFolder).toBe(bare());
  expect(loadConfig({ named: bare(), environment: { SUPABASE_WORKDIR: root } }).projectFolder).toBe(bare());
});

test("a named folder without a project is where the search begins", () => {
  const empty = join(root, "examples");
  expect(loadConfig({ named: empty, environment }).projectFolder).toBe(root);
  rmSync(join(root, "supabase"), { recursive: true });
  expect(loadConfig({ named: empty, environment }).projectFolder).toBe(bare());
});

test("below a package that is called supabase and has a config.toml, its own project is one of two", () => {
  rmSync(join(root, "supabase"), { recursive: true });
  rmSync(join(root, "examples"), { recursive: true });
  const inner = join(root, "packages", "supabase", "supabase");
  mkdirSync(inner, { recursive: true });
  writeFileSync(join(root, "packages", "supabase", "config.toml"), "");
  writeFileSync(join(inner, "config.toml"), "");
  expect(projectsBelow(root)).toEqual([join(root, "packages"), join(root, "packages", "supabase")]);
});
