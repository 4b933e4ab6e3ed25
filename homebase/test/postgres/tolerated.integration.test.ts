/** Statements of dumps and of earlier times in a project's files: what is passed over with a note, and what works. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { applyMigrations } from "../../src/postgres/migrations.ts";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";

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
      create table if not exists "auth"."users" (id uuid);
      alter table "auth"."users" owner to "supabase_auth_admin";
      alter schema "public" owner to "pg_database_owner";`),
  ).toEqual([]);
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
  ["create extension file_fdw", "Only a superuser may create it"],
  ["insert into vault.secrets (name, secret) values ('a', 'b')", "vault.create_secret"],
])("what to do is said of: %s", async (sql, advice) => {
  await expect(apply(sql)).rejects.toMatchObject({ advice: expect.stringContaining(advice) });
});
