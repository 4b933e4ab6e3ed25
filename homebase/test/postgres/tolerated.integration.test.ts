/** Statements of dumps and of earlier times in a project's files: what is passed over with a note, and what works. */
import { createClient } from "@supabase/supabase-js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ProjectFileError } from "../../src/postgres/files/errors.ts";
import { applyMigrations } from "../../src/postgres/migrations.ts";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";
import { useOwnCluster } from "../own-cluster.ts";

await useOwnCluster();

let backend: TestBackend;
let version = 1;

beforeEach(async () => {
  backend = await createBackend({ bare: true });
});
afterEach(() => backend.drop());

/** Applies a text as a migration. @returns what the start says of it. */
async function apply(sql: string): Promise<string[]> {
  const notes: string[] = [];
  const number = String(version++);
  await applyMigrations(
    backend.database,
    [{ version: number, name: "test", path: `supabase/migrations/${number}_test.sql`, sql }],
    { differs: ({ hosted }) => void notes.push(hosted), fresh: true },
  );
  return notes;
}

test("objects that a dump gives to a service's role stay with postgres", async () => {
  expect(
    await apply(`create table kept (id int);
      alter table "public"."kept" owner to "supabase_admin";
      alter default privileges for role supabase_admin in schema public grant all on tables to anon;`),
  ).toEqual([
    'must be able to SET ROLE "supabase_admin"; left out here',
    "permission denied to change default privileges; left out here",
  ]);
  expect(
    await backend.sql("select relowner::regrole::text as owner from pg_class where relname = 'kept'"),
  ).toEqual([{ owner: "postgres" }]);
});

test("a change to the present owner is none, as on hosted", async () => {
  expect(
    await apply(`alter schema "auth" owner to "supabase_admin";
      alter table "auth"."users" owner to "supabase_auth_admin";
      alter schema "public" owner to "pg_database_owner";`),
  ).toEqual([]);
});

test("columns that are compressed by lz4, which this server has not, get the default", async () => {
  const said =
    "lz4 compresses the column there. This server is built without it: here it has the default compression.";
  expect(
    await apply(`create table packed (id int, body text compression lz4, note text default 'compression lz4');
      alter table packed alter body set compression "lz4", alter note set compression lz4;`),
  ).toEqual([said, said]);
  expect(
    await backend.sql(
      "select count(*)::int as found from pg_attribute where attrelid = 'packed'::regclass and attcompression <> ''",
    ),
  ).toEqual([{ found: 0 }]);
  expect(await backend.sql("insert into packed (id) values (1) returning note")).toEqual([
    { note: "compression lz4" },
  ]);
});

test("the publication of Realtime's messages passes, and is made with the first client", async () => {
  const pulled = `create publication "supabase_realtime_messages_publication" with (publish = 'insert, update, delete, truncate');
    alter publication "supabase_realtime_messages_publication" owner to "supabase_admin";
    alter publication "supabase_realtime_messages_publication" add table only "realtime"."messages";
    comment on publication supabase_realtime_messages_publication is 'messages';
    drop publication if exists supabase_realtime_messages_publication;`;
  const made = () =>
    backend.sql(
      "select pubowner::regrole::text as owner, pubviaroot as root from pg_publication where pubname like '%messages%'",
    );
  expect(await made()).toEqual([]);
  expect(await apply(pulled)).toEqual([]);
  expect(await made()).toEqual([]);
  const client = createClient(backend.url, backend.secretKey, { auth: { persistSession: false } });
  await new Promise<void>((joined) => {
    client
      .channel("r", { config: { private: true } })
      .subscribe((status) => status === "SUBSCRIBED" && joined());
  });
  await expect.poll(made).toEqual([{ owner: "supabase_admin", root: true }]);
  expect(await apply(pulled)).toEqual([]);
  expect(await made()).toHaveLength(1);
  await client.removeAllChannels();
});

test("roles of the services may be named by roles.sql", async () => {
  expect(
    await apply(
      `create role "supabase_realtime_admin"; alter role "supabase_realtime_admin" with noinherit nologin;`,
    ),
  ).toHaveLength(2);
});

test("a grant of what postgres holds already, to itself, is none", async () => {
  await apply(`create extension pgjwt with schema extensions;
    grant all on function "extensions"."sign"("payload" "json", "secret" "text", "algorithm" "text") to "postgres" with grant option;`);
});

test("after a file resets all settings, what hosted refuses is carried out with a note still", async () => {
  expect(await apply("reset all; alter table storage.objects enable row level security;")).toEqual([
    "must be owner of table objects",
  ]);
  expect(await apply("discard all; alter table storage.objects enable row level security;")).toEqual([
    "must be owner of table objects",
  ]);
});

test("files may delete buckets, and nobody else", async () => {
  const [note] = await apply(
    "insert into storage.buckets (id, name) values ('a', 'a'); delete from storage.buckets where id = 'a';",
  );
  expect(note).toContain("Direct deletion from storage tables is not allowed");
  expect(await backend.sql("select id from storage.buckets where id = 'a'")).toEqual([]);
  await expect(backend.sql("delete from storage.buckets")).rejects.toThrow("Direct deletion");
});

test("rights on all functions of a schema are given where an extension has private ones there", async () => {
  await apply(`create extension vector with schema public; create extension http with schema extensions;
    create function hello() returns int language sql as 'select 1';
    revoke execute on all functions in schema public from public, anon;
    grant execute on all functions in schema public, extensions to service_role;
    grant execute on all routines in schema "public" to authenticated;`);
  expect(
    await backend.sql(
      `select role, has_function_privilege(role, 'public.hello()', 'execute') as may
       from unnest(array['anon', 'authenticated', 'service_role']) role order by role`,
    ),
  ).toEqual([
    { role: "anon", may: false },
    { role: "authenticated", may: true },
    { role: "service_role", may: true },
  ]);
  expect(
    await backend.sql(
      "select has_function_privilege('service_role', '_vector_text(text)', 'execute') as may",
    ),
  ).toEqual([{ may: false }]);
  // Homebase's own functions stand in the way of none.
  await backend.sql(
    "drop extension http; grant execute on all functions in schema extensions to service_role",
  );
});

test("another version of an extension is made in the place of one that is not here", async () => {
  const notes = await apply(
    `create extension if not exists "vector" with schema "extensions" version '0.5.1'; alter extension vector update to '0.6.2';`,
  );
  expect(notes).toEqual([
    expect.stringMatching(/^Homebase has another version .* "0\.5\.1"/),
    expect.stringMatching(/^Homebase has another version .* "0\.6\.2"/),
  ]);
  expect(await backend.sql("select extversion from pg_extension where extname = 'vector'")).toEqual([
    { extversion: "0.8.0" },
  ]);
});

test("options of vector indexes are left out in blocks, functions and texts that they execute", async () => {
  await apply(`
    create extension vector with schema extensions;
    create table e (id int, v extensions.vector(3));
    do $$ begin
      create index a on e using hnsw (v extensions.vector_cosine_ops) with (m = 16, ef_construction = 64) where id > 0;
      execute 'create index b on e using ivfflat (v extensions.vector_l2_ops) with (lists = 100)';
    end $$;
    create function make_index(name text) returns void language plpgsql as $body$ begin
      execute format('create index %I on public.e using hnsw ((v::extensions.halfvec(%s)) extensions.halfvec_l2_ops) with (m = %s) where id > %s', name, 3, 8, 9);
      execute 'create index d on public.e using hnsw (v extensions.vector_ip_ops) with (m = ' || 4 || ')';
    end $body$;
    select make_index('c');`);
  expect(await backend.sql("select indexname from pg_indexes where tablename = 'e' order by 1")).toEqual(
    ["a", "b", "c", "d"].map((indexname) => ({ indexname })),
  );
  expect(await backend.sql("select pg_get_indexdef('public.c'::regclass) as text")).toEqual([
    { text: expect.stringContaining("(id > 9)") },
  ]);
});

test("functions set the parameters of vector searches", async () => {
  expect(
    await apply(`
      create function nearest() returns text language sql set hnsw.ef_search = 100 as $$ select current_setting('hnsw.ef_search') $$;
      create function alike() returns text language sql as $$ select current_setting('pg_trgm.similarity_threshold') $$;
      alter function alike() set pg_trgm.similarity_threshold = 0.5;
      alter role authenticated set ivfflat.probes = 10;`),
  ).toEqual([]);
  expect(await backend.sql("select nearest(), alike()")).toEqual([{ nearest: "100", alike: "0.5" }]);
});

test("what was pulled of queues is there already", async () => {
  const notes = await apply(`create schema if not exists "pgmq"; alter schema "pgmq" owner to "postgres";
    create extension if not exists "pgmq" with schema "pgmq" version '1.4.4';
    create type "pgmq"."message_record" as ("msg_id" bigint, "read_ct" integer, "message" jsonb);
    grant select on table "pgmq"."meta" to "pg_monitor";
    grant all on function "pgmq"."read"("queue_name" "text", "vt" integer, "qty" integer) to "service_role";
    create schema "pgmq_public"; alter schema "pgmq_public" owner to "postgres";
    create function "pgmq_public"."read"("queue_name" "text", "n" integer) returns setof "pgmq"."message_record"
      language "plpgsql" set "search_path" to '' as $$ begin return query select * from pgmq.read(queue_name := queue_name, vt := 1, qty := n); end; $$;`);
  expect(notes).toEqual([
    expect.stringMatching(/^Homebase has another version .* "1\.4\.4"/),
    'type "message_record" already exists; left out here',
  ]);
});

test("messages have the columns of hosted's version, so that functions may copy them", async () => {
  await apply(`create extension pgmq; select pgmq.create('rows');
    create function next_rows() returns table (msg_id bigint, read_ct int, enqueued_at timestamptz, vt timestamptz, message jsonb, headers jsonb)
      language plpgsql as $$ begin return query select * from pgmq.read('rows', 1, 5); end $$;
    create function set_vt_all(ids bigint[]) returns setof pgmq.message_record language plpgsql as $$ begin
      return query execute 'update pgmq.q_rows q set vt = now() where msg_id = any ($1) returning q.msg_id, q.read_ct, q.enqueued_at, q.vt, q.message, q.headers' using ids; end $$;
    create table copies (like pgmq.q_rows); insert into copies select * from pgmq.q_rows;`);
  await backend.sql(`select pgmq.send('rows', '{"n": 1}', '{"h": 2}'::jsonb)`);
  expect(await backend.sql("select read_ct, message, headers from next_rows()")).toEqual([
    { read_ct: 1, message: { n: 1 }, headers: { h: 2 } },
  ]);
  expect(await backend.sql("select message from set_vt_all(array[1])")).toEqual([{ message: { n: 1 } }]);
  expect(await backend.sql("select read_ct from pgmq.read_with_poll('rows', 0, 1, 1, 10)")).toEqual([
    { read_ct: 2 },
  ]);
  expect(await backend.sql("select pgmq.archive('rows', 1) as done")).toEqual([{ done: true }]);
  expect(await backend.sql("select message, headers from pgmq.a_rows")).toEqual([
    { message: { n: 1 }, headers: { h: 2 } },
  ]);
});

const PGMQ = [
  "archive(text, bigint)",
  "archive(text, bigint[])",
  "create(text)",
  "create_non_partitioned(text)",
  "create_partitioned(text, text, text)",
  "create_unlogged(text)",
  "delete(text, bigint)",
  "delete(text, bigint[])",
  "detach_archive(text)",
  "drop_queue(text)",
  "drop_queue(text, boolean)",
  "format_table_name(text, text)",
  "list_queues()",
  "metrics(text)",
  "metrics_all()",
  "pop(text)",
  "purge_queue(text)",
  "read(text, integer, integer)",
  "read(text, integer, integer, jsonb)",
  "read_with_poll(text, integer, integer, integer, integer, jsonb)",
  "send(text, jsonb)",
  "send(text, jsonb, integer)",
  "send(text, jsonb, timestamptz)",
  "send(text, jsonb, jsonb)",
  "send(text, jsonb, jsonb, integer)",
  "send(text, jsonb, jsonb, timestamptz)",
  "send_batch(text, jsonb[])",
  "send_batch(text, jsonb[], integer)",
  "send_batch(text, jsonb[], jsonb[], integer)",
  "set_vt(text, bigint, integer)",
  "validate_queue_name(text)",
];

test("queues have every function of hosted's pgmq", async () => {
  await apply("create extension pgmq");
  expect(
    await backend.sql(
      "select name from unnest($1::text[]) name where to_regprocedure('pgmq.' || name) is null",
      [PGMQ],
    ),
  ).toEqual([]);
});

test("queues have the signatures of hosted's version", async () => {
  await apply(`create extension pgmq; select pgmq.create('q');
    grant execute on function pgmq.pop(text), pgmq.read(text, integer, integer), pgmq.read(text, integer, integer, jsonb) to service_role;`);
  await backend.sql(`select pgmq.send('q', '{"n": 1}')`);
  await backend.sql(`select pgmq.send('q', '{"n": 2}')`);
  expect(await backend.sql("select message from pgmq.read('q', 0, 1)")).toEqual([{ message: { n: 1 } }]);
  expect(
    await backend.sql(
      `select message from pgmq.read(queue_name := 'q', vt := 0, qty := 5, conditional := '{"n": 2}')`,
    ),
  ).toEqual([{ message: { n: 2 } }]);
  expect(await backend.sql("select message from pgmq.pop(queue_name := 'q')")).toEqual([
    { message: { n: 1 } },
  ]);
  expect(await backend.sql("select message from pgmq.pop('q', 1)")).toEqual([{ message: { n: 2 } }]);
});

test("wrappers and their foreign tables are made; reading one says that there is no handler", async () => {
  await apply(`create extension if not exists wrappers with schema extensions;
    create foreign data wrapper shop handler stripe_fdw_handler validator stripe_fdw_validator;
    create server shop_server foreign data wrapper shop options (api_key_id 'x');
    create foreign table customers (id text) server shop_server options (object 'customers');`);
  await expect(backend.sql("select * from customers")).rejects.toThrow(
    'foreign-data wrapper "shop" has no handler',
  );
});

test("keys of pgsodium are made, and columns that it would encrypt are kept as they are", async () => {
  const notes = await apply(`create extension pgsodium;
    create table notes (id int, body text, key_id uuid references pgsodium.key default (pgsodium.create_key()).id,
      nonce bytea default pgsodium.crypto_aead_det_noncegen());
    security label for pgsodium on column notes.body is 'ENCRYPT WITH KEY COLUMN key_id NONCE nonce';
    select pgsodium.create_key(name := 'mine');
    insert into notes (id, body) values (1, 'open');
    grant all on table "pgsodium"."decrypted_key" to "pgsodium_keyholder";
    grant all on sequence "pgsodium"."key_key_id_seq" to "pgsodium_keyiduser";
    grant all on table "pgsodium"."masking_rule", "pgsodium"."mask_columns" to "pgsodium_keyholder";`);
  expect(notes).toEqual([expect.stringContaining("stored unencrypted")]);
  expect(
    await backend.sql(
      `select body, length(nonce) as nonce, key_type::text from notes join pgsodium.key k on k.id = notes.key_id`,
    ),
  ).toEqual([{ body: "open", nonce: 16, key_type: "aead-det" }]);
  expect(await backend.sql("select (pgsodium.get_key_by_name('mine')).key_type::text as type")).toEqual([
    { type: "aead-det" },
  ]);
  await expect(backend.sql("select pgsodium.crypto_box_new_keypair()")).rejects.toThrow(
    "without its library",
  );
});

test("procedures and blocks that commit run outside of a transaction", async () => {
  expect(
    await apply(`create table steps (n int); alter table storage.objects enable row level security;
      create procedure fill() language plpgsql as $$ begin
        insert into public.steps values (1); commit; insert into public.steps values (2); end $$;
      call fill();
      do $$ begin insert into public.steps values (3); commit; end $$;`),
  ).toEqual(["must be owner of table objects"]);
  expect(await backend.sql("select n from steps order by n")).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(
    await backend.sql("select count(*)::int from supabase_migrations.schema_migrations where name = 'test'"),
  ).toEqual([{ count: 1 }]);
});

test("partitions are detached concurrently", async () => {
  await apply(`create table parts (id int) partition by range (id);
    create table part partition of parts for values from (0) to (9);
    alter table parts detach partition part concurrently;`);
  expect(
    await backend.sql("select count(*)::int from pg_inherits where inhrelid = 'part'::regclass"),
  ).toEqual([{ count: 0 }]);
});

test("what was pulled from another version of Storage and Auth is left out", async () => {
  const notes = await apply(`
    create trigger "protect_buckets_delete" before delete on storage.buckets for each statement execute function storage.protect_delete();
    create trigger prefixes_create_hierarchy before insert on storage.prefixes for each row execute function storage.prefixes_insert_trigger();
    revoke select on table "storage"."prefixes" from "anon";
    alter table "storage"."prefixes" drop constraint if exists "prefixes_bucketId_fkey";
    create index name_prefix_search on storage.objects using btree (name text_pattern_ops);
    select pg_catalog.setval('"pgsodium"."key_key_id_seq"', 1, false);
    select pg_catalog.setval('"auth"."refresh_tokens_id_seq"', 7, true);
    create policy "mine" on storage.objects for select using (owner_id = auth.uid()::text);`);
  expect(notes).toEqual([
    'trigger "protect_buckets_delete" for relation "buckets" already exists; left out here',
    'relation "storage.prefixes" does not exist; left out here',
    'relation "storage.prefixes" does not exist; left out here',
    'relation "storage.prefixes" does not exist; left out here',
    'relation "name_prefix_search" already exists; left out here',
    expect.stringMatching(/key_key_id_seq.* does not exist; left out here/),
  ]);
  expect(await backend.sql("select nextval('auth.refresh_tokens_id_seq')::int as next")).toEqual([
    { next: 8 },
  ]);
  expect(await backend.sql("select count(*)::int from pg_policies where policyname = 'mine'")).toEqual([
    { count: 1 },
  ]);
});

test("rows of a dump with columns of another version of Storage and Auth lose these columns alone", async () => {
  const notes = await apply(`
    insert into "storage"."buckets" ("id", "name", "type", "region") values ('box', 'box', 'STANDARD', 'x');
    insert into storage.objects (id, bucket_id, name, metadata, level) values
      ('6a1f5c1e-6b1a-4a8e-9df8-0f2f1d1c0a01', 'box', 'a/on conflict.png', '{"size": 3}', 2),
      ('6a1f5c1e-6b1a-4a8e-9df8-0f2f1d1c0a02', 'box', 'b.png', null, 1) on conflict do nothing;
    insert into storage.objects (id, bucket_id, name, level) values ('6a1f5c1e-6b1a-4a8e-9df8-0f2f1d1c0a02', 'box', 'b.png', 1)
      on conflict (id) do update set version = excluded.name;
    insert into storage.prefixes (bucket_id, name) values ('box', 'a');
    insert into auth.users (id, email, shoe_size) select gen_random_uuid(), 'a@b.test', 42;`);
  expect(notes).toEqual([
    'column "region" of relation "buckets" does not exist; left out here',
    'column "level" of relation "objects" does not exist; left out here',
    'column "level" of relation "objects" does not exist; left out here',
    'relation "storage.prefixes" does not exist; left out here',
    'column "shoe_size" of relation "users" does not exist; left out here',
  ]);
  expect(
    await backend.sql(
      "select name, metadata, version from storage.objects where bucket_id = 'box' order by name",
    ),
  ).toEqual([
    { name: "a/on conflict.png", metadata: { size: 3 }, version: null },
    { name: "b.png", metadata: null, version: "b.png" },
  ]);
  expect(await backend.sql("select email from auth.users where email = 'a@b.test'")).toEqual([
    { email: "a@b.test" },
  ]);
});

test("a mistake in a row of a service is still one", async () => {
  await expect(
    apply("insert into storage.objects (bucket_id, name) values ('none', missing)"),
  ).rejects.toThrow('column "missing" does not exist');
  await expect(apply("insert into storage.buckets (id, name) values ('a', 'a'), ('a', 'b')")).rejects.toThrow(
    "duplicate key",
  );
});

test("a mistake in what is tolerated elsewhere is still one", async () => {
  await expect(apply("grant select on auth.users to nobody")).rejects.toThrow('role "nobody" does not exist');
  await expect(
    apply("create trigger t after insert on storage.objects for each row execute function public.missing()"),
  ).rejects.toThrow("does not exist");
  await expect(apply("alter table public.missing owner to supabase_admin")).rejects.toThrow("does not exist");
});

test("extensions that the CLI's database is born with may be dropped", async () => {
  expect(await apply("drop extension pg_graphql; drop extension if exists pg_net cascade;")).toEqual([
    'extension "pg_graphql" does not exist; left out here',
  ]);
  await expect(apply("drop extension postgis")).rejects.toThrow('extension "postgis" does not exist');
});

test.each([
  ["create extension pg_uuidv7", "Hosted projects do not offer it"],
  ["create extension if not exists pgvector with schema extensions", "have vector, supabase_vault"],
  [
    "create extension http; create extension pg_tle; select status from http_get('https://api.database.dev/rest/v1/package_versions?package_name=eq.a-b')",
    "Homebase includes supabase-dbdev",
  ],
  ["create extension file_fdw", "Only a superuser may create it"],
  ["insert into vault.secrets (name, secret) values ('a', 'b')", "vault.create_secret"],
])("what to do is said of: %s", async (sql, advice) => {
  await expect(apply(sql)).rejects.toMatchObject({ advice: expect.stringContaining(advice) });
});

test("an extension that postgres does not own is updated to the version that is here, and another one is told", async () => {
  expect(
    await apply(
      "alter extension supabase_vault update to '0.3.1'; alter extension supabase_vault update; alter extension supabase_vault update to \"0.3.1\";",
    ),
  ).toEqual([]);
  expect(await apply("alter extension supabase_vault update to '0.9'")).toEqual([
    "Homebase has another version of the extension: 0.3.1",
  ]);
});

test("a migration that checks what anon may execute finds what default privileges took away, or left", async () => {
  const check = (name: string, may: boolean) =>
    `do $$ begin if has_function_privilege('anon', 'public.${name}()', 'execute') <> ${may} then raise exception '${name}'; end if; end $$;`;
  const made = (name: string) =>
    `create function public.${name}() returns int language sql as $$ select 1 $$;`;
  expect(
    await apply(`${made("open")} ${check("open", true)} revoke execute on function public.open() from public;
      ${check("open", true)} revoke execute on function public.open() from anon; ${check("open", false)}
      alter default privileges in schema public revoke execute on functions from anon;
      ${made("by_all")} ${check("by_all", true)}
      alter default privileges revoke execute on functions from public; ${made("closed")} ${check("closed", false)}`),
  ).toEqual([]);
});

test("a function handed to a role that postgres may become, but does not inherit from, is changed as that role", async () => {
  await apply(`create role "app owner" nologin; grant "app owner" to postgres with inherit false, set true;
    grant usage, create on schema public to "app owner";
    create function public.handed() returns int language sql as 'select 1';
    alter function public.handed() owner to "app owner";`);
  for (const change of [
    "create or replace function public.handed() returns int language sql as 'select 2'",
    "comment on function public.handed() is 'x'",
    "alter function public.handed() owner to postgres",
  ]) {
    const failed = await apply(change).catch((error: unknown) => error);
    expect(failed, change).toBeInstanceOf(ProjectFileError);
    expect((failed as ProjectFileError).describe()).toMatch(
      /must be owner of function (public\.)?handed[\s\S]*set role/,
    );
  }
  expect(
    await apply(`set role "app owner"; create or replace function public.handed() returns int language sql as 'select 2';
      comment on function public.handed() is 'x'; reset role;
      grant "app owner" to postgres with inherit true; alter function public.handed() owner to postgres;
      drop owned by "app owner"; drop role "app owner";`),
  ).toEqual([]);
  expect(await backend.sql("select public.handed()")).toEqual([{ handed: 2 }]);
});

test("tables of a foreign server whose wrapper has no library are not imported, and the file goes on", async () => {
  const notes = await apply(`create extension wrappers with schema extensions;
    create schema stripe;
    create foreign data wrapper stripe_wrapper handler stripe_fdw_handler validator stripe_fdw_validator;
    create server stripe_server foreign data wrapper stripe_wrapper options (api_key_name 'key');
    import foreign schema stripe from server stripe_server into stripe;
    create table after_it (id int);`);
  expect(notes.at(-1)).toMatch(/no foreign table is made/);
  expect(await backend.sql("select to_regclass('public.after_it') is not null as made")).toEqual([
    { made: true },
  ]);
});

test("policies, compression and continuous aggregates of timescaledb are left out", async () => {
  const said = await apply(`create extension timescaledb with schema extensions;
    create table readings (at timestamptz not null, device text, value float8);
    select create_hypertable('readings', 'at', if_not_exists => true);
    select set_chunk_time_interval('readings', interval '1 day');
    alter table readings set (timescaledb.compress, timescaledb.compress_segmentby = 'device');
    select add_compression_policy('readings', compress_after => interval '7 days');
    select add_retention_policy('readings', drop_after => interval '1 year', if_not_exists => true);
    create materialized view hourly with (timescaledb.continuous, timescaledb.materialized_only = true) as
      select time_bucket('1 hour', at) as hour, avg(value) from readings group by 1 with no data;
    select add_continuous_aggregate_policy('hourly', start_offset => interval '3 hours', end_offset => null, schedule_interval => interval '1 hour');
    insert into readings values ('2026-01-01 10:30+00', 'a', 2), ('2026-01-01 10:40+00', 'a', 4);
    call refresh_continuous_aggregate('hourly', null, '2026-02-01');`);
  expect(said.map((one) => /^Hosted projects have the Apache edition/.test(one))).toEqual(
    Array(5).fill(true),
  );
  expect(await backend.sql("select avg from hourly")).toEqual([{ avg: 3 }]);
});
