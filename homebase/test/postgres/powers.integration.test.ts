/**
 * Powers of role postgres in a project's files although it is not a superuser, and their limits, as on
 * hosted.
 */
import { expect, test } from "vitest";
import { SqlFileError } from "../../src/postgres/files/errors.ts";
import { applyMigrations } from "../../src/postgres/migrations.ts";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { useOwnCluster } from "../own-cluster.ts";

await useOwnCluster();

let version = 1;

const backend = await forThisFile(createBackend({ bare: true }));

/**
 * Applies a text as a migration.
 * @returns the statements that hosted would reject.
 */
async function apply(sql: string): Promise<string[]> {
  const number = String(version++);
  const hosted: string[] = [];
  await applyMigrations(
    backend.database,
    [{ version: number, name: "test", path: `supabase/migrations/${number}_test.sql`, sql }],
    { differs: (difference) => void hosted.push(difference.hosted) },
  );
  return hosted;
}

async function refusal(sql: string): Promise<{ message: string; code: string | undefined; line: number }> {
  const error = await apply(sql).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SqlFileError)) throw new Error(`It was not refused: ${sql}`, { cause: error });
  return { message: error.message, code: error.code, line: error.line };
}

test("event triggers are made, fire, and are altered and dropped by their owner postgres", async () => {
  await apply(`
    create table seen (tag text, who text);
    create function note_ddl() returns event_trigger language plpgsql as $$
      begin insert into public.seen values (tg_tag, current_user); end $$;
    create event trigger "Note it" on ddl_command_end when tag in ('CREATE TABLE', 'CREATE VIEW')
      execute procedure note_ddl();
    create table noted ();
    create index on seen (tag);`);
  expect(await backend.sql("select * from seen")).toEqual([{ tag: "CREATE TABLE", who: "postgres" }]);
  expect(
    await backend.sql(
      "select evtowner::regrole::text as owner from pg_event_trigger where evtname = 'Note it'",
    ),
  ).toEqual([{ owner: "postgres" }]);
  await apply(
    `do $$ begin alter event trigger "Note it" disable; end $$; create view unnoted as select 1 as one;`,
  );
  expect(await backend.sql("select * from seen where tag = 'CREATE VIEW'")).toEqual([]);
  await apply(`comment on event trigger "Note it" is 'x'; drop event trigger "Note it"`);
});

test("an event trigger of a project never runs with a superuser's rights", async () => {
  await apply(`
    create table fired (who text, super boolean);
    create function tell() returns event_trigger language plpgsql as $$
      begin insert into public.fired select current_user, rolsuper from pg_roles where rolname = current_user; end $$;
    grant all on fired to public;
    create event trigger aaa_tell on ddl_command_start execute function tell();
    create event trigger zzz_tell on ddl_command_end execute function tell();
    create extension citext;
    create publication everything for all tables;
    alter extension citext update;
    drop extension citext;`);
  await backend.database.query("supabase_admin", "create table public.made_by_superuser ()");
  expect(await backend.sql("select distinct super from fired")).toEqual([{ super: false }]);
  expect(
    await backend.sql(
      "select evtname::text, evtenabled::text from pg_event_trigger where evtname like '%tell' order by 1",
    ),
  ).toEqual([
    { evtname: "aaa_tell", evtenabled: "O" },
    { evtname: "zzz_tell", evtenabled: "O" },
  ]);
  await apply("drop event trigger aaa_tell; drop event trigger zzz_tell; drop publication everything");
  expect(
    await refusal("create event trigger t on sql_drop execute function extensions.pgrst_drop_watch()"),
  ).toMatchObject({
    message: "Non-superuser owned event trigger must execute a non-superuser owned function",
  });
});

test("publications of all tables and of schemas belong to postgres", async () => {
  await apply(`
    create schema "One's"; create schema two; create table single (id int primary key, hidden int);
    drop publication if exists supabase_realtime;
    create publication supabase_realtime for all tables with (publish = 'insert,update', publish_via_partition_root);
    create publication partly for tables in schema "One's", two;
    create publication mixed for table single where (id > 0), tables in schema two;
    alter publication partly drop tables in schema two;
    alter publication partly add tables in schema current_schema;
    alter publication partly set (publish = 'delete');`);
  expect(
    await backend.sql(`
      select pubname::text as name, pubowner::regrole::text as owner, puballtables as everything, pubupdate as updates, pubdelete as deletes,
        (select array_agg(nspname::text order by 1) from pg_publication_namespace join pg_namespace n on n.oid = pnnspid
         where pnpubid = p.oid) as schemas,
        (select array_agg(prrelid::regclass::text || ' ' || coalesce(pg_get_expr(prqual, prrelid), '')) from pg_publication_rel where prpubid = p.oid) as tables
      from pg_publication p where pubname in ('supabase_realtime', 'partly', 'mixed') order by 1`),
  ).toEqual([
    {
      name: "mixed",
      owner: "postgres",
      everything: false,
      updates: true,
      deletes: true,
      schemas: ["two"],
      tables: ["single (id > 0)"],
    },
    {
      name: "partly",
      owner: "postgres",
      everything: false,
      updates: false,
      deletes: true,
      schemas: ["One's", "public"],
      tables: null,
    },
    {
      name: "supabase_realtime",
      owner: "postgres",
      everything: true,
      updates: true,
      deletes: false,
      schemas: null,
      tables: null,
    },
  ]);
  await apply(
    "drop publication partly; drop publication mixed; drop publication supabase_realtime; create publication supabase_realtime",
  );
});

test("foreign data wrappers, servers and user mappings", async () => {
  await apply(`
    create extension postgres_fdw with schema extensions;
    create server elsewhere foreign data wrapper postgres_fdw options (host 'db.example.com', dbname 'it''s');
    create user mapping for postgres server elsewhere options (user 'u', password 'p');
    create foreign table public.far (id int) server elsewhere;
    create foreign data wrapper own handler extensions.postgres_fdw_handler validator extensions.postgres_fdw_validator;
    create server near foreign data wrapper own;
    drop foreign data wrapper own cascade;`);
  expect((await refusal("create extension file_fdw")).code).toBe("42501");
});

test("extensions that a project is born with are commented, updated, moved and dropped", async () => {
  await apply(`
    comment on extension plpgsql is 'PL/pgSQL procedural language';
    comment on extension "uuid-ossp" is 'it''s';
    alter extension pgcrypto update;
    drop extension "uuid-ossp";
    create extension "uuid-ossp" with schema public;
    select public.uuid_generate_v4();`);
});

// Role settings belong to the whole server, which other tests share: they are rolled back.
test.each([
  "set session_replication_role = replica",
  "begin; alter role postgres set pgaudit.log to 'all'; rollback",
  "begin; alter role authenticator set pgrst.db_schemas = 'public, other'; rollback",
  "begin; alter role anon set statement_timeout = '5s'; rollback",
  "begin; alter role service_role set statement_timeout to 0; rollback",
  "begin; alter role postgres set auto_explain.log_min_duration = 100; rollback",
  "set pg_stat_statements.track = 'all'",
  "alter database postgres set timezone to 'Europe/Berlin'",
  "alter database postgres set search_path to public, extensions",
  "create role watcher bypassrls replication login password 'x'; grant watcher to authenticator; grant anon to watcher; drop role watcher",
  "create schema kept authorization postgres; drop schema kept",
  "create schema given authorization authenticated; drop schema given",
  "grant usage on schema auth to anon; grant connect on database postgres to anon",
  "alter default privileges for role postgres in schema public grant all on tables to anon",
  "alter publication supabase_realtime owner to postgres",
  "comment on schema public is 'standard public schema'; alter schema public owner to postgres",
  "create table t (); alter table t owner to postgres; reassign owned by postgres to postgres; drop table t",
  "set role authenticated; select 1; reset role",
  'grant all on function "extensions"."armor"("bytea") to "dashboard_user"',
  'grant all on table "extensions"."pg_stat_statements" to "dashboard_user"',
  'grant select on table "storage"."s3_multipart_uploads" to "postgres"',
  "create schema if not exists auth; create schema if not exists extensions",
  "drop schema public cascade; create schema public; grant all on schema public to postgres; grant usage on schema public to anon",
  "create text search configuration cs (copy = simple); alter text search configuration cs alter mapping for word with simple",
])("postgres may: %s", async (sql) => {
  expect(await apply(sql)).toEqual([]);
});

test.each([
  "create role sender login replication bypassrls",
  "create user sender with replication",
  "create role sender; alter role sender with login replication",
  "do $$ begin create role sender replication; alter role sender noreplication; end $$",
  "do $$ begin execute 'create role sender login replication'; end $$",
  'create role "replication"; alter role "replication" rename to sender',
])("a role is made without REPLICATION: %s", async (sql) => {
  expect(await apply(sql)).toEqual([]);
  const { rows } = await backend.database.query(
    "supabase_admin",
    "select rolreplication from pg_roles where rolname = 'sender'",
  );
  await backend.database.query("supabase_admin", "drop role sender");
  expect(rows).toEqual([{ rolreplication: false }]);
});

test("a database's settings hold for a database that is named otherwise", async () => {
  const database = backend.database.name;
  expect(database).not.toBe("postgres");
  expect(
    await apply(`
    alter database postgres set "app.settings.url" to 'https://example.com';
    alter database postgres set app.flag = true;
    alter role authenticator set app.role_flag to 'x';`),
  ).toHaveLength(3);
  const { rows } = await backend.database.query<{ setconfig: string[] }>(
    "postgres",
    "select setconfig from pg_db_role_setting join pg_database d on d.oid = setdatabase where datname = current_database() and setrole = 0",
  );
  expect(rows[0]?.setconfig).toEqual(
    expect.arrayContaining([
      "app.settings.url=https://example.com",
      "app.flag=true",
      "TimeZone=Europe/Berlin",
    ]),
  );
  await apply(`alter database postgres reset app.flag; alter role authenticator reset app.role_flag`);
});

test.each([
  ["alter table storage.objects enable row level security", "must be owner of table objects"],
  ["alter table auth.users add column nickname text", "must be owner of table users"],
  ["create index on auth.users (email)", "must be owner of table users"],
  ["comment on table auth.users is 'x'", "must be owner of relation users"],
  ["create rule r as on insert to auth.users do instead nothing", "must be owner of table users"],
  ["create table public.more () inherits (auth.users)", "must be owner of table users"],
  ["create statistics public.both on id, email from auth.users", "must be owner of table users"],
  ["create function auth.mine() returns int language sql as 'select 1'", "permission denied for schema auth"],
  [
    "create or replace function storage.foldername(name text) returns text[] language sql as 'select null::text[]'",
    "permission denied for schema storage",
  ],
  ["create table realtime.mine ()", "permission denied for schema realtime"],
  [
    "do $$ begin alter table storage.objects enable row level security; end $$",
    "must be owner of table objects",
  ],
  // Postgres asks for the right to create, or for the table, before it looks whether the object is there.
  ["create table if not exists auth.users (id uuid primary key)", "permission denied for schema auth"],
  ["/* a */ create table if not exists auth.users (id uuid) /* b */", "permission denied for schema auth"],
  ['create unlogged table if not exists "storage"."objects" ()', "permission denied for schema storage"],
  ["create sequence if not exists auth.refresh_tokens_id_seq", "permission denied for schema auth"],
  [
    "/* a */ create index if not exists users_instance_id_idx -- b\n on only auth.users (instance_id)",
    "must be owner of table users",
  ],
  ["alter table auth.users add column if not exists email varchar", "must be owner of table users"],
  [
    "do $$ begin create table if not exists auth.users (id uuid); end $$",
    "permission denied for schema auth",
  ],
])("on the services' tables a file may, and is told that hosted refuses it: %s", async (sql, message) => {
  // Rejected anywhere else, as on hosted.
  await expect(backend.sql(sql)).rejects.toThrow(message);
  expect(await apply(`begin; ${sql}; rollback;`)).toEqual([message]);
});

test.each([
  ["drop table storage.buckets cascade", "must be owner of table buckets"],
  ["alter table auth.users drop column email cascade", "must be owner of table column"],
  ["drop owned by supabase_storage_admin cascade", "must be owner of"],
  ["create role boss superuser", "permission denied to create role"],
  ["alter role postgres superuser", "permission denied to alter role"],
  ["grant pg_execute_server_program to postgres", "permission denied to grant role"],
  [
    "select pg_catalog.homebase_give_to_postgres('role anon')",
    "permission denied for function homebase_give_to_postgres",
  ],
  [
    "select extensions.set_custom_parameter('session_preload_libraries', 'x', null)",
    "permission denied to set parameter",
  ],
  ["alter system set work_mem = '1MB'", "permission denied to set parameter"],
])("postgres may not: %s", async (sql, message) => {
  expect((await refusal(sql)).message).toContain(message);
});

test.each([
  ["create table if not exists auth.users (id uuid)", "permission denied for schema auth"],
  // Postgres asks for no right where a table by a query is there.
  ["create table if not exists auth.users as select 1 as id", undefined],
  ["create sequence if not exists auth.refresh_tokens_id_seq", "permission denied for schema auth"],
  [
    "create index if not exists users_instance_id_idx on auth.users (instance_id)",
    "must be owner of table users",
  ],
  ["alter table auth.users add column if not exists email varchar", "must be owner of table users"],
  ["create rule r as on insert to auth.users do instead nothing", "must be owner of table users"],
  ["create table public.more () inherits (auth.users)", "must be owner of table users"],
  ["create statistics public.both on id, email from auth.users", "must be owner of table users"],
])("Postgres itself tells a role that is no member: %s", async (sql, message) => {
  const asService = (text: string) => backend.database.query("supabase_admin", text);
  await asService(`create role stranger; grant stranger to postgres; grant usage on schema auth to stranger;
    grant create on schema public to stranger`);
  const outcome = apply(`set local role stranger; ${sql}; reset role`);
  if (message === undefined) await outcome;
  else await expect(outcome).rejects.toThrow(message);
  await asService("drop owned by stranger; drop role stranger");
});

test("what is skipped because it is there is refused on the services' tables only", async () => {
  const sql = `create table own (id int); create index own_id on own (id);
    create table if not exists own (id int); create index if not exists own_id on own (id);
    comment on table own is 'create table if not exists auth.users ()';
    create table if not exists auth.users as select 1 as id; drop table if exists auth.nothing; drop index if exists auth.nothing_idx; drop policy if exists p on auth.users;
    create schema if not exists auth; drop table own`;
  await backend.sql(sql);
  expect(await apply(sql)).toEqual([]);
});

test("policies and triggers on the services' tables can be made, altered and dropped, also in blocks", async () => {
  await apply(`
    create function on_change() returns trigger language plpgsql as $$ begin return new; end $$;
    create trigger made after insert on auth.users for each row execute function on_change();
    create policy "read all" on storage.objects for select using (bucket_id = 'x');
    do $$ begin
      create policy "read all" on storage.objects for select using (true);
    exception when duplicate_object then null; end $$;
    alter policy "read all" on storage.objects to anon;
    create policy listen on realtime.messages for select to authenticated using (realtime.topic() = 'a');
    create table profiles (id uuid primary key references auth.users on delete cascade);
    create view people as select id, email from auth.users;
    create index on profiles (id);
    truncate auth.users cascade;`);
  await apply(`
    drop policy if exists "read all" on storage.objects; drop policy listen on realtime.messages;
    drop trigger if exists made on auth.users; drop table profiles cascade; drop function on_change cascade`);
});

test("a new database takes roles as they are that an earlier one of the same server has made", async () => {
  const sql =
    "create role once login password 'a;b' in role anon; create user twice with nologin; grant once to twice";
  const migration = (number: string) => ({
    version: number,
    name: "roles",
    path: `supabase/migrations/${number}_roles.sql`,
    sql,
  });
  await applyMigrations(backend.database, [migration("900")], { fresh: true });
  await applyMigrations(backend.database, [migration("901")], { fresh: true });
  await expect(applyMigrations(backend.database, [migration("902")])).rejects.toThrow(
    'role "once" already exists',
  );
  await backend.sql("drop role once, twice");
});

test("a migration that notes itself as applied is refused as a whole, and says why", async () => {
  const sql =
    "create table noted_itself (); insert into supabase_migrations.schema_migrations (version) values ('950')";
  await expect(
    applyMigrations(backend.database, [
      { version: "950", name: "x", path: "supabase/migrations/950_x.sql", sql },
    ]),
  ).rejects.toMatchObject({
    file: "supabase/migrations/950_x.sql",
    message: expect.stringContaining("recorded as applied"),
  });
  expect(await backend.sql("select to_regclass('noted_itself') as found")).toEqual([{ found: null }]);
});

test("postgres is no superuser after all this", async () => {
  expect(await backend.sql("select rolsuper from pg_roles where rolname = 'postgres'")).toEqual([
    { rolsuper: false },
  ]);
});

test("a role of the project's is no service, whatever its name", async () => {
  const { code } =
    await refusal(`create role supabase_pretend_admin; grant supabase_pretend_admin to postgres;
    grant usage, create on schema storage to supabase_pretend_admin;
    set role supabase_pretend_admin; create table storage.pretended ()`);
  expect(code).toBe("42501");
});

test("who makes a role is told to become a member of it before it gets an object", async () => {
  const role = `keeper_${process.pid}`;
  await apply(`create role ${role}; grant create on schema public to ${role}; create table kept (id int)`);
  try {
    for (const statement of [`alter table kept owner to ${role}`, `set role ${role}`]) {
      const error = await apply(statement).catch((reason: unknown) => reason);
      expect((error as SqlFileError).advice).toContain("Write grant <that role> to postgres;");
    }
    await apply(`grant ${role} to postgres; alter table kept owner to ${role}; drop table kept`);
  } finally {
    await apply(`revoke create on schema public from ${role}; drop role ${role}`);
  }
});

test("a strict project is refused what hosted refuses; another one is warned", async () => {
  const parameter = `alter database postgres set "app.strict" = 'x'`;
  const table = "alter table auth.users add column strict int";
  expect(await apply(parameter)).toHaveLength(1);
  expect(await apply(table)).toHaveLength(1);
  for (const [sql, code] of [
    [`alter database postgres set "app.stricter" = 'x'`, "42501"],
    ["alter table auth.users add column stricter int", "42501"],
  ] as const) {
    const number = String(version++);
    const migration = { version: number, name: "test", path: `supabase/migrations/${number}_test.sql`, sql };
    const refused = await applyMigrations(backend.database, [migration], { strict: true }).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(SqlFileError);
    expect((refused as SqlFileError).code).toBe(code);
  }
  // What hosted allows is still possible.
  expect(await apply("create publication strict_all for all tables; drop publication strict_all")).toEqual(
    [],
  );
});

test("a block may do so too, where it writes the statement out or executes it as a text", async () => {
  await apply(`
    create function in_block() returns event_trigger language plpgsql as $f$ begin null; end $f$;
    do $do$
    declare name text := 'create publication not_this for all tables;';
    begin
      -- create publication nor_this for all tables;
      if not exists (select from pg_event_trigger where evtname = 'from_block') then
        create event trigger from_block on ddl_command_end when tag in ('CREATE TABLE') execute function in_block();
      else
        create publication never for all tables;
      end if;
      begin
        create publication all_of_it for all tables;
        comment on extension pgcrypto is 'it''s there';
      exception when insufficient_privilege then raise 'refused';
      end;
    end $do$;`);
  expect(
    await backend.sql(
      `select (select evtowner::regrole::text from pg_event_trigger where evtname = 'from_block') as trigger,
         (select string_agg(pubname, ',') from pg_publication where puballtables) as publications,
         obj_description((select oid from pg_extension where extname = 'pgcrypto')) as comment`,
    ),
  ).toEqual([
    { trigger: "postgres", publications: expect.stringContaining("all_of_it"), comment: "it's there" },
  ]);
  await apply(`do $$ begin
      execute 'create event trigger from_text on ddl_command_end '
        'when tag in (''CREATE TABLE'') execute function in_block();';
      execute $q$create publication of_a_text for all tables$q$;
    exception when insufficient_privilege then raise 'refused';
    end $$`);
  expect(
    await backend.sql(
      `select (select evttags from pg_event_trigger where evtname = 'from_text') as tags,
         (select puballtables from pg_publication where pubname = 'of_a_text') as all`,
    ),
  ).toEqual([{ tags: ["CREATE TABLE"], all: true }]);
  expect(
    await apply(
      `do $$ begin alter database postgres set "app.in_block" = 'x'; exception when others then null; end $$;`,
    ),
  ).toEqual([expect.stringContaining("Hosted projects refuse")]);
});
