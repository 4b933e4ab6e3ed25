/** The extension plpgsql_check: what its functions say (format.c of plpgsql_check 2, and its README), and whom they serve. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { withMigrated } from "../../src/diff/schema-diff.ts";
import { connected } from "../../src/postgres/connected.ts";
import { createBackend } from "../../src/testing/index.ts";
import { testCluster } from "../../src/testing/shared-cluster.ts";
import { projectWith } from "../background/project.ts";
import { useOwnCluster } from "../own-cluster.ts";

await useOwnCluster();

const BROKEN = `create function public.broken(of int) returns int language plpgsql as $$
declare
  unused int;
  found_body text;
begin
  select missing into found_body
  from public.notes
  where id = of;
  perform nowhere();
  return 1;
end $$`;

const MIGRATION = `create table public.notes (id int primary key, body text);
   create function public.sound() returns int language plpgsql as $$ begin return 1; end $$;
   create function public.on_note() returns trigger language plpgsql as $$
   begin
     new.nothing := 1;
     return new;
   end $$;
   create trigger on_note before insert on public.notes for each row execute function public.on_note();
   create function public.in_sql() returns int language sql as 'select 1';
   ${BROKEN};`;
const backend = await createBackend({
  projectFolder: projectWith("", { "20260101000000_notes.sql": MIGRATION }),
});
const client = new pg.Client(backend.database.connection("postgres"));
beforeAll(() => client.connect());
afterAll(async () => {
  await client.end();
  await backend.drop();
});

const values = async (sql: string) =>
  (await client.query({ text: sql, rowMode: "array" })).rows.map(([value]: unknown[]) => value);

/** In the transaction of the CLI's `db lint`, which makes the extension and takes it back. */
async function rolledBack<T>(work: () => Promise<T>): Promise<T> {
  await client.query("begin; create extension if not exists plpgsql_check");
  try {
    return await work();
  } finally {
    await client.query("rollback");
  }
}

test("the query of the Supabase CLI's db lint gets its JSON, in the transaction that makes the extension", async () => {
  const lint = `select p.proname, plpgsql_check_function(p.oid, format := 'json')
    from pg_catalog.pg_namespace n join pg_catalog.pg_proc p on pronamespace = n.oid
    join pg_catalog.pg_language l on p.prolang = l.oid
    where l.lanname = 'plpgsql' and p.prorettype <> 2279 and n.nspname = $1::text`;
  const { rows } = await rolledBack(() => client.query(lint, ["public"]));
  expect(rows.map(({ proname }) => proname)).toEqual(["broken"]);
  const { rows: oids } = await client.query("select 'public.broken'::regproc::oid::text as oid");
  expect(JSON.parse(rows[0].plpgsql_check_function)).toEqual({
    function: oids[0].oid,
    issues: [
      {
        level: "error",
        message: 'column "missing" does not exist',
        sqlState: "42703",
        statement: { lineNumber: "6", text: "SQL statement" },
        query: { position: "8", text: expect.stringMatching(/^select missing\s/) },
      },
    ],
  });
});

test("text: a line for the issue, the statement with a mark below, and what is chosen by options", async () => {
  const said = (options: string) =>
    rolledBack(() => values(`select plpgsql_check_function('public.broken(int)'${options})`));
  const [first, query, mark, ...others] = await said("");
  expect(first).toBe('error:42703:6:SQL statement:column "missing" does not exist');
  expect(query).toMatch(/^Query: select missing/);
  expect(mark).toBe("--            ^");
  expect(others).toEqual([expect.stringMatching(/^ {9}where id = of$/)]);
  const all = await said(", fatal_errors => false");
  expect(all).toContain("error:42883:9:PERFORM:function nowhere() does not exist");
  expect(all).toContain('warning:00000:3:DECLARE:unused variable "unused"');
  expect((await said(", fatal_errors => false, without_warnings => true")).join("\n")).not.toContain(
    "warning",
  );
});

test("the table function has the columns of plpgsql_check; a trigger's function is checked with its table", async () => {
  const { rows } = await rolledBack(() =>
    client.query("select * from plpgsql_check_function_tb('public.broken', fatal_errors => false)"),
  );
  expect(rows[0]).toEqual({
    functionid: "broken",
    lineno: 6,
    statement: "SQL statement",
    sqlstate: "42703",
    message: 'column "missing" does not exist',
    detail: null,
    hint: null,
    level: "error",
    position: 8,
    query: expect.stringMatching(/^select missing/),
    context: null,
  });
  const trigger = (options: string) =>
    rolledBack(() => values(`select plpgsql_check_function('public.on_note()'${options})`));
  await expect(trigger("")).rejects.toThrow("missing trigger relation");
  expect((await trigger(", relid => 'public.notes'"))[0]).toMatch(/^error:42703:3:.*"nothing"/);
  await expect(rolledBack(() => values("select plpgsql_check_function('public.in_sql()')"))).rejects.toThrow(
    "in_sql() is not a plpgsql function",
  );
  await expect(
    rolledBack(() => values("select plpgsql_check_function('public.sound()', format => 'xml')")),
  ).rejects.toThrow('unrecognize format: "xml"');
  expect(await rolledBack(() => values("select plpgsql_check_function('public.sound()')"))).toEqual([]);
});

test("what the transaction itself has changed is refused in words, instead of an answer about something else", async () => {
  for (const change of [
    "create or replace function public.sound() returns int language plpgsql as 'begin return nothing; end'",
    "alter table public.notes rename body to text",
    "savepoint one; create table public.later (id int); release savepoint one",
    "create domain public.later as int",
  ])
    await expect(
      rolledBack(async () => {
        await client.query(change);
        await values("select plpgsql_check_function('public.sound()')");
      }),
    ).rejects.toThrow("this transaction has changed functions, tables or types");
  const own = "create temp table own (id int); create extension if not exists pgtap schema extensions";
  expect(
    await rolledBack(async () => {
      await client.query(own);
      return values("select plpgsql_check_function('public.sound()')");
    }),
  ).toEqual([]);
});

test("a check never runs with more rights than its asker's: it serves who may be role postgres, and runs as it", async () => {
  await client.query(`create extension plpgsql_check schema extensions;
    create role checker; grant checker to postgres; grant create, usage on schema public to checker; grant usage on schema extensions to checker;
    create table public.as_whom (name text);
    create function public.note() returns bool language plpgsql security invoker as $$
    begin insert into public.as_whom values (session_user || ' as ' || current_user); return true; end $$;
    set role checker;
    create domain public.trap as text check (public.note());
    create type public.trapped_row as (value public.trap);
    create function public.trapped() returns text language plpgsql as $$ begin return ('(x)'::public.trapped_row)::text; end $$;
    reset role`);
  try {
    for (const role of ["checker", "anon", "authenticated", "service_role"])
      await expect(
        client.query(`set role ${role}; select extensions.plpgsql_check_function('public.trapped()')`),
      ).rejects.toThrow(`role ${role} may not have functions checked`);
    await client.query("reset role");
    await values("select extensions.plpgsql_check_function('public.trapped()')");
    expect([...new Set(await values("select name from public.as_whom"))]).toEqual(["postgres as postgres"]);
  } finally {
    await client.query("reset role");
  }
});

test("a check that does not end keeps no stack from ending", async () => {
  const own = await createBackend({
    projectFolder: projectWith("", { "20260101000000_notes.sql": MIGRATION }),
  });
  const asking = new pg.Client(own.database.connection("postgres"));
  asking.on("error", () => {});
  await asking.connect();
  await asking.query(`create extension plpgsql_check schema extensions;
    create function public.waits() returns bool language plpgsql as $$ begin perform pg_sleep(60); return true; end $$;
    create domain public.slow as text check (public.waits()); create type public.slow_row as (value public.slow);
    create function public.slowly() returns text language plpgsql as $$ begin return ('(x)'::public.slow_row)::text; end $$`);
  const answer = asking
    .query("select extensions.plpgsql_check_function('public.slowly()')")
    .then(() => "answered", String);
  const checks =
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and query ~ 'slow_row' and wait_event = 'PgSleep'";
  await expect.poll(() => own.sql(checks)).toEqual([{ n: 1 }]);
  await own.drop();
  expect(await answer).not.toBe("answered");
});

test("a database that no stack serves says so", async () => {
  const config = loadConfig({ named: projectWith("", { "20260101000000_notes.sql": MIGRATION }) });
  await withMigrated(await testCluster(process.cwd()), config, (database) =>
    connected(database.connection("postgres"), async (unserved) => {
      const check = "begin; create extension plpgsql_check; select plpgsql_check_function('public.sound()')";
      await expect(unserved.query(check)).rejects.toThrow("plpgsql_check: no stack serves this database");
    }),
  );
});
