/** What assistants do not read: passwords, tokens and secrets of Auth and Vault, whichever way a statement goes. */
import { createClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected } from "../../../src/postgres/connected.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import { useOwnCluster } from "../../../test/own-cluster.ts";
import { createBackend } from "../../testing.ts";
import { ReadOnly } from "../read-only.ts";
import { WITHHELD } from "../reader-rights.ts";

await useOwnCluster();

const never = new AbortController().signal;
let readOnly: ReadOnly;
const run = (query: string) => readOnly.rows(query, never);
const backend = await forThisFile(createBackend({ bare: true }));

beforeAll(async () => {
  const client = createClient(backend.url, backend.publishableKey);
  await client.auth.signUp({ email: "ana@example.com", password: "correct horse battery" });
  await backend.sql(`
    select vault.create_secret('the secret', 'key');
    create schema private;
    create table public.notes (id int primary key, title text);
    insert into public.notes values (1, 'first');
    create view public.people as select id, email from auth.users;
    create view public.whole as select * from auth.users;
    create view public.rows_of as select to_jsonb(u) as person from auth.users u;
    create view public.joined as select to_jsonb(j) as both_ from (auth.users u join auth.sessions s on s.user_id = u.id) j;
    create view public.above as select count(*) filter (where encrypted_password <> '') as n from public.whole;
    create materialized view private.copied as select email, encrypted_password from auth.users;
    create view public.invoked with (security_invoker) as select email, encrypted_password from auth.users;
    create function private.hash() returns text language sql security definer
      as 'select encrypted_password from auth.users';
    create function private.exec_sql(query text) returns text language plpgsql security definer
      as 'declare found text; begin execute query into found; return found; end';
    create function private.parallel_hash(int) returns text language plpgsql security definer stable parallel safe
      as 'begin return (select encrypted_password from auth.users); end';
    create function private.raises() returns text language plpgsql security definer
      as 'begin raise exception ''%'', (select encrypted_password from auth.users); end';
    create function public.calls() returns text language sql as 'select private.hash()';
    create view public.calling as select private.hash() as word;
    create function private.invoker() returns text language plpgsql
      as 'begin return (select encrypted_password from auth.users); end';
  `);
  readOnly = new ReadOnly(backend.database);
});
afterAll(() => readOnly.close());

test("the other columns of these tables are read", async () => {
  expect(await run("select email from auth.users")).toEqual([{ email: "ana@example.com" }]);
  expect(await run("select email from people")).toEqual([{ email: "ana@example.com" }]);
  expect(
    await run("select count(*)::int as n from auth.sessions s join auth.users u on u.id = s.user_id"),
  ).toEqual([{ n: 1 }]);
  expect(await run("select name from vault.secrets where name = 'key'")).toEqual([{ name: "key" }]);
});

test.each(Object.entries(WITHHELD).flatMap(([table, columns]) => columns.map((column) => [table, column])))(
  "%s: %s is withheld",
  async (table, column) => {
    await expect(run(`select ${column} from ${table}`)).rejects.toThrow(/permission denied for/);
  },
);

/** By names and types that secrets have, and why these are shown. */
const SHOWN: Record<string, string> = {
  "auth.custom_oauth_providers.skip_nonce_check": "a choice",
  "auth.custom_oauth_providers.token_url": "an address",
  "auth.custom_oauth_providers.cached_discovery": "a public document",
  "auth.flow_state.auth_code_issued_at": "a time",
  "auth.flow_state.code_challenge_method": "a choice",
  "auth.flow_state.oauth_client_state_id": "a key",
  "auth.mfa_recovery_codes.mfa_recovery_code_set_id": "a key",
  "auth.oauth_authorizations.code_challenge_method": "a choice",
  "auth.oauth_clients.token_endpoint_auth_method": "a choice",
  "auth.one_time_tokens.token_type": "a choice",
  "auth.saml_relay_states.flow_state_id": "a key",
  "auth.sessions.refresh_token_counter": "a number",
  "auth.webauthn_challenges.challenge_type": "a choice",
  "auth.webauthn_credentials.credential_id": "public",
  "auth.webauthn_credentials.public_key": "public",
  "storage.migrations.hash": "of the stack's own files",
  "storage.objects.path_tokens": "parts of a name",
  "storage.s3_multipart_uploads.key": "a name",
  "storage.s3_multipart_uploads_parts.key": "a name",
  "storage.vector_indexes.metadata_configuration": "a choice",
  "supabase_migrations.seed_files.hash": "of the project's own files",
  "vault.secrets.key_id": "a key",
};

test("every column of the stack's own tables that may be a secret by its name is withheld or known to be none", async () => {
  const found = await backend.sql<{ name: string }>(
    `select n.nspname || '.' || c.relname || '.' || a.attname as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
     where c.relkind in ('r', 'p') and n.nspname in ('auth', 'storage', 'vault', 'realtime', 'supabase_functions', 'supabase_migrations')
       and (a.attname ~ 'secret|token|hash|key$|key_|code|pass|otp|challenge|nonce|signature|verif|config|session_data|credential$|credential_|state$|state_|^parent$|discovery$'
         or a.atttypid = 'bytea'::regtype and n.nspname <> 'realtime')
       and a.attname !~ '_(at|count|until)$' and not c.relispartition`,
  );
  const withheld = Object.entries(WITHHELD).flatMap(([table, columns]) =>
    columns.map((column) => `${table}.${column}`),
  );
  const judged = new Set([...withheld, ...Object.keys(SHOWN)]);
  expect(found.map(({ name }) => name).filter((name) => !judged.has(name))).toEqual([]);
  expect(withheld.filter((name) => !found.some((one) => one.name === name))).toEqual([]);
});

const DENIED = /permission denied/;
const DEFINER = /runs with its owner's rights/;
const WAYS: [what: string, query: string, message: RegExp][] = [
  ["all columns", "select * from auth.users", /Name the other columns instead of \*/],
  ["the row as a whole", "select to_json(u) from auth.users u", DENIED],
  ["a condition", "select 1 from auth.users where encrypted_password like '$2a$%'", DENIED],
  ["an order", "select id from auth.users order by encrypted_password", DENIED],
  ["its plan", "explain select id from auth.users where encrypted_password = 'x'", DENIED],
  ["a copy", "copy auth.users to stdout", DENIED],
  ["a copy of a query", "copy (select encrypted_password from auth.users) to stdout", DENIED],
  ["xml", "select query_to_xml('select encrypted_password from auth.users', true, true, '')", DENIED],
  ["a table as xml", "select table_to_xml('auth.users', true, true, '')", DENIED],
  ["a block", "do $$ begin raise '%', (select encrypted_password from auth.users); end $$", DENIED],
  ["a function of the caller's rights", "select private.invoker()", DENIED],
  ["a view of all columns", "select email from whole", DENIED],
  ["a view of rows", "select * from rows_of", DENIED],
  ["a view of rows of a join", "select * from joined", DENIED],
  ["a view of such a view", "select * from above", DENIED],
  ["a materialized view", "select email from private.copied", DENIED],
  ["a view of the caller's rights", "select email from invoked", DENIED],
  ["a definer function", "select private.hash()", DEFINER],
  [
    "one that runs any statement",
    "select private.exec_sql('select token from auth.refresh_tokens')",
    DEFINER,
  ],
  ["one that raises it", "select private.raises()", DEFINER],
  ["one called by another", "select public.calls()", DEFINER],
  ["one called by a view", "select * from public.calling", DEFINER],
  ["one called by a block that fails", "do $$ begin raise '%', private.hash(); end $$", DEFINER],
  [
    "one called by a block that goes on after its error",
    "do $$ begin begin perform private.raises(); exception when others then raise '%', sqlerrm; end; end $$",
    DEFINER,
  ],
  [
    "one called by a parallel worker",
    `do $$ declare found text; begin
       set local debug_parallel_query = on; set local max_parallel_workers_per_gather = 2;
       execute 'select string_agg(private.parallel_hash(id), '''') from notes' into found; raise '%', found;
     end $$`,
    DEFINER,
  ],
  [
    "one called after a commit",
    "do $$ begin perform private.hash(); commit; end $$",
    /invalid transaction termination|runs with its owner's rights/,
  ],
  ["the passwords of logins", "select rolpassword from pg_authid", DENIED],
  ["values of the planner's statistics", "select * from pg_statistic", DENIED],
  ["passwords of foreign servers", "select * from pg_user_mapping", DENIED],
  ["Vault's view", "select decrypted_secret from vault.decrypted_secrets", DENIED],
];

describe("no secret is read by", () => {
  test.each(WAYS)("%s", async (_, query, message) => {
    const said = await run(query).then(JSON.stringify, (error: Error) => error.message);
    expect(said).toMatch(message);
    expect(said).not.toContain("$2");
  });
});

test("the planner's statistics have no values of withheld columns", async () => {
  await backend.database.query("supabase_admin", "analyze auth.users");
  const columns = await run("select attname from pg_stats where schemaname = 'auth' and tablename = 'users'");
  expect(columns).toContainEqual({ attname: "email" });
  expect(columns).not.toContainEqual({ attname: "encrypted_password" });
});

test("a new table and a new schema are read at the next call, whoever owns them", async () => {
  await backend.sql(`create role keeper; grant keeper to postgres; create schema fresh authorization keeper; set role keeper;
    create table fresh.things (id int); insert into fresh.things values (7); create view fresh.seen as select * from fresh.things;
    alter table fresh.things enable row level security; reset role`);
  expect(await run("select * from fresh.things")).toEqual([{ id: 7 }]);
  expect(await run("select * from fresh.seen")).toEqual([{ id: 7 }]);
});

test("a view that gets a withheld column is no longer read", async () => {
  expect(await run("select email from people")).toEqual([{ email: "ana@example.com" }]);
  await backend.sql(
    "create or replace view public.people as select id, email, encrypted_password from auth.users",
  );
  await expect(run("select email from people")).rejects.toThrow("permission denied for view people");
  await backend.sql("drop view public.people; create view public.people as select id, email from auth.users");
  expect(await run("select email from people")).toEqual([{ email: "ana@example.com" }]);
});

test("a view that gets one while a statement runs gives that statement no rows", async () => {
  const running = run("select pg_sleep(1), 1 as one");
  running.catch(() => undefined);
  await expect
    .poll(() =>
      backend.sql(
        "select 1 from pg_stat_activity where query like '%pg_sleep(1)%' and usename = 'homebase_reader'",
      ),
    )
    .toHaveLength(1);
  await backend.sql(
    "create or replace view public.people as select id, email, encrypted_password from auth.users",
  );
  await expect(running).rejects.toThrow("was changed meanwhile");
  await backend.sql("drop view public.people; create view public.people as select id, email from auth.users");
});

test("a foreign table is not read: its server may be this one", async () => {
  await backend.sql(`create extension if not exists postgres_fdw with schema extensions;
    create server here foreign data wrapper postgres_fdw options (host '127.0.0.1', port '1');
    create user mapping for public server here options (user 'postgres', password 'postgres');
    create foreign table public.people_there (email text) server here options (schema_name 'auth', table_name 'users');
    create view public.people_elsewhere as select * from public.people_there`);
  await expect(run("select * from people_there")).rejects.toThrow("permission denied for foreign table");
  await expect(run("select * from people_elsewhere")).rejects.toThrow("permission denied for view");
  await backend.sql("drop extension postgres_fdw cascade");
});

test("while a grant to everybody opens what is withheld, no SQL runs", async () => {
  await backend.sql("grant select on public.whole to public");
  await expect(run("select 1")).rejects.toThrow("while a grant opens public.whole");
  await backend.sql("revoke select on public.whole from public");
  await backend.sql("grant select on private.copied to homebase_reader");
  expect(await run("select 1 as one")).toEqual([{ one: 1 }]);
  await expect(run("select * from private.copied")).rejects.toThrow("permission denied");
});

test("a migration that holds a table makes no call wait for it", async () => {
  await connected(backend.database.connection("postgres"), async (migration) => {
    await migration.query(
      "begin; create table public.coming (id int); alter table public.notes add later int",
    );
    expect(await run("select email from people")).toEqual([{ email: "ana@example.com" }]);
    await migration.query("commit");
  });
  expect(await run("select * from coming")).toEqual([]);
});

test("after a reset of the database it reads, and the same is withheld", async () => {
  await backend.reset();
  const again = new ReadOnly(backend.database);
  expect(await again.rows("select count(*)::int as n from auth.users", never)).toEqual([{ n: 0 }]);
  await expect(again.rows("select encrypted_password from auth.users", never)).rejects.toThrow(DENIED);
  await again.close();
});
