/** Ways from role postgres to the superuser that were open once. Each test tries one and looks at who ran. */
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cloneDatabase, dropDatabase } from "../../../src/postgres/cluster/copies.ts";
import { Database } from "../../../src/postgres/database.ts";
import { EXTENSIONS } from "../../../src/postgres/extensions/classes.ts";
import { bringUpToDate } from "../../../src/postgres/upgrades/apply.ts";
import { createBackend, type TestBackend } from "../../../src/testing/index.ts";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { useOwnCluster } from "../../own-cluster.ts";
import { type HostileSession, hostileSession } from "./hostile.ts";

await useOwnCluster();

let backend: TestBackend;
let session: HostileSession;

beforeEach(async () => {
  backend = await createBackend({ bare: true });
  session = await hostileSession(backend);
});
afterEach(async () => {
  await session?.close();
  await backend?.drop();
});

test("the probe notices a superuser", async () => {
  await backend.database.query("supabase_admin", "select probes.probe('itself')");
  expect(await session.caught()).toEqual(["outside of this session"]);
});

test("the validator of a wrapper runs as its caller, and is asked about the options", async () => {
  await session.client.query(`
    create function hostile.validate(options text[], kind oid) returns void language plpgsql as $$
      begin
        perform probes.probe('validator');
        if 'bad=1' = any (options) then raise 'a bad option'; end if;
      end $$`);
  const create = (options: string) =>
    session.attempt(
      `select extensions.create_foreign_data_wrapper('w', null, 'hostile.validate'::regproc, ${options})`,
    );
  expect(await create("array['bad', '1']")).toBe("a bad option");
  expect(await create("array['good', '1']")).toBeUndefined();
  expect(await session.caught()).toEqual([]);
  const { rows } = await session.client.query(
    `select fdwowner::regrole::text as owner, fdwvalidator::regproc::text as validator, fdwoptions as options
     from pg_foreign_data_wrapper where fdwname = 'w'`,
  );
  expect(rows).toEqual([{ owner: "postgres", validator: "hostile.validate", options: ["good=1"] }]);
});

test("an extension is moved, and what took its place runs for nobody else", async () => {
  await session.client.query(`
    create schema elsewhere;
    select pg_catalog.homebase_move_extension('pgcrypto', 'elsewhere')`);
  await session.client.query(`
    create function extensions.gen_random_bytes(int) returns bytea language plpgsql as $$
      begin perform probes.probe('gen_random_bytes'); return '\\x00'; end $$;
    create function extensions.hmac(bytea, bytea, text) returns bytea language plpgsql as $$
      begin perform probes.probe('hmac'); return '\\x00'; end $$`);
  expect(await session.attempt("select vault.create_secret('x', 'moved')")).toBeUndefined();
  const { rows } = await session.client.query(
    "select decrypted_secret from vault.decrypted_secrets where name = 'moved'",
  );
  expect(rows).toEqual([{ decrypted_secret: "x" }]);
  expect(await session.caught()).toEqual([]);
});

test.each(["extensions", "vault", "graphql", "pgsodium", "realtime", "auth", "storage"])(
  "schema %s, which has code of the superuser, is neither renamed nor dropped nor given away",
  async (schema) => {
    expect(await session.attempt(`alter schema ${schema} rename to other`)).toMatch(/must be owner/);
    expect(await session.attempt(`drop schema ${schema} cascade`)).toMatch(/must be owner/);
    expect(await session.attempt(`alter schema ${schema} owner to anon`)).toMatch(/must be owner/);
  },
);

test("the event triggers that protect a script are not dropped with their functions", async () => {
  const count = "select count(*)::int as count from pg_event_trigger where evtname like 'homebase%'";
  const [before] = (await session.client.query(count)).rows;
  for (const name of [
    "read_scripts_as_written",
    "refuse_service_ddl",
    "refuse_service_drop",
    "pgrst_ddl_watch",
  ])
    expect(await session.attempt(`drop function extensions.${name}() cascade`)).toMatch(/must be owner/);
  expect((await session.client.query(count)).rows).toEqual([before]);
});

test("no event trigger of the project fires in a script, whatever another one has done just before", async () => {
  await session.client.query(`
    create function hostile.on_end() returns event_trigger language plpgsql as $$ begin perform probes.probe(tg_tag); end $$;
    create function hostile.on_start() returns event_trigger language plpgsql as $$
      begin
        if tg_tag not in ('CREATE EXTENSION', 'ALTER EXTENSION') then return; end if;
        alter event trigger a_first enable always;
        perform set_config('event_triggers', 'on', true);
      exception when insufficient_privilege then null;
      end $$;
    select extensions.create_event_trigger('a_first', 'ddl_command_end', null, 'hostile.on_end()'::regprocedure);
    select extensions.create_event_trigger('zzz_last', 'ddl_command_start', null, 'hostile.on_start()'::regprocedure);
    alter event trigger zzz_last enable always`);
  for (const text of [
    "create extension hstore version '1.4'",
    "alter extension hstore update",
    "create extension earthdistance cascade",
    "create extension pg_cron",
    "create extension pg_graphql",
    "create extension pgtap",
    "create extension pgmq",
  ])
    expect(await session.attempt(text), text).toBeUndefined();
  expect(await session.caught()).toEqual([]);
  // They still do after it, in the same transaction too.
  await session.client.query("begin; create extension citext");
  const { rows } = await session.client.query("select current_setting('event_triggers') as setting");
  await session.client.query("rollback");
  expect(rows).toEqual([{ setting: "on" }]);
});

test("a foreign key to a superuser's table runs no cast of the project's", async () => {
  await session.client.query(`
    create extension pgsodium; create extension pg_cron;
    create table hostile.plain (secret uuid references vault.secrets, key uuid references pgsodium.key);
    create type hostile.key as (id uuid);
    create function hostile.to_uuid(hostile.key) returns uuid language plpgsql as $$
      begin perform probes.probe('cast'); return $1.id; end $$;
    create cast (hostile.key as uuid) with function hostile.to_uuid(hostile.key) as implicit;
    create table hostile.ready (secret hostile.key); insert into hostile.ready values (row(gen_random_uuid())::hostile.key);
    select vault.create_secret('x')`);
  // There are none with such a cast; without, a column of this type is refused (windows.integration.test.ts).
  const refused = /^permission denied for table (?:secrets|key)$/;
  for (const text of [
    `create table hostile.lent (secret hostile.key references vault.secrets);
     insert into hostile.lent select row(id)::hostile.key from vault.secrets`,
    "create schema within create table lent (key hostile.key references pgsodium.key)",
    "set session_replication_role = replica; create table hostile.lent (secret hostile.key references vault.secrets)",
    "set homebase.files = on; create table hostile.lent (secret hostile.key references vault.secrets)",
    "alter table hostile.ready add foreign key (secret) references vault.secrets not valid",
    "alter table hostile.plain alter secret type hostile.key using row(secret)::hostile.key",
  ])
    expect(await session.attempt(text), text).toMatch(refused);
  expect(
    await session.attempt("alter table hostile.ready add foreign key (secret) references vault.secrets"),
  ).toBeDefined();
  // A role that may refer to the table and not read it: Postgres then looks up row by row, in the same statement.
  await session.client.query(
    "create role refers_only; grant create, usage on schema hostile, vault to refers_only",
  );
  for (const table of ["vault.secrets", "pgsodium.key", "cron.job_run_details"])
    expect(await session.attempt(`grant references on ${table} to refers_only`)).toBeUndefined();
  expect(
    (await session.client.query("select from pg_class where relacl::text like '%refers_only%'")).rows,
  ).toEqual([]);
  await session.attempt("grant refers_only to postgres; alter table hostile.ready owner to refers_only");
  await session.attempt(
    "set role refers_only; alter table hostile.ready add foreign key (secret) references vault.secrets",
  );
  await session.client.query("reset role; drop owned by refers_only; drop role refers_only");
  expect(await session.caught()).toEqual([]);
});

test("settings that a library would take as a superuser's are not lent", async () => {
  for (const name of ["plperl.on_init", "postgres_fdw.application_name", "PLTCL.start_proc", "pg_cron.x"])
    expect(await session.attempt(`select extensions.set_custom_parameter('${name}', 'x', null)`)).toBe(
      `permission denied to set parameter "${name}"`,
    );
});

test("temporary types and relations are not found first by what runs as a superuser", async () => {
  await session.close();
  session = await hostileSession(backend, { temporary: true });
  const texts = [
    "select vault.create_secret('x')",
    "create extension citext",
    "select extensions.comment_on_extension('citext', 'x')",
    "create function hostile.on_ddl() returns event_trigger language plpgsql as $$ begin null; end $$",
    "select extensions.create_event_trigger('t', 'ddl_command_end', array['CREATE TABLE'], 'hostile.on_ddl()'::regprocedure)",
    "select extensions.create_publication('p', array['hostile'], '{}')",
    "select extensions.set_custom_parameter('app.x', 'y', null)",
    "select pg_catalog.homebase_move_extension('citext', 'hostile')",
    "create extension pg_graphql",
    "drop extension pg_graphql",
  ];
  const failed = [];
  for (const text of texts) {
    const error = await session.attempt(text);
    if (error !== undefined) failed.push(`${text}: ${error}`);
  }
  expect(failed).toEqual([]);
  expect(await session.caught()).toEqual([]);
});

test("an extension's script that is run in a hostile schema calls nothing of it", async () => {
  await session.close();
  session = await hostileSession(backend, { filled: true });
  for (const name of ["vector", "http", "pg_cron", "pg_net", "hypopg", "pg_jsonschema"])
    expect(await session.attempt(`create extension ${name} with schema hostile`), name).toBeUndefined();
  await session.client.query("set search_path = hostile");
  expect(await session.attempt("select '[1,2]'::vector <-> '[1,3]'::vector")).toBeUndefined();
  expect(await session.caught()).toEqual([]);
});

test("dblink_connect_u, which asks for no password, is executable by superusers alone", async () => {
  for (const schema of ["extensions", "public"]) {
    await session.client.query(`create extension dblink with schema ${schema}`);
    const { rows } = await session.client.query(
      `select r.rolname from pg_roles r, pg_proc p where p.proname = 'dblink_connect_u' and not r.rolsuper
       and has_function_privilege(r.oid, p.oid, 'execute')`,
    );
    expect(rows).toEqual([]);
    await session.client.query("drop extension dblink");
  }
});

test("the stand-in pg_tle starts no program and writes no file", async () => {
  await session.client.query("create extension pg_tle");
  const { rows } = await session.client.query(
    `select oid::regprocedure::text as function from pg_proc where prosrc ~* '(to|from)\\s+program|lo_export|pg_stat_file'
     and oid >= 16384`,
  );
  expect(rows).toEqual([]);
});

test("a table of jobs that is the project's own names nobody whose rights its jobs get", async () => {
  await session.client.query(
    "create extension pg_cron; select cron.schedule('tick', '1 second', 'select 1')",
  );
  await expect
    .poll(async () => (await session.client.query("select 1 from cron.job_run_details")).rowCount)
    .toBeGreaterThan(0);
  // The job is due while the names become the project's.
  await session.client.query(`
    drop extension pg_cron cascade;
    create schema cron;
    create table cron.job (jobid bigint, schedule text, command text, database text, username text, active bool);
    create table cron.job_run_details (runid bigserial, jobid bigint, job_pid int, database text, username text, command text,
      status text, return_message text, start_time timestamptz, end_time timestamptz);
    create function cron.tell() returns trigger language plpgsql as $$ begin perform probes.probe('trigger'); return new; end $$;
    create trigger tell before insert or update on cron.job_run_details for each row execute function cron.tell();
    insert into cron.job_run_details (status) values ('running');
    insert into cron.job values (1, '1 second', 'alter role postgres superuser', 'postgres', 'supabase_admin', true);
    notify homebase, 'cron'`);
  const requests = `
    create schema net;
    create table net.http_request_queue (id bigserial, method text, url text, headers jsonb, body bytea, timeout_milliseconds int);
    create table net._http_response (id bigint, status_code int, content_type text, headers jsonb, content text,
      timed_out bool, error_msg text, created timestamptz default now());
    insert into net.http_request_queue (method, url, timeout_milliseconds) values ('GET', '\${backend.url}/', 1000);
    notify homebase, 'net'`;
  await session.client.query(requests);
  // A job of one's own database is served after all of these: when it has run, they would have.
  await using other = await createBackend({ bare: true });
  await other.sql("create extension pg_cron; select cron.schedule('tick', '1 second', 'select 1')");
  await expect
    .poll(async () => (await other.sql("select 1 from cron.job_run_details offset 1")).length)
    .toBeGreaterThan(0);
  expect((await session.client.query("select count(*)::int from net.http_request_queue")).rows).toEqual([
    { count: 1 },
  ]);
  expect((await session.client.query("select status from cron.job_run_details")).rows).toEqual([
    { status: "running" },
  ]);
  expect(
    (await session.client.query("select rolsuper from pg_roles where rolname = 'postgres'")).rows,
  ).toEqual([{ rolsuper: false }]);
  expect(await session.caught()).toEqual([]);
});

test("a job of the superuser's looks in schemas of the server alone, whatever the database sets", async () => {
  await session.client.query("create extension pg_cron");
  await session.client.query(
    `do $$ begin execute format('alter database %I set search_path = hostile, public', current_database()); end $$`,
  );
  await backend.database.query(
    "supabase_admin",
    `insert into cron.job (schedule, command, database, username, jobname)
     values ('1 second', $$do 'begin if current_setting(''search_path'') <> ''pg_catalog,pg_temp'' then raise ''%'', current_setting(''search_path''); end if; end'$$,
       'postgres', 'supabase_admin', 'path')`,
  );
  const outcome = async () =>
    (
      await session.client.query(
        "select status, return_message from cron.job_run_details where end_time is not null limit 1",
      )
    ).rows[0];
  await expect.poll(outcome).toEqual({ status: "succeeded", return_message: "DO" });
});

test("administrative connections call nothing of the project: powers, upgrades, and what counts secrets", async () => {
  await session.close();
  session = await hostileSession(backend, { filled: true });
  const { name } = backend.database;
  await session.client.query(`
    do $$ begin execute format('alter database %I set search_path = hostile, public, extensions', current_database()); end $$;
    do $$ begin execute format('alter database %I set standard_conforming_strings = off', current_database()); end $$;
    do $$ begin execute format('alter database %I set session_replication_role = replica', current_database()); end $$;
    do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$;
    do $$ begin execute format('alter database %I set role = postgres', current_database()); end $$;
    set session characteristics as transaction read write`);
  await session.client.query(`
    create function hostile.on_login() returns event_trigger language plpgsql as $$ begin perform probes.probe('login'); end $$;
  `);
  // As an earlier version let the project make it.
  await backend.database.query(
    "supabase_admin",
    `create event trigger on_login on login execute function hostile.on_login();
     select pg_catalog.homebase_give_to_postgres('event trigger on_login')`,
  );
  const cluster = await testCluster(process.cwd());
  await cluster.admin(async (client) => {
    const { rows } = await client.query(
      `select current_setting('search_path') as path, current_setting('standard_conforming_strings') as strings,
         current_setting('session_replication_role') as role, current_setting('event_triggers') as triggers,
         current_setting('default_transaction_read_only') as reads, current_user::text as who`,
    );
    expect(rows).toEqual([
      {
        path: "pg_catalog,pg_temp",
        strings: "on",
        role: "origin",
        triggers: "off",
        reads: "off",
        who: "supabase_admin",
      },
    ]);
    await client.query("reset all");
    expect((await client.query("show search_path")).rows).toEqual([{ search_path: "pg_catalog,pg_temp" }]);
  }, name);
  const step = { release: 2, name: "a step", sql: "select 1" };
  expect(await bringUpToDate(cluster, name, { "homebase.release": "1" }, [step])).toEqual(["a step"]);
  expect(await session.caught()).toEqual([]);
});

test("settings of a database are copied as values, whatever they hold", async () => {
  const cluster = await testCluster(process.cwd());
  const { name } = backend.database;
  const injected = 'public;alter/**/role/**/postgres/**/superuser,"it\'s ""quoted""",Two';
  await session.client.query("select set_config('search_path', $1, false)", [injected]);
  await session.client.query(`
    do $$ begin execute format('alter database %I set search_path from current', current_database()); end $$;
    do $$ begin execute format('alter database %I set temp_tablespaces = %L', current_database(), ''); end $$;
    do $$ begin execute format('alter database %I set datestyle = %L', current_database(), 'SQL, DMY'); end $$;
    do $$ begin execute format('alter database %I set "app.x" = %L', current_database(), 'a'', b'); exception when others then null; end $$`);
  const copy = `${name}_copy`;
  await session.close();
  await backend.database.close();
  try {
    await cloneDatabase(cluster, name, copy);
    const settings = await cluster.admin(async (client) => {
      const { rows } = await client.query<{ datname: string; settings: string[] }>(
        `select datname, array(select s from unnest(setconfig) s where s !~ '^homebase' order by 1) as settings
         from pg_db_role_setting join pg_database d on d.oid = setdatabase where datname in ($1, $2) and setrole = 0 order by 1`,
        [name, copy],
      );
      return rows.map((row) => row.settings);
    });
    expect(settings).toHaveLength(2);
    expect(settings[1]).toEqual(settings[0]?.map((one) => one.replace(`search_path=${injected}`, SPLIT)));
    expect(
      await cluster.admin(
        async (client) => (await client.query("select rolname from pg_roles where rolsuper")).rows,
      ),
    ).toEqual([{ rolname: "supabase_admin" }]);
  } finally {
    await dropDatabase(cluster, copy);
  }
});

/** As Postgres writes the same list: each name in quotes that needs them. */
const SPLIT = `search_path="public;alter/**/role/**/postgres/**/superuser", "it's ""quoted""", two`;

/** Extensions that need what only the stack's databases have: for their tables, or to ask Homebase. */
const WITH_TABLES = [
  "http",
  "pg_cron",
  "pg_graphql",
  "pg_net",
  "pg_tle",
  "pgsodium",
  "plpgsql_check",
  "postgis",
  "supabase_vault",
  "wrappers",
];

test("a database that the project has made gets no table of the superuser's by an extension", async () => {
  const mine = `${backend.database.name}_mine`;
  await session.client.query(`create database ${mine} template template0`);
  const database = new Database({ ...backend.database.address, name: mine });
  const client = new pg.Client(database.connection("postgres"));
  try {
    await client.connect();
    await client.query("create schema extensions");
    const refused: string[] = [];
    for (const { name, class: kind } of EXTENSIONS) {
      if (kind === "refused" || name === "plpgsql") continue;
      await client.query(`create extension if not exists "${name}" cascade`).catch((error: Error) => {
        expect(error.message).toMatch(/^extension "\w+" can only be created in the database of the project$/);
        refused.push(name);
      });
    }
    expect(refused.sort()).toEqual(WITH_TABLES);
    const { rows } = await client.query(
      `select c.oid::regclass from pg_class c join pg_roles r on r.oid = c.relowner and r.rolsuper
       where c.relkind in ('r', 'p') and c.oid >= 16384 and has_table_privilege('public', c.oid, 'trigger, references')
         or c.relkind in ('r', 'p') and c.oid >= 16384 and has_table_privilege('postgres', c.oid, 'trigger, references')
           and c.relowner <> 'postgres'::regrole`,
    );
    expect(rows).toEqual([]);
  } finally {
    await client.end();
    await database.close();
    await dropDatabase(await testCluster(process.cwd()), mine);
  }
});
