/** The migration linter's findings, and statements without any. */
import { expect, test } from "vitest";
import type { Migration } from "../../../src/postgres/files/project-files.ts";
import { lintMigration } from "../lint/lint.ts";

const file = (sql: string, version = "2"): Migration => ({
  version,
  name: "x",
  path: `${version}_x.sql`,
  sql,
});
const BEFORE = file(
  `create table public.notes (id int primary key, author uuid);
   alter table public.notes enable row level security;`,
  "1",
);
/** The rules that a migration after `BEFORE` breaks. */
const rules = (sql: string) =>
  lintMigration(file(sql), { earlier: [BEFORE, file(sql)] }).map(({ rule }) => rule);

test.each([
  "create index on public.notes (author)",
  "create unique index notes_author on notes using btree (author)",
  "alter table public.notes alter column id type bigint",
  "alter table public.notes alter author set not null",
  "alter table public.notes add constraint c check (id > 0)",
  "alter table public.notes add column n int, add unique (author)",
  "alter table public.notes add column token uuid not null default gen_random_uuid()",
  "alter table public.notes add column kind text not null",
  "refresh materialized view public.totals",
  "lock table public.notes",
  "vacuum full public.notes",
])("locks a table in use: %s", (sql) => {
  expect(rules(sql)).toEqual(["lock"]);
});

test.each([
  "create index concurrently notes_author on public.notes (author)",
  "alter table public.notes add column title text",
  "alter table public.notes add column done boolean not null default false",
  "alter table public.notes add constraint c check (id > 0) not valid",
  "alter table public.notes validate constraint c",
  "alter table public.notes add constraint k unique using index notes_author",
  "alter table public.notes drop constraint c",
  "alter table public.notes alter column author drop not null",
  "refresh materialized view concurrently public.totals",
  "create table public.fresh (id int primary key); create index on public.fresh (id); alter table public.fresh enable row level security",
  "comment on table public.notes is 'drop table public.notes; create index on public.notes (id)'",
  "-- truncate public.notes\nselect 1",
  "create function f() returns void language plpgsql as $$ begin truncate public.notes; end $$",
])("is left alone: %s", (sql) => {
  expect(rules(sql)).toEqual([]);
});

test.each([
  "drop table public.notes",
  "drop table if exists public.notes cascade",
  "drop schema private",
  "truncate public.notes",
  "delete from public.notes",
  "update public.notes set author = null",
  "alter table public.notes drop column author",
  "alter table public.notes drop author",
  "alter table public.notes rename column author to writer",
  "alter table public.notes rename to remarks",
])("loses data or breaks live code: %s", (sql) => {
  expect(rules(sql)).toEqual(["destruction"]);
});

test("a table of the API without row security is found, until a later migration has it", () => {
  const made = file("create table public.open (id int primary key)", "3");
  const mended = file("alter table open enable row level security", "4");
  expect(lintMigration(made, { earlier: [made] }).map(({ rule }) => rule)).toEqual(["row-security"]);
  expect(lintMigration(made, { earlier: [made, mended] })).toEqual([]);
  const hidden = file("create table private.open (id int primary key)", "3");
  expect(lintMigration(hidden, { earlier: [hidden] })).toEqual([]);
});

test("a function with its owner's rights needs a search_path", () => {
  const head = "create or replace function public.f() returns int language sql security definer";
  expect(rules(`${head} as 'select 1'`)).toEqual(["search-path"]);
  expect(rules(`${head} set search_path = '' as 'select 1'`)).toEqual([]);
  expect(rules("create function public.f() returns int language sql as 'select 1'")).toEqual([]);
});

test("a foreign key needs an index that begins with its column", () => {
  const table = (rest: string) =>
    `create table public.marks (note int references public.notes, n int${rest}); alter table public.marks enable row level security`;
  expect(rules(table(""))).toEqual(["index"]);
  expect(rules(table(", primary key (note, n)"))).toEqual([]);
  expect(rules(table(", primary key (n, note)"))).toEqual(["index"]);
  expect(rules(`${table("")}; create index on public.marks (note)`)).toEqual([]);
  expect(rules("alter table public.notes add column other int references public.notes")).toEqual(["index"]);
  expect(
    rules(
      `create table public.a (x int, constraint f foreign key (x) references public.notes (id)); alter table public.a enable row level security`,
    ),
  ).toEqual(["index"]);
});

test("a finding says where it is, and a stated reason silences its rule only", () => {
  const sql =
    "select 1;\n\n-- lint: allow lock: the table has ten rows\ncreate index on public.notes (author);\ntruncate public.notes;";
  expect(lintMigration(file(sql), { earlier: [BEFORE] })).toEqual([
    expect.objectContaining({ rule: "destruction", path: "2_x.sql", line: 5 }),
  ]);
  expect(rules("-- lint: allow lock:\ncreate index on public.notes (author)")).toEqual(["lock"]);
});

test.each([
  "alter table public.notes disable row level security",
  "alter table only notes no force row level security",
  "drop policy seen on public.notes",
  'drop policy if exists "all of them" on notes',
  "create policy open on public.notes for select using (true)",
  "create policy open on public.notes to anon, authenticated using ( true )",
  "create policy open on public.notes for insert to public with check (true)",
  'alter policy open on public.notes to "anon" using (true)',
  "grant all on public.notes to anon",
  "grant all privileges on all tables in schema public to authenticated, anon",
])("opens rows to more people: %s", (sql) => {
  expect(rules(sql)).toEqual(["access"]);
});

test.each([
  "create policy own on public.notes to authenticated using (true)",
  "create policy own on public.notes using (author = (select auth.uid()))",
  "create policy own on public.notes as restrictive to anon using (true)",
  "grant select on public.notes to anon",
  "grant all on public.notes to service_role",
  "-- lint: allow access: everybody may read it\ncreate policy open on public.notes using (true)",
  "update public.notes set author = null where id = 1",
  "alter table public.notes force row level security",
])("opens nothing: %s", (sql) => {
  expect(rules(sql)).toEqual([]);
});

test("a policy that is made anew is no policy that is gone", () => {
  const again = file(
    "drop policy own on public.notes; create policy own on public.notes to authenticated using (id > 1)",
  );
  const first = file("create policy own on public.notes to authenticated using (true)", "0");
  expect(lintMigration(again, { earlier: [BEFORE, first, again] })).toEqual([]);
});

test.each([
  ["alter role authenticator set pgrst.url_use_legacy_target_names = 'false'", ["version"]],
  [
    "/* a */ alter role authenticator in database postgres set pgrst.client_error_verbosity to 'minimal'",
    ["version"],
  ],
  ["alter role authenticator set pgrst.jwt_role_claim_key = '$.app_metadata.role'", ["version"]],
  ["alter role authenticator set pgrst.jwt_role_claim_key = '.app_metadata.role'", []],
  ["alter role authenticator set pgrst.db_aggregates_enabled = 'true'", []],
  ["alter role authenticator reset pgrst.client_error_verbosity", []],
])("a setting that hosted's PostgREST does not know: %s", (sql, expected) => {
  expect(rules(sql)).toEqual(expected);
});
