/** What commands write stays in the repository, links resolved, also those to nothing. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { writeEnvFile } from "../../src/cli/project/env-file.ts";
import { loadConfig } from "../../src/config/config.ts";
import { PathLeaves, staysWithin, writeProjectFile } from "../../src/config/project-paths.ts";
import { migrationOf, writeMigration } from "../../src/tools/history/files.ts";

let root: string;
let project: string;
let outside: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "homebase-paths-"));
  project = join(root, "project");
  outside = join(root, "outside");
  mkdirSync(join(project, "supabase/migrations"), { recursive: true });
  mkdirSync(join(project, "supabase/tests"));
  mkdirSync(outside);
});
afterEach(() => rmSync(root, { recursive: true }));

const link = (target: string, path: string) => symlinkSync(target, join(project, path));

test("links to nothing, in a row and below folders are followed by name", () => {
  link(join(outside, "absent"), "one");
  link("one", "two");
  link("../outside", "folder");
  link("supabase/absent", "inner");
  link("round", "round");
  const stays = (path: string) => staysWithin(project, join(project, path));
  expect(["one", "two", "folder/x", "folder/x/y", "round"].map(stays)).toEqual(Array(5).fill(false));
  expect(["inner", "inner/x", "absent/x", "supabase"].map(stays)).toEqual(Array(4).fill(true));
});

test.each(["there", "absent"])(
  "a migration, .env.local and a file are not written through a link to what is %s",
  (name) => {
    const target = join(outside, name);
    if (name === "there") writeProjectFile(outside, target, "kept");
    const config = loadConfig({ from: project, environment: {} });
    const migration = migrationOf(config, "20260101000000", "remote", "select 1;\n");
    link(target, migration.path);
    link(target, ".env.local");
    link(target, "file");
    expect(() => writeMigration(config, migration)).toThrow(PathLeaves);
    expect(() => writeEnvFile(project, "http://127.0.0.1:1", "key")).toThrow(PathLeaves);
    expect(() => writeProjectFile(project, "file", "x")).toThrow(PathLeaves);
    expect(existsSync(target) && readFileSync(target, "utf8")).toBe(name === "there" && "kept");
  },
);

test("test new and init write nothing through a link", async () => {
  link(join(outside, "absent"), "supabase/tests/made_test.sql");
  expect(await main(["test", "new", "made", "--workdir", project])).toBe(1);
  rmSync(join(project, "supabase"), { recursive: true });
  link(outside, "supabase");
  expect(await main(["init", "--workdir", project])).toBe(1);
  expect(readdirSync(outside)).toEqual([]);
});

/** Commands that write a file by another way, with the reason. */
const WRITERS: Record<string, string> = {
  "cli/database/dump.ts": "to the file that the user has named",
  "cli/copy/pull.ts": "in the signed .homebase",
  "cli/policies/coverage.ts": "to the file that the user has named",
  "tools/mutation.ts": "in the signed .homebase",
  "config/project-paths.ts": "implements it",
};

test("every file that a command writes in a project goes this way", () => {
  const source = join(import.meta.dirname, "../../src");
  const found = ["cli", "tools", "config", "deploy", "typegen"].flatMap((folder) =>
    readdirSync(join(source, folder), { recursive: true, encoding: "utf8" })
      .map((file) => `${folder}/${file}`)
      .filter((file) => file.endsWith(".ts"))
      .filter((file) =>
        /\b(?:writeFile(?:Sync)?|createWriteStream|appendFile(?:Sync)?|copyFile(?:Sync)?|cpSync)\(/.test(
          readFileSync(join(source, file), "utf8"),
        ),
      ),
  );
  expect(found.filter((file) => !Object.hasOwn(WRITERS, file))).toEqual([]);
});
