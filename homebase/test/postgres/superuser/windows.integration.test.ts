/**
 * Code of the project's that runs before a guard of Homebase's has looked: an event trigger whose name sorts first, and
 * what a statement itself calls. Each test tries it and looks at who ran.
 */
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

const CAST = "create cast (hostile.key as uuid) with function hostile.to_uuid(hostile.key) as implicit";

async function prepareKeys(): Promise<void> {
  await session.client.query(`
    create type hostile.key as (id uuid);
    create function hostile.to_uuid(hostile.key) returns uuid language plpgsql as $$
      begin perform probes.probe('cast'); return $1.id; end $$;
    create table hostile.plain (secret uuid references vault.secrets);
    create table hostile.keys (secret hostile.key, other int);
    create function hostile.fill() returns text language plpgsql as $$
      begin
        if (select count(*) from hostile.keys) < 3 then
          insert into hostile.keys (secret) select row(id)::hostile.key from vault.secrets;
        end if;
        return '';
      end $$;
    create function hostile.on_ddl() returns event_trigger language plpgsql as $$ begin perform hostile.fill(); end $$;
    insert into hostile.keys values (null, 1);
    insert into hostile.plain select vault.create_secret('x')`);
}

const KEY = "alter table hostile.keys add foreign key (secret) references vault.secrets not valid";

test("no cast of the project's runs for a foreign key whose statement has not ended", async () => {
  await prepareKeys();
  const made = await session.attempt(CAST);
  const errors: (string | undefined)[] = [];
  for (const text of [
    `${KEY}, alter other type text using hostile.fill()`,
    `${KEY}, add more text default hostile.fill()`,
    `${KEY}, add check (hostile.fill() = '')`,
    "alter table hostile.plain alter secret type hostile.key using row(secret)::hostile.key",
  ])
    errors.push(await session.attempt(text));
  await session.client.query(
    "select extensions.create_event_trigger('a_first', 'ddl_command_end', array['ALTER TABLE'], 'hostile.on_ddl()'::regprocedure)",
  );
  errors.push(await session.attempt(KEY));
  expect(await session.caught()).toEqual([]);
  expect(made).toBeUndefined();
  expect(new Set(errors)).toEqual(new Set(["permission denied for table secrets"]));
});

test("a cast that is made while such a statement has not ended is refused", async () => {
  await prepareKeys();
  await session.client.query(`
    create cast (hostile.key as uuid) with inout as implicit;
    create function hostile.replace_cast() returns text language plpgsql as $$
      begin drop cast (hostile.key as uuid); ${CAST}; return hostile.fill(); end $$`);
  const error = await session.attempt(`${KEY}, add more text default hostile.replace_cast()`);
  expect(await session.caught()).toEqual([]);
  expect(error).toMatch(
    /^foreign key "\w+" cannot refer to vault.secrets from a column of type hostile.key$/,
  );
});

test("with such a cast no later extension lends a table of the superuser's, to an earlier event trigger either", async () => {
  await prepareKeys();
  await session.client.query(`
    ${CAST};
    create table hostile.lent (name text);
    create function hostile.look() returns event_trigger language plpgsql as $$
      begin
        insert into hostile.lent select c.oid::regclass::text from pg_class c join pg_roles r on r.oid = c.relowner and r.rolsuper
        where c.relkind in ('r', 'p') and c.oid >= 16384 and has_table_privilege('postgres', c.oid, 'references');
      end $$;
    select extensions.create_event_trigger('a_first', 'ddl_command_end', array['CREATE EXTENSION'], 'hostile.look()'::regprocedure);
    create extension pgsodium; create extension pg_cron; create extension postgis`);
  expect((await session.client.query("select name from hostile.lent")).rows).toEqual([]);
});

test("dblink_connect_u is not executable when an event trigger runs that follows its script", async () => {
  await session.client.query(`
    create table hostile.seen (may bool);
    create function hostile.look() returns event_trigger language plpgsql as $$
      begin insert into hostile.seen select has_function_privilege('public.dblink_connect_u(text)', 'execute'); end $$;
    select extensions.create_event_trigger('a_first', 'ddl_command_end', array['CREATE EXTENSION'], 'hostile.look()'::regprocedure);
    create extension dblink with schema public`);
  expect((await session.client.query("select may from hostile.seen")).rows).toEqual([{ may: false }]);
});

test("the guard of casts is the first event trigger, whatever name the project's own have", async () => {
  await session.client.query(`
    create function hostile.on_ddl() returns event_trigger language plpgsql as $$ begin null; end $$;
    select extensions.create_event_trigger(e'\\x01!', 'ddl_command_end', null, 'hostile.on_ddl()'::regprocedure)`);
  const { rows } = await session.client.query(
    "select proname as function from pg_event_trigger join pg_proc p on p.oid = evtfoid order by evtname limit 1",
  );
  expect(rows).toEqual([{ function: "refuse_casts_of_keys" }]);
  expect(await session.attempt(`alter event trigger "\u0001!" rename to "\u0001"`)).toMatch(/already exists/);
});
