/**
 * The history tables after a start, as version 3.1 of the Supabase CLI writes them for the same files with
 * `db push --include-seed`: a later push finds nothing to do.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";

const folder = mkdtempSync(join(tmpdir(), "homebase-history-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** @returns the new project's folder */
function write(files: Record<string, string>): string {
  const project = mkdtempSync(join(folder, "project-"));
  for (const [path, text] of Object.entries({ "config.toml": 'project_id = "history"\n', ...files })) {
    const file = join(project, "supabase", path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text);
  }
  return project;
}

test("versions, names, statements and seeds are recorded as the Supabase CLI records them", async () => {
  const project = write({
    "migrations/1_one.sql": "create table c (id int);",
    "migrations/2024_short.sql": "create table b (id int);",
    "migrations/20240101000000_first.sql": "create table a (id int);\n-- end\n",
    "migrations/20240102000000_comment.sql": "-- only a comment\n",
    "migrations/20240103000000_empty.sql": "",
    "migrations/20240104000000_several-things.sql":
      "select 1; select 2;;\n\n/* x */ ; create function f() returns int language sql as $$ select 1; $$;",
    "migrations/20240105000000_.sql": "create table d (id int);",
    "migrations/20240106000000_a.b.sql.sql": "create table e (id int);",
    "migrations/20240109000000_bom.sql":
      "\uFEFFcreate table bom (id int);\r\ninsert into bom values (1);\r\n",
    "migrations/20240110000000_alone.sql":
      "create type k as enum ('a');\nalter type k add value 'b';\ncreate index concurrently i on a (id);",
    "migrations/99999999999999_after.sql": "create table trail (id int);",
    "migrations/20240107000000.sql": "not a migration",
    "migrations/abc_20240107.sql": "not a migration",
    "migrations/notes.sql": "not a migration",
    "migrations/README.md": "not a migration",
    "migrations/20240108000000_folder.sql/x.sql": "not a migration",
    "seed.sql": "insert into a values (1);",
  });
  await using backend = await createBackend({ projectFolder: project });
  const history = await backend.sql(
    "select version, name, statements from supabase_migrations.schema_migrations order by version",
  );
  expect(history.map(({ version, name, statements }) => [version, name, statements])).toEqual([
    ["1", "one", ["create table c (id int)"]],
    ["2024", "short", ["create table b (id int)"]],
    ["20240101000000", "first", ["create table a (id int)", "-- end"]],
    ["20240102000000", "comment", ["-- only a comment"]],
    ["20240103000000", "empty", []],
    [
      "20240104000000",
      "several-things",
      ["select 1", "select 2", "/* x */", "create function f() returns int language sql as $$ select 1; $$"],
    ],
    ["20240105000000", "", ["create table d (id int)"]],
    ["20240106000000", "a.b.sql", ["create table e (id int)"]],
    ["20240109000000", "bom", ["create table bom (id int)", "insert into bom values (1)"]],
    [
      "20240110000000",
      "alone",
      ["create type k as enum ('a')", "alter type k add value 'b'", "create index concurrently i on a (id)"],
    ],
    ["99999999999999", "after", ["create table trail (id int)"]],
  ]);
  expect(await backend.sql("select path, hash from supabase_migrations.seed_files")).toEqual([
    { path: "supabase/seed.sql", hash: "d85d23dc373ed168e6fa7404628b3975037e4e4529828c73268c489fab0abe53" },
  ]);
});

test("what the CLI does not run as it is written is recorded as it is written", async () => {
  const text = "alter schema auth owner to supabase_admin";
  const project = write({ "migrations/1_dump.sql": `${text};` });
  await using backend = await createBackend({ projectFolder: project });
  expect(await backend.sql("select statements from supabase_migrations.schema_migrations")).toEqual([
    { statements: [text] },
  ]);
});

test("two files of one version are named, and the second is not applied", async () => {
  const project = write({
    "migrations/1_one.sql": "create table a (id int);",
    "migrations/1_two.sql": "create table b (id int);",
  });
  await expect(createBackend({ projectFolder: project })).rejects.toThrow(
    /It has the same version as supabase\/migrations\/1_one\.sql/,
  );
});
