/** Which files the commands of psql in a project's files may read. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { readMigrations } from "../../src/postgres/files/project-files.ts";
import { folderForThisFile, writeFiles } from "../for-this-file.ts";

const outer = folderForThisFile("psql-commands", { "secret.sql": "select 'a secret';\n" });
const folder = join(outer, "app");
const migration = "supabase/migrations/20260101000000_a.sql";
writeFiles(folder, { "supabase/config.toml": 'project_id = "p"\n', "supabase/parts/x.sql": "select 1" });
symlinkSync(join(outer, "secret.sql"), join(folder, "supabase", "parts", "link.sql"));

/** The text of a migration as it is run, or why it is not. */
function read(sql: string): string {
  writeFiles(folder, { [migration]: sql });
  try {
    return readMigrations(loadConfig({ from: folder, environment: {} }))[0]?.sql ?? "";
  } catch (error) {
    return (error as Error).message;
  }
}

test.each([
  ["\\i ../secret.sql", /outside of this repository/],
  ["\\i /etc/passwd", /there is no \/etc\/passwd/],
  ["\\i parts/link.sql", /outside of this repository/],
  ["\\copy a from '../secret.sql'", /outside of this repository/],
  ["\\copy a from program 'id'", /which a project's file may not/],
  ["\\i parts/missing.sql", /Line 1: there is no parts\/missing\.sql/],
  ["\\ir 20260101000000_a.sql", /leads to itself/],
])("%s is refused", (command, reason) => {
  expect(read(`${command}\n`)).toMatch(reason);
});

test("what a command names comes in its place, and other commands stay", () => {
  expect(read("select 0;\n\\i parts/x.sql\n\\! id\n")).toBe("select 0;\nselect 1\n;\n\\! id\n");
  expect(read("\\copy a from parts/x.sql csv\n")).toBe("copy a from stdin csv;\nselect 1\n\\.\n\n");
  expect(read("\\copy a from stdin\n1\n\\.\n")).toBe("copy a from stdin;\n1\n\\.\n");
  expect(read("\\COPY a FROM stdin\n1\n\\.\n")).toBe("copy a from stdin;\n1\n\\.\n");
  expect(read("do $$\n\\i parts/x.sql\n$$")).toBe("do $$\n\\i parts/x.sql\n$$");
});
