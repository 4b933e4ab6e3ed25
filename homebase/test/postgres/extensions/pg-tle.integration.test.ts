/** pg_tle: extensions of plain SQL are installed from SQL, and created, updated and dropped like any other extension. */
import pg from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";
import { statementToSend } from "../../../src/postgres/extensions/file-statements.ts";
import { applyMigrations } from "../../../src/postgres/migrations.ts";
import { splitStatements } from "../../../src/postgres/statements/split.ts";
import { createBackend, type TestBackend } from "../../../wings/testing.ts";

let backend: TestBackend;
let client: pg.Client;
beforeEach(async () => {
  backend = await createBackend({ bare: true });
  client = new pg.Client({ connectionString: backend.databaseUrl });
  await client.connect();
  await client.query("create extension pg_tle");
});
afterEach(async () => {
  await client?.end();
  await backend?.drop();
});

const rows = async (sql: string) => (await client.query(sql)).rows;
/** Sends statements as the stack does those of files and of the database API. */
const send = async (sql: string) => {
  for (const { text } of splitStatements(sql)) await client.query(statementToSend(text));
};

it("installs, creates, updates and drops an extension", async () => {
  await client.query(`select pgtle.install_extension('me-greet', '0.1', 'Says ''hello''', $x$
      create schema greet; create function greet.hello() returns text language sql as $$ select 'one' $$;
      create table greet.who as select current_user as name; $x$);
    select pgtle.install_update_path('me-greet', '0.1', '0.2',
      $x$ create or replace function greet.hello() returns text language sql as $$ select 'two' $$; $x$);`);
  await send(`create extension "me-greet"`);
  expect(await rows("select greet.hello(), name from greet.who")).toEqual([
    { hello: "one", name: "postgres" },
  ]);
  await send(`alter extension "me-greet" update to '0.2'`);
  expect(await rows("select greet.hello()")).toEqual([{ hello: "two" }]);
  await client.query(`drop extension "me-greet"`);
  await client.query("select pgtle.set_default_version('me-greet', '0.2')");
  await send(`create extension "me-greet" cascade`);
  expect(await rows("select extversion from pg_extension where extname = 'me-greet'")).toEqual([
    { extversion: "0.2" },
  ]);
  expect(await rows("select * from pgtle.available_extensions()")).toEqual([
    { name: "me-greet", default_version: "0.2", comment: "Says 'hello'" },
  ]);
  expect(
    await rows("select version, requires::text from pgtle.available_extension_versions() order by version"),
  ).toEqual([
    { version: "0.1", requires: "{pg_tle}" },
    { version: "0.2", requires: "{pg_tle}" },
  ]);
  expect(await rows("select * from pgtle.extension_update_paths('me-greet') where path is not null")).toEqual(
    [{ source: "0.1", target: "0.2", path: "0.1--0.2" }],
  );
  await client.query(`drop extension "me-greet"; select pgtle.uninstall_extension('me-greet')`);
  await expect(send(`create extension "me-greet"`)).rejects.toThrow("is not available");
  expect(await rows("select pgtle.uninstall_extension_if_exists('me-greet') as done")).toEqual([
    { done: false },
  ]);
});

it("is of one database: no other finds the extension, and no list shows it", async () => {
  await client.query("select pgtle.install_extension('mine-alone', '1', '', 'select 1')");
  await send(`create extension "mine-alone"`);
  expect(await rows("select name from pg_available_extensions where name = 'mine-alone'")).toEqual([]);
  await using other = await createBackend({ bare: true });
  await expect(other.sql(`create extension "mine-alone"`)).rejects.toThrow("is not available");
});

it("gives a script the rights of its caller alone, and overwrites no other extension", async () => {
  await client.query(`
    create function pgtle."up.control"() returns text language sql as
      'SELECT $_pgtle_i_$default_version = ''1''\nsuperuser = true\ntrusted = true\nschema = pg_catalog\n$_pgtle_i_$';
    create function pgtle."up--1.sql"() returns text language sql as
      'SELECT $_pgtle_i_$ create table public.mine as select current_user as name; alter role postgres superuser; $_pgtle_i_$';
    create function pgtle."hstore.control"() returns text language sql as 'SELECT $_pgtle_i_$default_version = ''9''$_pgtle_i_$';`);
  await expect(send("create extension up")).rejects.toThrow("permission denied to alter role");
  await client.query("create extension hstore with schema extensions");
  expect(await rows("select extversion from pg_extension where extname = 'hstore'")).not.toEqual([
    { extversion: "9" },
  ]);
  await expect(client.query("select pgtle.install_extension('vector', '1', '', 'select 1')")).rejects.toThrow(
    "control file already exists for the vector extension",
  );
  await expect(client.query("select pgtle.install_extension('../x', '1', '', 'select 1')")).rejects.toThrow(
    "invalid extension name",
  );
});

it("says that hooks and base types need the library", async () => {
  await expect(client.query("select pgtle.create_shell_type('public', 'mine')")).rejects.toThrow(
    "pgtle.create_shell_type() does nothing in Homebase",
  );
});

/** As database.dev's installer does; its packages that Homebase carries need no network and no running stack. */
const INSTALLER = `
  create extension http with schema extensions; create extension pgtap with schema extensions;
  select pgtle.install_extension('supabase-dbdev', answer ->> 'version', 'package manager', answer ->> 'sql')
  from extensions.http(('GET', 'https://api.database.dev/rest/v1/package_versions?select=sql,version&package_name=eq.supabase-dbdev&order=version.desc&limit=1',
    array[('apiKey', 'x')::extensions.http_header], null, null)) x, lateral (select x.content::json -> 0) one(answer);
  create extension "supabase-dbdev"`;

it("installs the client of database.dev and the helpers for tests without a network", async () => {
  await send(INSTALLER);
  await send(`select dbdev.install('supabase-dbdev'); drop extension "supabase-dbdev"; create extension "supabase-dbdev";
    select dbdev.install('basejump-supabase_test_helpers');
    create extension "basejump-supabase_test_helpers" version '0.0.4';
    create table notes (owner uuid default auth.uid()); create table open (id int);
    alter table notes enable row level security; create policy own on notes using (owner = auth.uid());`);
  await client.query("begin; select no_plan()");
  const uid = (
    await rows("select tests.create_supabase_user('ada', 'ada@test.com', null, '{\"n\": 1}') as id")
  )[0]?.id;
  expect(
    await rows("select tests.get_supabase_uid('ada') as id, tests.get_supabase_user('ada') as one"),
  ).toEqual([
    {
      id: uid,
      one: {
        id: uid,
        email: "ada@test.com",
        phone: null,
        raw_user_meta_data: { test_identifier: "ada", n: 1 },
        raw_app_meta_data: {},
      },
    },
  ]);
  expect((await rows("select tests.rls_enabled('public', 'notes') as line"))[0]?.line).toMatch(/^ok 1 /);
  expect((await rows("select tests.rls_enabled('public', 'open') as line"))[0]?.line).toMatch(/^not ok 2 /);
  await client.query("select tests.authenticate_as('ada')");
  await client.query("insert into notes default values");
  expect(await rows("select owner, current_user::text as who, auth.email() from notes")).toEqual([
    { owner: uid, who: "authenticated", email: "ada@test.com" },
  ]);
  await client.query("select tests.clear_authentication()");
  expect(await rows("select owner from notes")).toEqual([]);
  await client.query("select tests.authenticate_as_service_role()");
  expect(await rows("select owner, auth.uid() as uid from notes")).toEqual([{ owner: uid, uid: null }]);
  await client.query("select tests.freeze_time('2020-01-01 00:00+00')");
  expect(await rows("select now() = '2020-01-01 00:00+00' as frozen")).toEqual([{ frozen: true }]);
  await client.query("select tests.unfreeze_time()");
  expect(await rows("select now() > '2020-01-02' as flows")).toEqual([{ flows: true }]);
  await expect(client.query("select tests.get_supabase_uid('nobody')")).rejects.toThrow(
    "User with identifier nobody not found",
  );
  await client.query("rollback");
});

it("is created and updated by a migration, by the database API, and in a block by the call alone", async () => {
  const migration = `select pgtle.install_extension('in-file', '1', '', 'create table in_file (id int)');
    select pgtle.install_update_path('in-file', '1', '2', 'alter table in_file add two int');
    create extension if not exists "in-file" with schema extensions version '1';
    create extension if not exists "in-file";
    alter extension "in-file" update to '2';`;
  await applyMigrations(backend.database, [
    { version: "1", name: "tle", path: "supabase/migrations/1_tle.sql", sql: migration },
  ]);
  expect(
    await rows(
      "select attname::text as name from pg_attribute where attrelid = 'extensions.in_file'::regclass and attnum > 0",
    ),
  ).toEqual([{ name: "id" }, { name: "two" }]);
  await expect(client.query("drop table extensions.in_file")).rejects.toThrow(
    "extension in-file requires it",
  );
  await client.query(`drop extension "in-file"`);
  const query = await fetch(`${backend.url}/pg/query`, {
    method: "POST",
    headers: {
      apikey: backend.serviceRoleKey,
      authorization: `Bearer ${backend.serviceRoleKey}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({
      query: `create extension "in-file"; select extversion from pg_extension where extname = 'in-file'`,
    }),
  });
  expect(await query.json()).toEqual([{ extversion: "1" }]);
  await client.query(`drop extension "in-file"`);
  // Over a plain connection CREATE EXTENSION does not know it.
  await expect(client.query(`create extension "in-file"`)).rejects.toThrow("is not available");
  await client.query(`do $$ begin perform pgtle.create_extension('in-file', "cascade" => true); end $$`);
  expect(
    await rows("select extowner::regrole::text as owner from pg_extension where extname = 'in-file'"),
  ).toEqual([{ owner: "postgres" }]);
});
