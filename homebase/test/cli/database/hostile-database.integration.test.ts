/** Databases of strangers: what they name and hold becomes text, in a wing's commands too, and never a command, a path or another statement. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, expect, test, vi } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";
import { dumpData } from "../../../src/tools/dump/dumped-rows.ts";
import { useOwnCluster } from "../../own-cluster.ts";
import { Project } from "../project.ts";

await useOwnCluster();

vi.setConfig({ testTimeout: 240_000 });

const project = new Project();
const backend = await createBackend({ projectFolder: project.folder, bare: true });
afterAll(async () => {
  await backend.drop();
  await project.remove();
});
const at = () => ["--db-url", backend.databaseUrl];

/** What psql reads of a script besides comments, names and strings (psql's own commands begin with a backslash). */
const read = (script: string) => script.replace(/--[^\r\n]*|"(?:[^"]|"")*"|E?'(?:[^']|'')*'/g, "");

test.for([[], ["--use-copy"]])(
  "a dump of rows has no command of psql in it, whatever names are (%j)",
  async (options) => {
    const name = `"x\n\\! touch run\r\\! touch run"`;
    await backend.sql(`create schema ${name}; create table ${name}.${name} (${name} int);
    insert into ${name}.${name} values (1)`);
    try {
      const { code, stdout } = await project.run("db", "dump", "--data-only", ...options, ...at());
      expect(code).toBe(0);
      expect(stdout).toContain("touch run");
      expect(read(stdout)).not.toContain("\\!");
    } finally {
      await backend.sql(`drop schema ${name} cascade`);
    }
  },
);

test("a role's list settings are strings in a dump of roles", async () => {
  // In a cluster of its own: other files' dumps of this run's cluster would have the role too.
  const own = new Project();
  await own.start();
  const client = new pg.Client(own.database);
  try {
    await client.connect();
    await client.query("create role hostile");
    await client.query("alter role hostile set search_path = E'x;\n\\! touch run', public");
    const { code, stdout } = await own.run("db", "dump", "--role-only");
    expect(code).toBe(0);
    expect(stdout).toContain('ALTER ROLE "hostile" SET "search_path" TO ');
    expect(read(stdout)).not.toMatch(/\\!|touch/);
  } finally {
    await client.end();
    await own.remove();
  }
});

test("a sequence's value that is no number ends a dump", async () => {
  await backend.sql("create schema counted; create sequence counted.s");
  const client = new pg.Client(backend.databaseUrl);
  await client.connect();
  try {
    const dump = () => dumpData(client, { schemas: ["counted"] }, async () => {});
    await expect(dump()).resolves.toMatchObject({ rows: 0 });
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<pg.QueryResult>;
    // A server of a stranger answers what it likes.
    client.query = (async (...args: unknown[]) => {
      const result = await query(...args);
      for (const row of result.rows ?? []) if (row.called !== undefined) row.value = "1); drop table x; --";
      return result;
    }) as typeof client.query;
    await expect(dump()).rejects.toThrow("has a value that is no number");
  } finally {
    await client.end();
    await backend.sql("drop schema counted cascade");
  }
});

test("tables of the database's own search path do not stand in for the catalogue", async () => {
  const { rows } = await backend.database.query<{ name: string }>(
    "postgres",
    "select current_database() as name",
    [],
  );
  const name = `"${rows[0]?.name}"`;
  await backend.sql(`create schema evil; create table evil.pg_class (like pg_catalog.pg_class);
    create type evil.mood as enum ('glad'); create table public.moods (id int primary key, email text, mood evil.mood);
    insert into public.moods values (1, 'a@b.test', 'glad'); alter database ${name} set search_path = evil, pg_catalog, public`);
  const other = new Project({
    "migrations/20260101000000_moods.sql":
      "create schema evil; create type evil.mood as enum ('glad'); create table public.moods (id int primary key, email text, mood evil.mood);",
  });
  try {
    const dumped = await project.run("db", "dump", "--data-only", "--schema", "public", ...at());
    expect(dumped.stdout).toContain('INSERT INTO "public"."moods"');
    await other.start();
    const pulled = await other.run("pull", "--data", "--yes", "--table", "moods", ...at());
    expect(pulled.stderr).toBe("");
    expect(await (await other.rest("moods?select=mood")).json()).toEqual([{ mood: "glad" }]);
  } finally {
    await backend.sql(
      `alter database ${name} reset search_path; drop table public.moods; drop schema evil cascade`,
    );
    await other.remove();
  }
});

test("a version of the history that is a path is refused, and writes nothing", async () => {
  const outside = join(project.folder, "..", "x_made.sql");
  await backend.sql(`create schema if not exists supabase_migrations;
    create table if not exists supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
    insert into supabase_migrations.schema_migrations values ('../../../x', array['select 1'], 'made')`);
  try {
    const { code, stderr } = await project.run("migration", "fetch", ...at());
    expect([code, stderr]).toEqual([1, expect.stringContaining('a version "../../../x"')]);
    expect(existsSync(outside)).toBe(false);
  } finally {
    await backend.sql("delete from supabase_migrations.schema_migrations where version = '../../../x'");
  }
});

test("a file of pgTAP includes files of its project only, whatever links say", async () => {
  const outside = join(project.folder, "..", "secret.sql");
  writeFileSync(outside, "select 'secret';\n");
  mkdirSync(join(project.folder, "supabase", "tests"), { recursive: true });
  symlinkSync(outside, join(project.folder, "supabase", "tests", "link.psql"));
  for (const path of [outside, "../../../secret.sql", "link.psql"]) {
    project.write("tests/reads.sql", `begin;\n\\ir ${path}\nrollback;\n`);
    const { code, stderr, stdout } = await project.run("test", "db");
    expect([code, stderr]).toEqual([1, expect.stringContaining("is not in this project's folder")]);
    expect(stdout).not.toContain("secret'");
  }
  rmSync(join(project.folder, "supabase", "tests"), { recursive: true });
});

test("what a table prints has no control characters", async () => {
  const { stdout } = await project.run(
    "db",
    "query",
    `select U&'\\001b]0;title\\0007\\009b2J' as "\u001b[31mred"`,
    ...at(),
  );
  expect(stdout).toContain("\\u001b]0;title\\u0007\\u009b2J");
  expect(stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});

test("a dump that fails leaves the file of an earlier one", async () => {
  const file = join(project.folder, "dump.sql");
  writeFileSync(file, "-- an earlier one\n");
  const closed = ["--db-url", "postgresql://postgres:postgres@127.0.0.1:1/postgres"];
  for (const what of [["--data-only"], ["--role-only"], []]) {
    expect((await project.run("db", "dump", "-f", file, ...what, ...closed)).code).toBe(1);
    expect(readFileSync(file, "utf8")).toBe("-- an earlier one\n");
  }
  expect((await project.run("db", "dump", "-f", file, "--role-only", ...at())).code).toBe(0);
  expect(readFileSync(file, "utf8")).not.toContain("an earlier one");
  expect(readdirSync(project.folder).filter((name) => name.endsWith(".part"))).toEqual([]);
});

test("db pull records nothing that it cannot write", async () => {
  await backend.sql("create table public.pulled (id int primary key)");
  const migrations = join(project.folder, "supabase", "migrations");
  rmSync(migrations, { recursive: true, force: true });
  symlinkSync(join(project.folder, "nowhere"), migrations);
  try {
    expect((await project.run("db", "pull", "--yes", ...at())).code).toBe(1);
    expect(await backend.sql("select version from supabase_migrations.schema_migrations")).toEqual([]);
  } finally {
    rmSync(migrations);
    await backend.sql("drop table public.pulled");
  }
});
