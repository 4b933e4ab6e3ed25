/** `homebase db dump`, `pull` and `push`: what they write makes the same database again. */
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { applyStatements } from "../../../src/postgres/migrations.ts";
import { createBackend, type TestBackend } from "../../../src/testing/index.ts";
import { useOwnCluster } from "../../own-cluster.ts";
import { Project } from "../project.ts";

await useOwnCluster();

vi.setConfig({ testTimeout: 240_000 });

const projects: Project[] = [];
const backends: TestBackend[] = [];
afterEach(async () => {
  for (const backend of backends.splice(0)) await backend.drop();
  for (const one of projects.splice(0)) await one.remove();
});

function project(from?: string): Project {
  const made = new Project();
  projects.push(made);
  if (from !== undefined)
    cpSync(join(import.meta.dirname, "../../projects", from), made.folder, { recursive: true });
  return made;
}

async function database(folder: string, bare = false): Promise<TestBackend> {
  const backend = await createBackend({ projectFolder: folder, bare });
  backends.push(backend);
  return backend;
}

const at = (backend: TestBackend) => ["--db-url", backend.databaseUrl];

test("a dumped schema makes the same schema again, of all or of some schemas", async () => {
  const one = project("hosted-dump");
  const full = await database(one.folder);
  // The Management API makes such roles for a login, and drops them minutes later.
  const login = `cli_login_postgres_${process.pid}`;
  await full.database.query("supabase_admin", `create role ${login} in role postgres`, []);
  const { code, stdout, stderr } = await one
    .run("db", "dump", ...at(full))
    .finally(() => full.database.query("supabase_admin", `drop role ${login}`, []));
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).not.toContain("cli_login");
  expect(stdout).not.toMatch(/supabase_migrations|homebase/);
  const empty = await database(project().folder, true);
  await applyStatements(empty.database, "dump.sql", stdout);
  expect(await one.run("db", "dump", ...at(empty))).toMatchObject({ code: 0, stdout });

  const some = await one.run("db", "dump", "--schema", "private", ...at(full));
  expect(some).toMatchObject({ code: 0, stderr: "" });
  expect(some.stdout).toMatch(/"private"/);
  expect(some.stdout).not.toMatch(/"public"\."/);
});

test("a dump that uses database webhooks says what to switch on, and is restored where that is done", async () => {
  const one = project("webhooks");
  const { code, stdout, stderr } = await one.run("db", "dump", ...at(await database(one.folder)));
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(
      /^Not dumped: the schema supabase_functions .+ \[experimental\.webhooks\] enabled = true/,
    ),
  ]);
  const other = project();
  other.write("config.toml", 'project_id = "other"\n[experimental.webhooks]\nenabled = true\n');
  const target = await database(other.folder);
  await applyStatements(target.database, "dump.sql", stdout);
  expect(await one.run("db", "dump", ...at(target))).toMatchObject({ code: 0, stdout });
});

test("the three dumps of a backup fit together: roles.sql, the only migration and the seed of another project", async () => {
  const one = project();
  const backend = await database(one.folder, true);
  const name = `dumped_reader_${process.pid}`;
  const write = async (file: string, ...options: string[]) =>
    expect(
      await one.run("db", "dump", ...options, "-f", join(copy.folder, "supabase", file), ...at(backend)),
    ).toMatchObject({ code: 0, stderr: "" });
  const copy = project();
  copy.write("migrations/.keep", "");
  await backend.sql(`create role ${name} nologin`);
  await backend.sql(
    `create table public.read_by (id int primary key); insert into public.read_by values (7); grant select on public.read_by to ${name}`,
  );
  await write("roles.sql", "--role-only");
  await write("migrations/20260101000000_schema.sql");
  await write("seed.sql", "--data-only", "--use-copy");
  const schema = readFileSync(
    join(copy.folder, "supabase", "migrations", "20260101000000_schema.sql"),
    "utf8",
  );
  expect(schema).not.toContain("CREATE ROLE");
  expect(schema).toContain(`GRANT SELECT ON TABLE "public"."read_by" TO "${name}"`);
  // Roles are the cluster's: the tests' own keeps none, and the copy has another.
  await backend.sql(`drop table public.read_by; drop role ${name}`);
  await copy.start();
  const { stdout } = await copy.run(
    ...["db", "query", "--json"],
    `select id, has_table_privilege('${name}', 'read_by', 'select') as granted from read_by`,
  );
  expect(JSON.parse(stdout)).toEqual([{ id: "7", granted: "t" }]);
}, 120_000);

test("a dump for a project of Postgres 15 has no right that it does not know", async () => {
  const one = project();
  one.write("config.toml", 'project_id = "p"\n[db]\nmajor_version = 15\n');
  const backend = await database(one.folder, true);
  await backend.sql(
    "create table public.rights (id int); revoke truncate on public.rights from anon; alter default privileges in schema public revoke delete on tables from anon",
  );
  const { code, stdout } = await one.run("db", "dump", ...at(backend));
  expect(code).toBe(0);
  expect(stdout).not.toContain("MAINTAIN");
  expect(stdout).toMatch(
    /GRANT DELETE, INSERT, REFERENCES, SELECT, TRIGGER, UPDATE ON TABLE "public"."rights" TO "anon"/,
  );
});

test("a schema cron of the project's own is dumped, with its rows and what refers to it", async () => {
  const one = project();
  const full = await database(one.folder, true);
  await full.sql("drop extension if exists pg_cron cascade");
  await full.sql(`create schema cron; create table cron.job (id int primary key, what text);
    create table public.uses () inherits (cron.job); create publication jobs for table cron.job;
    insert into cron.job values (1, 'kept')`);
  const schema = await one.run("db", "dump", ...at(full));
  expect([schema.code, schema.stderr]).toEqual([0, ""]);
  const rows = await one.run("db", "dump", "--data-only", ...at(full));
  const empty = await database(project().folder, true);
  await applyStatements(empty.database, "dump.sql", `${schema.stdout};\n${rows.stdout}`);
  expect(await empty.sql("select what from only cron.job")).toEqual([{ what: "kept" }]);
});

test("a dump of one schema says in a sentence what it needs of another", async () => {
  const one = project();
  const full = await database(one.folder, true);
  await full.sql(`create schema app; create table app.base (id int primary key);
    create schema more; create table more.heir () inherits (app.base)`);
  const { code, stderr } = await one.run("db", "dump", "--schema", "more", ...at(full));
  expect(code).toBe(1);
  expect(stderr).toContain(
    "this statement needs table app.base, which is in none of the schemas that were asked for",
  );
  expect(stderr).not.toContain("    at ");
});

const ROWS = String.raw`
create schema app;
create table app.parents (id int generated always as identity primary key, name text, best int);
create table app.children (id uuid primary key default gen_random_uuid(), parent int not null references app.parents,
  words text, twice int generated always as (parent * 2) stored, data jsonb, raw bytea, many text[], at timestamptz, yes boolean);
alter table app.parents add foreign key (best) references app.parents;
create table app.days (day date) partition by range (day);
create table app.days_2025 partition of app.days for values from ('2025-01-01') to ('2026-01-01');
insert into app.days values ('2025-05-05');
insert into app.parents (name) values ('O''Hara \ "x"'), (null), (E'tab\tnew\nline');
update app.parents set best = 3 where id = 1;
insert into app.children (parent, words, data, raw, many, at, yes) select 1 + i % 3, repeat('é', i), jsonb_build_object('i', i),
  '\x00ff', array['a,b', null, '"'], '2025-01-01 00:00:00.123456+00', i % 2 = 0 from generate_series(1, 1200) as i;
alter table app.parents enable row level security;
insert into auth.users (id, email) values ('11111111-1111-4111-8111-111111111111', 'a@b.test');
`;
const TABLES = ["app.parents", "app.children", "app.days", "auth.users"];
const content = (backend: TestBackend) =>
  Promise.all(TABLES.map((name) => backend.sql(`select t::text from ${name} t order by 1`)));

test("dumped rows are the same rows again, whatever they hold and refer to", async () => {
  const one = project();
  one.write("migrations/20260101000000_app.sql", ROWS.split("insert into")[0] ?? "");
  const full = await database(one.folder, true);
  await full.sql(ROWS);
  const { code, stdout, stderr } = await one.run("db", "dump", "--data-only", ...at(full));
  expect([code, stderr]).toEqual([0, ""]);
  const other = await database(one.folder);
  await other.sql(stdout);
  expect(await content(other)).toEqual(await content(full));
  expect(await other.sql("insert into app.parents (name) values ('next') returning id")).toEqual([{ id: 4 }]);

  const some = await one.run(
    "db",
    "dump",
    "--data-only",
    "-x",
    "app.ch*",
    "--schema",
    "app",
    "--use-copy",
    ...at(full),
  );
  const lines = some.stdout.split("\n");
  const from = lines.indexOf('COPY "app"."parents" ("id", "name", "best") FROM stdin;');
  const copied = [String.raw`1	O'Hara \\ "x"	3`, String.raw`2	\N	\N`, String.raw`3	tab\tnew\nline	\N`];
  expect(lines.slice(from + 1, from + 4).sort()).toEqual(copied);
  expect(lines[from + 4]).toBe("\\.");
  expect(some.stdout).not.toMatch(/children|auth/);
});

test("dumped rows fill materialized views that had rows, each after those that it reads", async () => {
  const one = project();
  const schema = `create table public.marks (n int);
    create materialized view public.z_first as select n from public.marks;
    create view public.between as select n + 1 as n from public.z_first;
    create materialized view public.a_second as select n from public.between;
    create materialized view public.never as select n from public.marks with no data;`;
  const [full, empty] = [await database(one.folder, true), await database(one.folder, true)];
  await full.sql(schema);
  await full.sql(
    "insert into public.marks values (1); refresh materialized view public.z_first; refresh materialized view public.a_second",
  );
  const { code, stdout } = await one.run("db", "dump", "--data-only", ...at(full));
  expect(code).toBe(0);
  expect(stdout).not.toContain("never");
  await empty.sql(schema);
  await applyStatements(empty.database, "rows.sql", stdout);
  expect(await empty.sql("select n from public.a_second")).toEqual([{ n: 2 }]);
});

test("roles are dumped with settings and memberships, and without Supabase's own", async () => {
  const one = project();
  const backend = await database(one.folder, true);
  const name = `reader_${process.pid}`;
  await backend.sql(
    `create role ${name} nologin; alter role ${name} set statement_timeout = '5s'; grant ${name} to authenticator;
     grant ${name} to postgres; grant ${name} to anon with inherit false; grant ${name} to service_role with set false`,
  );
  try {
    const { code, stdout } = await one.run("db", "dump", "--role-only", ...at(backend));
    expect(code).toBe(0);
    const own = stdout.split("\n").filter((line) => line.includes(`"${name}"`));
    expect(own).toEqual([
      `CREATE ROLE "${name}";`,
      `ALTER ROLE "${name}" WITH NOLOGIN INHERIT;`,
      `ALTER ROLE "${name}" SET "statement_timeout" TO '5s';`,
      `GRANT "${name}" TO "anon" WITH INHERIT FALSE;`,
      `GRANT "${name}" TO "authenticator";`,
      `GRANT "${name}" TO "postgres";`,
      `GRANT "${name}" TO "service_role" WITH SET FALSE;`,
    ]);
    expect(stdout).not.toMatch(/CREATE ROLE "(anon|postgres|supabase)/);
  } finally {
    await backend.sql(`drop role ${name}`);
  }
});

test("pull writes what a database has and the migrations lack; push brings it to another", async () => {
  const one = project("social");
  const backend = await database(one.folder);
  expect(await one.run("db", "pull", ...at(backend))).toMatchObject({
    code: 0,
    stdout: "No schema changes found.\n",
  });
  await backend.sql(
    "create table public.menus (id int primary key, team bigint references public.teams); alter table public.menus enable row level security; create policy all_of_them on public.menus using (true); revoke all on public.menus from anon",
  );
  const pulled = await one.run("db", "pull", "menus", "--yes", "--schema", "auth, public", ...at(backend));
  expect(pulled).toMatchObject({ code: 0, stderr: "" });
  expect(pulled.stdout).toMatch(
    /^Schema written to supabase\/migrations\/\d{14}_menus\.sql\nRecorded as applied/,
  );
  expect(await one.run("db", "pull", ...at(backend))).toMatchObject({ stdout: "No schema changes found.\n" });

  const fresh = project("social");
  const other = await database(fresh.folder);
  const dry = await one.run("db", "push", "--dry-run", ...at(other));
  expect(dry.stdout).toMatch(/^Would apply:\n {2}supabase\/migrations\/\d{14}_menus\.sql\n$/);
  expect(await other.sql("select to_regclass('public.menus') as menus")).toEqual([{ menus: null }]);
  expect(await one.run("db", "push", ...at(other))).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Applied .*_menus/),
  });
  expect(await one.run("db", "push", ...at(other))).toMatchObject({
    stdout: "The database is up to date.\n",
  });
  expect(await one.run("db", "pull", ...at(other))).toMatchObject({ stdout: "No schema changes found.\n" });
  // A project without the file must not write over what others pushed.
  expect(await fresh.run("db", "pull", ...at(other))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("homebase migration fetch"),
  });
  const files = readdirSync(join(one.folder, "supabase/migrations"));
  expect(readFileSync(join(one.folder, "supabase/migrations", files.at(-1) ?? ""), "utf8")).toContain(
    "all_of_them",
  );
});

test("what is not built names the Supabase CLI's command", async () => {
  const one = project();
  expect((await one.run("db", "schema")).stderr).toContain("npx supabase db schema");
  expect((await one.run("db", "push")).stderr).toContain("--db-url");
  expect((await one.run("db", "push", "--include-seed")).stderr).toContain("npx supabase db push");
  expect((await one.run("db", "dump", "--dry-run")).stderr).toContain("npx supabase db dump");
  expect((await one.run("db", "dump", "--db-url", "nonsense")).stderr).toContain("postgresql://");
});
