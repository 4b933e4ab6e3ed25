/** What `homebase db diff` finds, writes and applies. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type DiffRequest, diffProject } from "../../src/diff/project-diff.ts";
import { completeDiff, schemaDiff, withMigrated } from "../../src/diff/schema-diff.ts";
import { readMigrations } from "../../src/postgres/files/project-files.ts";
import { applyMigrations } from "../../src/postgres/migrations.ts";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";
import { schemaDifferences } from "../../src/testing/schema-drift.ts";
import { testCluster } from "../../src/testing/shared-cluster.ts";
import { renewRights } from "../../wings/mcp/reader-rights.ts";
import { useOwnCluster } from "../own-cluster.ts";

await useOwnCluster();

const PROJECT = join(import.meta.dirname, "..", "projects", "declarative");
// Each comparison creates two databases.
vi.setConfig({ testTimeout: 300_000 });
let folder: string;
let backend: TestBackend;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "homebase-diff-"));
  cpSync(PROJECT, folder, { recursive: true, filter: (path) => !path.includes(".homebase") });
  backend = await createBackend({ projectFolder: folder });
});
afterEach(async () => {
  await backend.drop();
  rmSync(folder, { recursive: true });
});

async function diff(request: DiffRequest = {}) {
  return diffProject(await testCluster(folder), backend.config, backend.database, request);
}

test("the schema files lack nothing of what the migrations make after the difference was applied", async () => {
  const found = await diff();
  expect(found.target).toBe("schemas");
  for (const text of [
    "happy_pets",
    "pets_owner",
    "ROW LEVEL SECURITY",
    "touch",
    "own",
    "pictures",
    "on_sign_up",
    "citext",
    "supabase_realtime",
    "good mood",
    "auth.users",
  ]) {
    expect(found.sql.toLowerCase()).toContain(text.toLowerCase());
  }
  expect(found.sql).not.toMatch(/homebase|supabase_migrations|pgrst/);
  expect(found.destructive).toBe(true); // The column `old` goes.
  expect(await diff({ apply: true })).toMatchObject({ applied: true });
  expect(await backend.sql("select name from happy_pets")).toEqual([]);
  expect(await diff({ apply: true })).toMatchObject({ applied: false, sql: "" });

  // Changes that the database already has are recorded, not applied again.
  const { files } = await diff({ name: "pets_as_declared" });
  expect(files).toHaveLength(1);
  expect(
    await backend.sql("select name from supabase_migrations.schema_migrations order by version"),
  ).toEqual([{ name: "pets" }, { name: "pets_as_declared" }]);
  expect(readFileSync(join(folder, files?.[0] ?? ""), "utf8")).toContain("happy_pets");
  expect((await diff()).sql).toBe("");
});

test("what assistants may read is no difference, in either direction", async () => {
  await backend.sql("create table public.further (id int generated always as identity, note text)");
  await renewRights(backend.database);
  const granted =
    "select count(*)::int > 3 as many from pg_class where relacl::text like '%homebase_reader%'";
  expect(await backend.sql(granted)).toEqual([{ many: true }]);
  await withMigrated(await testCluster(folder), backend.config, async (migrated) => {
    for (const schemas of [undefined, ["public"]]) {
      expect((await schemaDiff(backend.database, migrated, { schemas })).sql).not.toMatch(/homebase/);
      const { sql } = await completeDiff(migrated, backend.database, { schemas });
      if (!schemas) expect(sql).toContain("further");
      expect(sql).not.toMatch(/homebase/);
    }
  });
});

test("a written migration is one that the database can take", async () => {
  const { files } = await diff({ name: "next" });
  const migrations = readMigrations(backend.config).filter(({ path }) => files?.includes(path));
  await applyMigrations(backend.database, migrations);
  expect(await backend.sql("select name from happy_pets")).toEqual([]);
});

test("a project's own test sees the differences in both directions, and none after the migration", async () => {
  const before = await schemaDifferences(folder);
  expect(before.missing).toContain("happy_pets");
  expect(before.missing).not.toMatch(/ADD COLUMN "old"/);
  expect(before.extra).toMatch(/ADD COLUMN "old"/);
  await diff({ name: "next" });
  expect(await schemaDifferences(folder)).toEqual({ missing: "", extra: "", notCompared: [] });
});

test("without schema files the database is what counts", async () => {
  rmSync(join(folder, "supabase", "schemas"), { recursive: true });
  expect((await diff()).sql).toBe("");
  await backend.sql("create table by_hand (id int primary key); alter table pets drop column old");
  // Rows are lost with a column, and nothing with a policy.
  expect((await diff()).destructive).toBe(true);
  const found = await diff({ name: "by_hand" });
  expect(found.target).toBe("database");
  expect(found.sql).toMatch(/by_hand/);
  expect((await diff()).sql).toBe("");
  await expect(diff({ apply: true })).rejects.toThrow("nothing to apply");
  await expect(diff({ name: "../up" })).rejects.toThrow("made of letters");
});

test("a difference that drops what holds no rows loses no data", async () => {
  rmSync(join(folder, "supabase", "schemas"), { recursive: true });
  await backend.sql(
    "drop policy if exists own on public.pets; create function spare() returns int language sql as 'select 1'",
  );
  await diff({ name: "spare" });
  await backend.sql("drop function spare()");
  const found = await diff();
  expect(found).toMatchObject({ target: "database", destructive: false });
  expect(found.sql).toMatch(/DROP FUNCTION/);
});

test("rights that default privileges would give to what is new are taken away again", async () => {
  rmSync(join(folder, "supabase", "schemas"), { recursive: true });
  await backend.sql(
    "create function private_one() returns int language sql as 'select 1'; revoke execute on function private_one from public, anon, authenticated",
  );
  const found = await diff();
  expect(found.sql).toMatch(/CREATE OR REPLACE FUNCTION|CREATE FUNCTION/);
  expect(found.sql).toMatch(/REVOKE ALL ON FUNCTION "public"."private_one"\(\) FROM "anon"/);
});

test("a schema file that fails is named", async () => {
  writeFileSync(join(folder, "supabase", "schemas", "views.sql"), "select 1;\nselect nothing;");
  await expect(diff()).rejects.toMatchObject({ file: "supabase/schemas/views.sql", line: 2 });
});

test("a schema file that needs a later one says which, and what orders them", async () => {
  const write = (name: string, sql: string) => writeFileSync(join(folder, "supabase", "schemas", name), sql);
  write("y_lists.sql", "create table lists (id int primary key, owner int references z_people (id));");
  write("z_people.sql", "select 1;\ncreate table z_people (id int primary key);");
  await expect(diff()).rejects.toMatchObject({
    file: "supabase/schemas/y_lists.sql",
    line: 1,
    breakage: {
      kind: "wrong-order",
      text: "`z_people` is created only in supabase/schemas/z_people.sql:2, which runs later: the files are in the wrong order. Name it before this one in [db.migrations] schema_paths of config.toml: files of a pattern run in the order of their names.",
    },
  });
});

test("a role that no migration makes is named, since a difference of databases cannot hold it", async () => {
  rmSync(join(folder, "supabase", "schemas"), { recursive: true });
  const role = `outside_${process.pid}`;
  await backend.sql(`create role ${role}`);
  try {
    const named = `the role ${role}, which is in no migration: it belongs to the whole server`;
    expect((await diff()).notCompared).toContain(named);
    writeFileSync(
      join(folder, "supabase", "migrations", "20990101000000_role.sql"),
      `create role ${role};\n`,
    );
    await backend.sql(`drop role ${role}`);
    expect((await diff()).notCompared).not.toContain(named);
  } finally {
    await backend.sql(`drop role if exists ${role}`);
  }
});
