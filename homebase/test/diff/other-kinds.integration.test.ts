/** Objects that pg-delta does not compare: text search, statistics, casts and operators in dumps and differences. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readObjectNotes } from "../../src/diff/object-notes.ts";
import { readOtherObjects } from "../../src/diff/other-kinds.ts";
import { readPartitionIndexes } from "../../src/diff/partition-indexes.ts";
import { bothDiffs, completeDiff, schemaDiff } from "../../src/diff/schema-diff.ts";
import { readTableSettings } from "../../src/diff/table-settings.ts";
import { connected } from "../../src/postgres/connected.ts";
import type { Database } from "../../src/postgres/database.ts";
import { useOwnCluster } from "../own-cluster.ts";
import { bareDatabases } from "./bare-databases.ts";

await useOwnCluster();
const databaseWith = bareDatabases();

/** What a dump of `source` restores into an empty database. */
async function restored(source: Database): Promise<{ target: Database; notCompared: string[] }> {
  const { sql, missing, notCompared, order } = await completeDiff(await databaseWith(), source);
  expect({ missing, order }).toEqual({ missing: "", order: { created: [], altered: [] } });
  return { target: await databaseWith(sql), notCompared };
}

const contents = (database: Database) =>
  connected(database.connection("postgres"), async (client) => ({
    others: await readOtherObjects(client),
    settings: await readTableSettings(client),
    notes: await readObjectNotes(client),
    partitionIndexes: await readPartitionIndexes(client),
  }));

test("a dump of rarer kinds makes all of them again, and nothing remains to be said", async () => {
  const source = await databaseWith(readFileSync(join(import.meta.dirname, "kinds.sql"), "utf8"));
  const { target, notCompared } = await restored(source);
  expect(notCompared).toEqual([]);
  const wanted = await contents(source);
  expect([...wanted.others.keys()].map((name) => name.split(" ").slice(0, -1).join(" "))).toEqual(
    expect.arrayContaining(["TEXT SEARCH DICTIONARY", "TEXT SEARCH CONFIGURATION", "STATISTICS"]),
  );
  expect(await contents(target)).toEqual(wanted);
  expect(await bothDiffs(target, source)).toMatchObject({ there: { sql: "" }, back: { sql: "" } });
});

test("a configuration comes before the tables that need it, after its schema and its dictionary's extension", async () => {
  const source = await databaseWith(`create schema search; create extension unaccent with schema search;
    create text search configuration search.plain (copy = french);
    alter text search configuration search.plain alter mapping for hword, word with search.unaccent, french_stem;
    create table public.texts (id int primary key, body text,
      words tsvector generated always as (to_tsvector('search.plain', body)) stored);
    create index on public.texts using gin (to_tsvector('search.plain', body))`);
  const { target } = await restored(source);
  expect((await schemaDiff(target, source)).sql).toBe("");
  const query = "insert into public.texts values (1, 'Les élèves') returning words::text";
  expect((await target.query("postgres", query)).rows[0]).toEqual({
    words: expect.stringContaining("'elev':2"),
  });
});

test("an operator of an overloaded function, and one of a function that is there, come before what needs them", async () => {
  const functions = `create function public.near(a int, b int) returns boolean language sql immutable as 'select abs(a - b) < 3';
    create table public.places (id int primary key, spot int)`;
  const more = `create function public.near(a text, b text) returns boolean language sql immutable as 'select a = b';
    create operator public.=~~ (leftarg = text, rightarg = text, function = public.near);
    create operator public.=~~ (leftarg = int, rightarg = int, function = public.near);
    create view public.close_ones as select id from public.places where spot operator(public.=~~) 4 or 'a'::text operator(public.=~~) 'b';
    create policy near on public.places using (spot operator(public.=~~) 3)`;
  const [before, after] = [await databaseWith(functions), await databaseWith(`${functions}; ${more}`)];
  expect(await completeDiff(before, after)).toMatchObject({ missing: "" });
  expect((await schemaDiff(before, after)).sql).toBe("");
  const { target } = await restored(after);
  expect(await contents(target)).toEqual(await contents(after));
});

test("a difference changes, comments and drops them, where tables need them too", async () => {
  const before = `create schema app; create type app.level as enum ('low');
    create function app.to_level(int) returns app.level language sql immutable as $$ select 'low'::app.level $$;
    create text search dictionary app.words (template = simple, stopwords = english, accept = false);
    create text search configuration app.plain (copy = english);
    create table app.texts (a int, b int, body text, words tsvector generated always as (to_tsvector('app.plain', body)) stored)`;
  const from = await databaseWith(`${before}; create statistics app.gone on a, b from app.texts;
    create statistics app.other (ndistinct) on a, b from app.texts; create cast (int as app.level) with function app.to_level(int);
    comment on statistics app.other is 'before'`);
  const to = await databaseWith(`${before}; alter text search dictionary app.words (accept);
    alter text search configuration app.plain alter mapping for word with app.words, simple;
    alter text search configuration app.plain drop mapping for email;
    create statistics app.other (mcv) on a, b from app.texts;
    comment on text search configuration app.plain is 'it''s plain';
    create cast (int as app.level) with function app.to_level(int) as assignment`);
  const { sql, missing } = await completeDiff(from, to);
  expect(missing).toBe("");
  expect(sql).toContain("ALTER TEXT SEARCH DICTIONARY app.words (accept);");
  expect(sql).toContain("COMMENT ON TEXT SEARCH CONFIGURATION app.plain IS 'it''s plain';");
  expect(sql).toContain("DROP STATISTICS app.gone;");
  expect(await contents(from)).toEqual(await contents(to));
});

test("a publication of a table that others inherit from names it alone, and its children beside it", async () => {
  const source =
    await databaseWith(`create table public.parents (id int primary key, a int); create table public.kids () inherits (public.parents);
    create publication chosen for table public.parents (id) where (id > 1)`);
  const { target } = await restored(source);
  const published = "select tablename::text from pg_publication_tables where pubname = 'chosen' order by 1";
  const rows = (database: Database) => database.query("postgres", published);
  expect((await rows(target)).rows).toEqual((await rows(source)).rows);
});

const SETTINGS = `create extension postgres_fdw with schema extensions; create server elsewhere foreign data wrapper postgres_fdw;
  create table public.texts (id int primary key, body text); create view public.bodies as select body from public.texts;
  create type public.pair as (a int, b int); create sequence public.numbers;
  create table public.days (day date, kind text) partition by range (day);
  create table public.days_1 partition of public.days for values from ('2026-01-01') to ('2027-01-01');
  create index days_kind on public.days (kind); create index days_lower on public.days (lower(kind));`;
const FAR = (options: string) =>
  `create foreign table public.far (id int ${options}) server elsewhere options (table_name 't')`;

test("a difference takes settings away that are the default again, and changes options and names", async () => {
  const from = await databaseWith(`${SETTINGS} ${FAR("options (column_name 'a')")};
    alter table public.texts alter body set statistics 300, alter body set storage external, alter body set compression pglz,
      alter id set (n_distinct = 5), set (toast.autovacuum_enabled = false);
    alter table public.texts cluster on texts_pkey; alter sequence public.numbers set unlogged;
    alter view public.bodies alter body set default 'x'; comment on column public.bodies.body is 'x'; comment on column public.pair.a is 'y'`);
  const to = await databaseWith(`${SETTINGS} ${FAR("options (column_name 'b')")};
    alter index public.days_1_kind_idx rename to spare; alter index public.days_1_lower_idx rename to days_1_kind_idx;
    alter index public.spare rename to days_1_lower_idx`);
  const { sql, missing } = await completeDiff(from, to);
  expect(missing).toBe("");
  expect(sql).toContain('ALTER TABLE ONLY "public"."texts" ALTER COLUMN "body" SET STATISTICS -1;');
  expect(sql).toContain(`ALTER COLUMN "id" OPTIONS (SET "column_name" 'b');`);
  expect(await contents(from)).toEqual(await contents(to));
});

test("a database with a time zone of its own has the same times as one without", async () => {
  const times = `create table public.days (at timestamptz default '2026-06-01 12:00+00' check (at > '2020-01-01 00:00+00')) partition by range (at);
    create table public.days_2026 partition of public.days for values from ('2026-01-01 00:00+00') to ('2027-01-01 00:00+00');
    create view public.late as select at from public.days where at > '2026-07-01 00:00+00'::timestamptz;
    create policy recent on public.days using (at > '2026-01-01 00:00+00'::timestamptz)`;
  const [from, to] = [await databaseWith(times), await databaseWith(times)];
  await to.query("postgres", `alter database "${to.name}" set timezone = 'Asia/Kathmandu'`);
  await to.query("postgres", `alter database "${to.name}" set datestyle = 'German'`);
  const { sql, missing } = await completeDiff(from, to);
  expect([sql, missing]).toEqual(["", ""]);
  expect((await schemaDiff(from, to)).sql).toBe("");
});

test("a difference follows the types of tables, comments on extensions and the database, and dependencies on extensions", async () => {
  const objects = `create extension citext with schema extensions; create type public.pair as (a int, b text);
    create table public.pairs of public.pair; create table public.loose of public.pair; create table public.kept of public.pair;
    create table public.bound (a int, b text); create index loose_lower on public.loose (lower(b));
    create function public.touch() returns trigger language plpgsql as 'begin return new; end';`;
  const from =
    await databaseWith(`${objects} comment on extension citext is 'ours'; comment on database postgres is 'a';
    alter function public.touch() depends on extension citext; alter index public.loose_lower alter column 1 set statistics 9`);
  const to = await databaseWith(`${objects} alter table public.loose not of; drop table public.kept;
    alter type public.pair add attribute c int cascade; alter table public.bound add column c int; alter table public.bound of public.pair;
    alter index public.loose_lower depends on extension citext; comment on database postgres is 'b'`);
  const [wanted, before] = [await contents(to), await contents(from)];
  expect([...before.notes.keys()]).toEqual([
    "database",
    "extension citext",
    "function public.touch() citext",
  ]);
  const { sql, missing, order } = await completeDiff(from, to);
  expect({ missing, order }).toEqual({ missing: "", order: { created: [], altered: [] } });
  expect(sql).toContain(`ALTER TABLE "public"."bound" OF public.pair;`);
  expect(await contents(from)).toEqual(wanted);
  expect((await completeDiff(from, to)).sql).toBe("");
});

test("Realtime's publication is for all tables, or for some again, as it is in the other database", async () => {
  const some = await databaseWith("create table public.chats (id int primary key)");
  const all = await databaseWith(
    "create table public.chats (id int primary key); drop publication supabase_realtime; create publication supabase_realtime for all tables",
  );
  const { target } = await restored(all);
  expect((await contents(target)).notes).toEqual((await contents(all)).notes);
  expect((await completeDiff(target, some)).sql).toContain("CREATE PUBLICATION supabase_realtime WITH (");
  expect((await contents(target)).notes).toEqual(new Map());
});
