/** `homebase db lint`, `db advisors`, `db query` and `inspect` on a database with every fault, and on one with none. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createBackend, type TestBackend } from "../../../src/testing/index.ts";
import { lints } from "../../../src/tools/checks/advisor-lints.ts";
import { inspections } from "../../../wings/inspect/queries.ts";
import { Project } from "../project.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });

const project = new Project({
  // A project may expose the platform's schemas, which are not its own.
  "config.toml": 'project_id = "cli"\n[api]\nschemas = ["public", "storage", "graphql_public"]\n',
});
const clean = await createBackend({ projectFolder: project.folder, bare: true });
const backend = await createBackend({ projectFolder: project.folder, bare: true });
beforeAll(async () => {
  await backend.sql(FAULTS);
  // Of the platform: no command blames the project for it.
  await backend.database.query(
    "supabase_admin",
    `do $do$ begin
      perform set_config('check_function_bodies', 'off', true);
      create function storage_vectors.no_table() returns int language sql as 'select id from public.nowhere';
    end $do$`,
  );
});
afterAll(async () => {
  await backend.drop();
  await clean.drop();
  await project.remove();
});

const FAULTS = `
create table public.plans (id uuid primary key);
create table public.trial (id integer, plan_id uuid references public.plans (id), api_key text);
grant select on public.trial to anon, authenticated;
create index trial_one on public.trial (id);
create index trial_two on public.trial (id);
create view public.trial_users as select id from auth.users;
grant select on public.trial_users to anon;
create materialized view public.trial_kept as select 1 as one;
grant select on public.trial_kept to anon;
create function public.trial_path() returns integer language sql security definer as 'select 1';
grant execute on function public.trial_path() to anon, authenticated;
create table public.trial_policies (id uuid primary key);
create policy "all" on public.trial_policies to authenticated using (true) with check (auth.uid() = id);
create policy "other" on public.trial_policies for select to public
  using (auth.uid() is null or auth.jwt() -> 'user_metadata' is not null);
create policy "writes" on public.trial_policies for insert to authenticated with check (true);
create table public.trial_open (id uuid primary key);
alter table public.trial_open enable row level security;
create policy "reads" on public.trial_open for select to public using (auth.uid() is null or id = auth.uid());
create policy "adds" on public.trial_open for insert to authenticated with check (true);
create table public.trial_closed (id uuid primary key, kind regproc) with (autovacuum_enabled = false);
alter table public.trial_closed enable row level security;
create policy "lists" on storage.objects for select to anon using (bucket_id = 'trial');
insert into storage.buckets (id, name, public) values ('trial', 'trial', true);
create extension citext schema public;
set check_function_bodies = off;
create function public.no_syntax() returns int language plpgsql as 'begin selec 1; retrun 2; end';
create function public.no_table() returns int language sql as 'select id from public.nowhere';
create function public.trial_by_path() returns int language plpgsql as 'declare one trial_closed; mail citext; begin
  select * into one from trial_closed where id = uuid_generate_v4(); mail := one.id; return good() + length(mail); end';
create function public.trial_in_sql() returns setof trial_open language sql as 'select * from trial_open where id = uuid_generate_v4()';
create function public.good() returns int language plpgsql set search_path = '' as 'begin return 1; end';
`;
const at = (one: TestBackend) => ["--db-url", one.databaseUrl];

/** These need an object that only a superuser, or another server, makes; or 20 MB of dead rows. */
const NOT_MADE = [
  "foreign_table_in_api",
  "insecure_queue_exposed_in_api",
  "fkey_to_auth_unique",
  "invalid_index",
  "extension_versions_outdated",
  "table_bloat",
  "unused_replication_slot",
];

test("advisors find what each lint is for, and fail as asked", async () => {
  const { code, stdout, stderr } = await project.run(
    "db",
    "advisors",
    "--level",
    "info",
    "--json",
    ...at(backend),
  );
  expect([code, stderr]).toEqual([1, expect.stringMatching(/\d+ issues are of level error or higher/)]);
  const found = JSON.parse(stdout) as { name: string; level: string; detail: string }[];
  const names = new Set(found.map(({ name }) => name));
  expect(
    Object.keys(lints)
      .filter((name) => !names.has(name))
      .sort(),
  ).toEqual(NOT_MADE.sort());
  const foreign = found.filter(
    ({ detail }) => !/trial|lists|no_syntax|no_table|good|plans|citext/.test(detail),
  );
  expect(foreign).toEqual([]);
  expect(found.filter(({ detail }) => /good/.test(detail))).toEqual([]);
  expect(await project.run("advisors", "--type", "performance", ...at(backend))).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^WARN {2}\w+: [\s\S]*public\.trial_policies/),
  });
  expect((await project.run("advisors", "--fail-on", "none", ...at(backend))).code).toBe(0);
  expect((await project.run("advisors", "--level", "loud", ...at(backend))).code).toBe(2);
});

test("advisors find nothing in what Supabase itself brings", async () => {
  expect(await project.run("advisors", "--level", "info", ...at(clean))).toMatchObject({
    code: 0,
    stdout: "No issues found.\n",
  });
});

test("lint names the functions whose body is wrong, and runs none of them", async () => {
  const { code, stdout } = await project.run("db", "lint", "--json", ...at(backend));
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual([
    {
      function: "public.no_syntax",
      issues: [expect.objectContaining({ level: "error", sqlState: "42601" })],
    },
    {
      function: "public.no_table",
      issues: [
        expect.objectContaining({ message: expect.stringContaining("public.nowhere"), sqlState: "42P01" }),
      ],
    },
  ]);
  expect((await project.run("db", "lint", "--fail-on", "error", ...at(backend))).code).toBe(1);
  expect(await project.run("db", "lint", "--schema", "storage", ...at(clean))).toMatchObject({ code: 0 });
  expect((await project.run("db", "lint", ...at(clean))).stdout).toBe("No schema errors found\n");
});

test("every question of inspect db is answered", async () => {
  await backend
    .sql("create extension if not exists pg_stat_statements with schema extensions")
    .catch(() => undefined);
  for (const name of Object.keys(inspections)) {
    const { code, stdout, stderr } = await project.run("inspect", "db", name, "--json", ...at(backend));
    if (inspections[name]?.needs && code === 1) {
      expect(stderr, name).toMatch(/pg_stat_statements/);
      continue;
    }
    expect([name, code, stderr]).toEqual([name, 0, ""]);
    expect(Array.isArray(JSON.parse(stdout)), name).toBe(true);
  }
  const sizes = await project.run("inspect", "db", "table-sizes", ...at(backend));
  expect(sizes.stdout).toMatch(/^Table +\| Size\n-+\|-+\n[\s\S]*public\.trial +\| \d+ /);
  expect(sizes.stdout).not.toMatch(/auth\.|storage\./);
  expect((await project.run("inspect", "db", "nothing")).code).toBe(2);
});

test("inspect db names indexes that an earlier version of the collations ordered", async () => {
  const drift = async () =>
    JSON.parse((await project.run("inspect", "db", "collation-drift", "--json", ...at(backend))).stdout);
  await backend.sql("create table public.sorted (name text primary key)");
  onTestFinished(() => void backend.sql("drop table public.sorted"));
  expect(await drift()).toEqual([]);
  const version = (value: string) =>
    backend.database.query(
      "supabase_admin",
      `update pg_database set datcollversion = ${value} where datname = current_database()`,
    );
  await version("'0'");
  try {
    expect(await drift()).toContainEqual({
      Index: "public.sorted_pkey",
      Table: "public.sorted",
      Collation: '"default"',
      "Built with": "0",
      Installed: expect.stringMatching(/./),
      Statement: "reindex index concurrently public.sorted_pkey;",
    });
  } finally {
    await version("pg_database_collation_actual_version(oid)");
  }
});

test("inspect report writes each report as CSV, and names those it leaves out", async () => {
  const folder = mkdtempSync(join(tmpdir(), "homebase-report-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await backend.sql(`create table public."a, ""b""" (id int)`);
  onTestFinished(() => void backend.sql(`drop table public."a, ""b"""`));
  const { code, stdout, stderr } = await project.run(
    ...["inspect", "report", "--output-dir", folder, "--json"],
    ...at(backend),
  );
  expect([code, stderr]).toEqual([0, ""]);
  const { folder: written, files, omitted } = JSON.parse(stdout);
  expect(written).toBe(join(folder, new Date().toISOString().slice(0, 10)));
  expect(files.length + omitted.length).toBe(Object.keys(inspections).length);
  expect(readdirSync(written)).toHaveLength(files.length);
  const sizes = readFileSync(join(written, "table-sizes.csv"), "utf8");
  expect(sizes).toMatch(/^Table,Size\r\n/);
  // A comma and quotes stay within their field.
  expect(sizes).toContain(`"public.""a, """"b""""""",`);
});

test("db query prints rows, JSON and errors, from words, a file and standard input", async () => {
  const { run } = project;
  const query = (...args: string[]) => run.call(project, "db", "query", ...args, ...at(backend));
  expect((await query("select 1 as one, null as none")).stdout).toBe(
    "one | none\n----|-----\n1   |\n(1 row)\n",
  );
  expect(JSON.parse((await query("select 1 as one; select 'a,b' as two", "--json")).stdout)).toEqual([
    [{ one: "1" }],
    [{ two: "a,b" }],
  ]);
  project.write("report.sql", "select current_user as role");
  const file = join(project.folder, "supabase", "report.sql");
  expect(JSON.parse((await query("--file", file, "--json")).stdout)).toEqual([{ role: "postgres" }]);
  expect(
    (await query("create table public.asked (id int); insert into public.asked values (1), (2)")).stdout,
  ).toBe("CREATE\nINSERT 2\n");
  const refused = await query("insert into public.asked values (3)", "--read-only");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("25006")]);
  const failed = await query("drop table public.asked;\nselect missing");
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(/42703.*line 2/)]);
  expect(JSON.parse((await query("select count(*) from public.asked", "--json")).stdout)).toEqual([
    { count: "2" },
  ]);
  expect((await query("--file", "/nowhere.sql")).code).toBe(2);
});
