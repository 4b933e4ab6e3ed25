/** Ways from role postgres to the superuser that were open once. Each test tries one and looks at who ran. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createBackend, type TestBackend } from "../../../src/testing/index.ts";
import { type HostileSession, hostileSession } from "./hostile.ts";

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
  for (const name of ["pause_event_triggers", "refuse_service_ddl", "refuse_service_drop", "pgrst_ddl_watch"])
    expect(await session.attempt(`drop function extensions.${name}() cascade`)).toMatch(/must be owner/);
  expect((await session.client.query(count)).rows).toEqual([before]);
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
