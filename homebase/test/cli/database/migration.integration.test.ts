/** `homebase migration` on projects of foreign habits, against databases that an address names. */
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
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

/** A project, or a copy of one of test/projects. */
function project(from?: string, files: Record<string, string> = {}): Project {
  const made = new Project(files);
  projects.push(made);
  if (from !== undefined)
    cpSync(join(import.meta.dirname, "../../projects", from), made.folder, { recursive: true });
  return made;
}

/** A database with what Supabase brings and nothing else. */
async function emptyDatabase(): Promise<TestBackend> {
  const backend = await createBackend({ bare: true, projectFolder: project().folder });
  backends.push(backend);
  return backend;
}

const migrations = (one: Project) => readdirSync(join(one.folder, "supabase", "migrations")).sort();
const history = (backend: TestBackend) =>
  backend.sql<{ version: string; name: string }>(
    "select version, name from supabase_migrations.schema_migrations order by version",
  );

test("new makes a file after all others", async () => {
  const one = project(undefined, { "migrations/29990101000000_far.sql": "select 1;" });
  expect((await one.run("migration", "new", "add_menus")).stdout).toBe(
    "Created new migration at supabase/migrations/29990101000001_add_menus.sql\n",
  );
  expect(await one.run("migration", "new", "../x")).toMatchObject({ code: 2 });
});

test("up, list and repair of a database that an address names", async () => {
  const one = project("social");
  const backend = await emptyDatabase();
  const at = ["--db-url", backend.databaseUrl];
  const up = await one.run("migration", "up", ...at);
  expect([up.code, up.stderr]).toEqual([0, ""]);
  expect(up.stdout).toMatch(/Applied .*_profiles\.sql\nApplied .*_private_helpers\.sql\n/);
  expect(await history(backend)).toEqual([
    { version: "20230101000000", name: "profiles" },
    { version: "20230102000000", name: "private_helpers" },
  ]);
  expect((await one.run("migration", "up", ...at)).stdout).toBe("Nothing was pending.\n");

  expect((await one.run("migration", "repair", "20230102000000", "--status", "reverted", ...at)).stdout).toBe(
    "Repaired migration history: [20230102000000] => reverted\n",
  );
  one.write("migrations/20220101000000_late.sql", "create table late ();");
  expect((await one.run("migration", "list", ...at)).stdout).toBe(
    `   Local          | Remote         | Time (UTC)
  ----------------|----------------|---------------------
   20220101000000 |                | 2022-01-01 00:00:00
   20230101000000 | 20230101000000 | 2023-01-01 00:00:00
   20230102000000 |                | 2023-01-02 00:00:00
`,
  );
  expect(await one.run("migration", "repair", "20230102000000", "--status", "applied", ...at)).toMatchObject({
    code: 0,
  });
  expect(await one.run("migration", "up", ...at)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("--include-all"),
  });
  expect(await one.run("migration", "up", "--include-all", ...at)).toMatchObject({ code: 0 });
  one.write(
    "migrations/20240101000000_wrong.sql",
    "create table fine ();\ncreate table wrong (\n  a nothing);",
  );
  const wrong = await one.run("migration", "up", ...at);
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toMatch(/20240101000000_wrong\.sql.*3/);
  expect(await backend.sql("select to_regclass('public.fine') as fine")).toEqual([{ fine: null }]);
});

test("fetch writes what the history holds, which makes the same history again", async () => {
  const backend = await emptyDatabase();
  const at = ["--db-url", backend.databaseUrl];
  await project("social").run("migration", "up", ...at);
  const fresh = project();
  expect((await fresh.run("migration", "fetch", ...at)).stdout).toContain(
    "Wrote supabase/migrations/20230101000000_profiles.sql",
  );
  const second = await emptyDatabase();
  expect(await fresh.run("migration", "up", "--db-url", second.databaseUrl)).toMatchObject({
    code: 0,
    stderr: "",
  });
  const statements = "select statements from supabase_migrations.schema_migrations order by version";
  expect(await second.sql(statements)).toEqual(await backend.sql(statements));
  expect((await fresh.run("migration", "fetch", ...at)).stdout).toBe("Left 2 existing files unchanged.\n");
});

test("squash makes one file of the same schema, and says what is no schema", async () => {
  const one = project("social");
  const { code, stdout, stderr } = await one.run("migration", "squash");
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(
      "Squashed 2 migrations to supabase/migrations/20230102000000_private_helpers.sql",
    ),
  ]);
  expect(stdout).toContain("supabase migration repair --status reverted 20230101000000");
  expect(stderr).toContain("insert into storage.buckets (id, name) values ('avatars', 'avatars')");
  expect(migrations(one)).toEqual(["20230102000000_private_helpers.sql"]);
  const sql = readFileSync(
    join(one.folder, "supabase/migrations/20230102000000_private_helpers.sql"),
    "utf8",
  );
  for (const text of ["on_auth_user_created", "Own folder", "team_changes", "my_teams"])
    expect(sql).toContain(text);
  expect(await one.run("migration", "squash")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("fewer than two"),
  });
});

test("squash refuses what it cannot carry over, and changes nothing", async () => {
  const one = project("catalogue");
  one.write(
    "migrations/999_own_extension.sql",
    "create extension pg_tle; select pgtle.install_extension('greeting', '1', '', 'create table greetings (id int)'); create extension greeting;",
  );
  const before = migrations(one);
  const { code, stderr } = await one.run("migration", "squash");
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /Nothing was changed[\s\S]*extension greeting[\s\S]*npx supabase migration squash/i,
    ),
  ]);
  expect(migrations(one)).toEqual(before);
});

test("squash carries roles and the database's settings over, from blocks too, and what it makes can be run", async () => {
  const one = project(undefined, {
    "migrations/20240101000000_roles.sql": `create role reader nologin;
-- Readers of everything.
do $$ begin
  if not exists (select 1 from pg_roles where rolname = 'writer') then create role writer nologin; end if;
end $$;
create table public.notes (id int primary key);
grant select on public.notes to reader;`,
    "migrations/20240102000000_more.sql": `grant reader to writer;
alter role reader set statement_timeout = '3s';
alter database postgres set app.greeting = 'hi';
create policy "writers" on public.notes to writer using (true);`,
  });
  expect((await one.run("migration", "squash")).code).toBe(0);
  expect(migrations(one)).toEqual(["20240102000000_more.sql"]);
  await one.start();
  expect(one.output).not.toContain("Not applied");
  const client = new pg.Client(one.database);
  await client.connect();
  try {
    const { rows } = await client.query(
      `select pg_has_role('writer', 'reader', 'member') as member, has_table_privilege('reader', 'public.notes', 'select') as granted,
         (select rolconfig from pg_roles where rolname = 'reader') as settings, current_setting('app.greeting') as greeting`,
    );
    expect(rows).toEqual([
      { member: true, granted: true, settings: ["statement_timeout=3s"], greeting: "hi" },
    ]);
  } finally {
    await client.end();
  }
});

test("squash refuses a block that makes a role and something else, by its line", async () => {
  const one = project(undefined, {
    "migrations/20240101000000_a.sql": "create table public.a (id int);",
    "migrations/20240102000000_b.sql":
      "select 1;\ndo $$ begin create role mixed; create table public.b (id int); end $$;",
  });
  const { code, stderr } = await one.run("migration", "squash");
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("20240102000000_b.sql:2: the block is about roles"),
  ]);
  expect(migrations(one)).toHaveLength(2);
});
