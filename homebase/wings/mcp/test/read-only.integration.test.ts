/** What the SQL of assistants may do: reads of everything but secrets (withheld.integration.test.ts), and no effect that outlives the call. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forThisFile } from "../../../test/for-this-file.ts";
import { useOwnCluster } from "../../../test/own-cluster.ts";
import { createBackend } from "../../testing.ts";
import { ReadOnly } from "../read-only.ts";

await useOwnCluster();

const never = new AbortController().signal;
let readOnly: ReadOnly;
const run = (query: string) => readOnly.rows(query, never);

const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  await backend.sql("create extension if not exists http with schema extensions");
  await backend.sql("create extension if not exists pg_net");
  await backend.sql(`
    create schema private;
    create table public.notes (id int primary key, title text);
    alter table public.notes enable row level security;
    insert into public.notes values (1, 'first');
    create table private.hidden (word text);
    insert into private.hidden values ('found');
    create sequence public.numbers;
    create function public.add_note() returns int language sql security definer
      as 'insert into public.notes values (2, ''made'') returning id';
    create function private.secret() returns text language sql security definer
      as 'select decrypted_secret from vault.decrypted_secrets limit 1';
    create function private.fetch() returns int language sql security definer
      as 'select status from extensions.http_get(''http://127.0.0.1:1/'')';
    create function private.next() returns bigint language sql security definer as 'select nextval(''public.numbers'')';
    create procedure public.commits() language plpgsql as $$ begin commit; insert into public.notes values (3, 'x'); end $$;
    select vault.create_secret('the secret', 'key');
  `);
  readOnly = new ReadOnly(backend.database);
});
afterAll(() => readOnly.close());

test("it reads every table, with row security and in closed schemas too", async () => {
  expect(await run("select * from notes")).toEqual([{ id: 1, title: "first" }]);
  expect(await run("select word from private.hidden")).toEqual([{ word: "found" }]);
  expect(await run("select count(*)::int as users from auth.users")).toEqual([{ users: 0 }]);
  expect(await run("explain (analyze, costs off, timing off, summary off) select 1")).not.toEqual([]);
});

const READ_ONLY = /in a read-only transaction/;
const STAYS = /must be set before any query|read-write mode inside a read-only transaction/;
/** Such a function runs, and its result and its message are not shown. */
const DEFINER = /runs with its owner's rights \(security definer\)/;
const REFUSED: [what: string, query: string, message: RegExp][] = [
  ["an insert", "insert into notes values (9, 'x')", READ_ONLY],
  ["a write in a query", "with w as (delete from notes returning id) select * from w", READ_ONLY],
  ["a definer function that writes", "select public.add_note()", DEFINER],
  ["a definer function in a policy's place", "select * from notes where public.add_note() > 0", DEFINER],
  ["a block", "do $$ begin insert into public.notes values (9, 'x'); end $$", READ_ONLY],
  [
    "a block that turns writing on",
    "do $$ begin set transaction read write; perform public.add_note(); end $$",
    STAYS,
  ],
  ["turning writing on", "set transaction read write", STAYS],
  ["the same as a function", "select set_config('transaction_read_only', 'off', false)", STAYS],
  ["a second statement", "commit; insert into notes values (9, 'x')", /multiple commands/],
  ["a procedure that commits", "call public.commits()", /invalid transaction termination/],
  ["a new table", "create table public.made (id int)", READ_ONLY],
  ["a temporary table", "create temp table made (id int)", READ_ONLY],
  ["a sequence's next value", "select nextval('public.numbers')", /permission denied for sequence/],
  ["a sequence's next value in a definer function", "select private.next()", DEFINER],
  ["a large object", "select lo_create(0)", READ_ONLY],
  ["the bytes of a large object", "select lo_from_bytea(0, 'x')", READ_ONLY],
  ["a row lock", "select * from notes for update", /permission denied|read-only transaction/],
  ["a table lock", "lock table notes in share mode", /permission denied/],
  ["a request by pg_net", "select net.http_get('http://127.0.0.1:1/')", READ_ONLY],
  ["a request by http", "select extensions.http_get('http://127.0.0.1:1/')", /makes no requests/],
  ["a request by http in a definer function", "select private.fetch()", DEFINER],
  [
    "the dblink functions of what asks Homebase",
    "select homebase_exchange_connect('x', 'host=127.0.0.1')",
    /permission denied for function/,
  ],
  ["another role", "set role postgres", /permission denied to set role/],
  ["service_role", "set role service_role", /permission denied to set role/],
  ["another login", "set session authorization postgres", /permission denied to set session/],
  ["its own password", "alter role homebase_reader password 'known'", READ_ONLY],
  ["its own settings", "alter role homebase_reader set default_transaction_read_only = off", READ_ONLY],
  ["a file of the server", "select pg_read_file('/etc/passwd')", /permission denied/],
  ["a program", "copy notes to program 'id'", /permission denied|denied to COPY/],
  ["a file by copy", "copy notes to '/tmp/x'", /permission denied|denied to COPY/],
  [
    "a secret of Vault",
    "select decrypted_secret from vault.decrypted_secrets",
    /permission denied for view decrypted_secrets/,
  ],
  ["a secret by a definer function", "select private.secret()", DEFINER],
  ["a replication slot", "select pg_create_logical_replication_slot('x', 'pgoutput')", /permission denied/],
  ["a checkpoint", "checkpoint", /permission denied/],
  [
    "another's session",
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'postgres' limit 1",
    /permission denied/,
  ],
];

describe("it refuses", () => {
  test.each(REFUSED)("%s", async (_, query, message) => {
    await expect(run(query)).rejects.toThrow(message);
  });
});

test("nothing of it has stayed", async () => {
  expect(await backend.sql("select id from public.notes")).toEqual([{ id: 1 }]);
  expect(await backend.sql("select is_called from public.numbers")).toEqual([{ is_called: false }]);
});

test("a lock and a setting end with the call, and a notification is not sent", async () => {
  const heard: string[] = [];
  const { promise: ready, resolve: listening } = Promise.withResolvers<void>();
  backend.database.notifications.subscribe("heard", {
    notified: (payload) => void heard.push(payload),
    listening: () => listening(),
  });
  await ready;
  await run("select pg_advisory_lock(42), pg_notify('heard', 'from an assistant')");
  await expect
    .poll(() => backend.sql("select 1 from pg_locks where locktype = 'advisory' and objid = 42"))
    .toEqual([]);
  await run("commit");
  await backend.sql("select pg_notify('heard', 'from the project')");
  await expect.poll(() => heard).toEqual(["from the project"]);
  await run("select set_config('search_path', 'private', false)");
  await expect(run("select * from hidden")).rejects.toThrow("does not exist");
});

test("while dblink is installed no SQL runs, since its functions write over other connections", async () => {
  await backend.sql("create extension dblink with schema extensions");
  await expect(run("select 1")).rejects.toThrow("has the extension dblink");
  await backend.sql("drop extension dblink");
  expect(await run("select 1 as one")).toEqual([{ one: 1 }]);
});

test("a result of more than a megabyte ends with an error, and a slow statement by its timeout", async () => {
  await expect(run("select repeat('x', 2000) from generate_series(1, 1000)")).rejects.toThrow(
    /exceeded the configured limit \(1048576 bytes\)/,
  );
  // What a tool reads of the catalogue is not what a model gets.
  const long = "select pg_catalog.repeat('x', 2000) as text from pg_catalog.generate_series(1, 1000)";
  expect((await readOnly.tool(never, (session) => session.rows(long))).length).toBe(1000);
  expect(await run("select current_setting('statement_timeout') as limit")).toEqual([{ limit: "30s" }]);
});

test("a statement ends when its client has gone", async () => {
  const gone = new AbortController();
  const running = readOnly.rows("select pg_sleep(20)", gone.signal);
  const sleeping = () =>
    backend.sql(
      "select 1 from pg_stat_activity where usename = 'homebase_reader' and query like '%pg_sleep(20)'",
    );
  await expect.poll(async () => (await sleeping()).length).toBe(1);
  gone.abort();
  await expect(running).rejects.toThrow("disconnected");
  await expect.poll(sleeping).toEqual([]);
});

test("the login has no right to write, whatever its transaction is", async () => {
  const { rows } = await backend.database.query(
    "supabase_admin",
    `select c.oid::regclass::text as name from pg_class c
     where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and not c.relispartition
       and (has_table_privilege('homebase_reader', c.oid, 'insert, update, delete, truncate, references, trigger, maintain'))
       and c.oid <> 'pg_catalog.pg_settings'::regclass and c.relnamespace <> 'net'::regnamespace`,
    [],
  );
  // pg_net lets everybody into its tables, as upstream; there the transaction alone is in the way.
  expect(rows).toEqual([]);
  const attributes = await backend.sql(
    `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, rolcanlogin,
       array(select b.rolname::text from pg_auth_members m join pg_roles b on b.oid = m.roleid where m.member = r.oid) as member_of,
       array(select b.rolname::text from pg_auth_members m join pg_roles b on b.oid = m.member where m.roleid = r.oid) as members
     from pg_roles r where rolname = 'homebase_reader'`,
  );
  expect(attributes).toEqual([
    {
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolbypassrls: true,
      rolcanlogin: true,
      member_of: [],
      members: [],
    },
  ]);
});

test.each([
  ["rows", "select repeat('x', 3000000)"],
  ["an error", "do $$ begin raise exception '%', repeat('x', 3000000); end $$"],
  ["notices", "do $$ begin for i in 1..30 loop raise notice '%', repeat('x', 100000); end loop; end $$"],
  ["a copy", "copy (select repeat('x', 1000) from generate_series(1, 3000)) to stdout"],
])("%s above a megabyte end the call", async (_, query) => {
  await expect(run(query)).rejects.toThrow("exceeded the configured limit (1048576 bytes)");
});
