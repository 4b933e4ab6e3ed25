/** A renamed column or table: `homebase db diff` asks whether it is one, and keeps its rows. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type DiffRequest, diffProject } from "../../src/diff/project-diff.ts";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";
import { testCluster } from "../../src/testing/shared-cluster.ts";
import { useOwnCluster } from "../own-cluster.ts";

await useOwnCluster();
vi.setConfig({ testTimeout: 300_000 });

const NOTES = `create table public.notes (id int primary key, name text not null, size int, weight int);
create index notes_by_name on public.notes (name);
create policy shown on public.notes for select using (name <> '');
alter table public.notes enable row level security;
create view public.names with (security_invoker = true) as select name from public.notes;\n`;
let folder: string;
let backend: TestBackend;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "homebase-renames-"));
  mkdirSync(join(folder, "supabase", "migrations"), { recursive: true });
  mkdirSync(join(folder, "supabase", "schemas"));
  writeFileSync(join(folder, "supabase", "config.toml"), "");
  writeFileSync(join(folder, "supabase", "migrations", "20260101000000_notes.sql"), NOTES);
  backend = await createBackend({ projectFolder: folder });
  await backend.sql("insert into public.notes values (1, 'first', 3, 4)");
});
afterEach(async () => {
  await backend.drop();
  rmSync(folder, { recursive: true });
});

const declare = (sql: string) => writeFileSync(join(folder, "supabase", "schemas", "notes.sql"), sql);
const diff = async (request: DiffRequest = {}) =>
  diffProject(await testCluster(folder), backend.config, backend.database, request);
/** The written migration, which is run. */
async function applied({ files = [] }: { files?: string[] }): Promise<string> {
  const sql = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  await backend.sql(sql);
  return sql;
}
const renamedColumn = NOTES.replace("name text", "title text")
  .replace("(name)", "(title)")
  .replace("(name <>", "(title <>")
  .replace("select name", "select title as name");

test("a column is renamed where it is said so, and keeps its values", async () => {
  declare(renamedColumn);
  const shown = await diff();
  expect(shown.open).toEqual([{ rename: "notes.name=notes.title", type: "text" }]);
  expect(shown.destructive).toBe(true);
  await expect(diff({ name: "title" })).rejects.toThrow(
    /Nothing was written: rows would be lost .*\n {2}--rename notes\.name=notes\.title/,
  );
  expect(await diff({ name: "title", ask: true })).toMatchObject({ asks: true, sql: "" });
  const written = await diff({ name: "title", renames: ["public.notes.name = public.notes.title"] });
  expect([written.open, written.destructive, written.missing]).toEqual([[], false, ""]);
  expect(await applied(written)).toMatch(/^ALTER TABLE "public"\."notes" RENAME COLUMN "name" TO "title";/);
  expect(await backend.sql("select * from public.notes")).toEqual([
    { id: 1, title: "first", size: 3, weight: 4 },
  ]);
  expect(await diff()).toMatchObject({ sql: "", open: [] });
});

test("a column that was dropped is dropped where that is said, or where there are no rows", async () => {
  declare(renamedColumn.replace("not null", ""));
  expect((await diff({ name: "dropped", noRename: true })).sql).toMatch(/DROP COLUMN "name"/i);
  rmSync(join(folder, "supabase", "migrations"), { recursive: true });
  mkdirSync(join(folder, "supabase", "migrations"));
  writeFileSync(join(folder, "supabase", "migrations", "20260101000000_notes.sql"), NOTES);
  await backend.sql("delete from public.notes");
  const written = await diff({ name: "dropped" });
  expect(written.files).toHaveLength(1);
  expect(written.open).toHaveLength(1);
});

test("a table is renamed with its rows, and a rename that is none is refused", async () => {
  declare(
    NOTES.replaceAll("public.notes", "public.memos").replace("size int, weight int", "weight int, size int"),
  );
  expect((await diff()).open).toEqual([]);
  declare(NOTES.replaceAll("public.notes", "public.memos"));
  await expect(diff({ apply: true })).rejects.toThrow(/Nothing was applied: .*--rename notes=memos/s);
  await expect(diff({ renames: ["notes=letters"] })).rejects.toThrow(
    /notes=letters is no rename: .*--rename notes=memos/s,
  );
  expect(await diff({ apply: true, renames: ["notes=memos"] })).toMatchObject({ applied: true });
  expect(await backend.sql("select name from public.memos")).toEqual([{ name: "first" }]);
});

test("a table that moves to another schema with other columns keeps its rows where that is said", async () => {
  const moved = `create schema archive;\n${NOTES.replaceAll("public.notes", "archive.notes")
    .replaceAll("notes_by_name", "archived_by_name")
    .replace("weight int", "weight bigint, added text")}`;
  declare(moved);
  expect((await diff()).open).toEqual([{ rename: "notes=archive.notes" }]);
  await expect(diff({ name: "moved" })).rejects.toThrow(
    /rows would be lost .*--rename notes=archive\.notes/s,
  );
  const written = await diff({ name: "moved", renames: ["public.notes=archive.notes"] });
  expect([written.open, written.destructive, written.missing]).toEqual([[], false, ""]);
  expect(await applied(written)).toMatch(
    /^CREATE SCHEMA IF NOT EXISTS "archive";\n\nALTER TABLE "public"\."notes" SET SCHEMA "archive";/,
  );
  expect(await backend.sql("select * from archive.notes")).toEqual([
    { id: 1, name: "first", size: 3, weight: "4", added: null },
  ]);
  expect(await diff()).toMatchObject({ sql: "", open: [] });
});

test("each column is offered the one in its place, in other schemas by its whole name", async () => {
  declare(NOTES.replace("size int, weight int", "width int, height int"));
  expect((await diff()).open).toEqual([
    { rename: "notes.size=notes.width", type: "integer" },
    { rename: "notes.weight=notes.height", type: "integer" },
  ]);
  await backend.sql("create schema private; create table private.keys (name text)");
  declare(`${NOTES}create schema private; create table private.locks (name text);`);
  expect((await diff({ apply: true, ask: true })).open).toEqual([{ rename: "private.keys=private.locks" }]);
});

test("days of Realtime's messages that the migrations' database has not are no rename", async () => {
  rmSync(join(folder, "supabase", "schemas"), { recursive: true });
  await backend.database.query(
    "supabase_admin",
    "select realtime.maintain_messages_partitions('2031-05-06')",
  );
  expect(await diff()).toMatchObject({ sql: "", open: [] });
});
