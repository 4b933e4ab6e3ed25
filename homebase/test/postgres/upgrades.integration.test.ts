/**
 * A database of an earlier Homebase is upgraded in place: its rows are kept, and it becomes equal to a new
 * one.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { afterEach, expect, test } from "vitest";
import { cloneDatabase, dropDatabase } from "../../src/postgres/cluster/copies.ts";
import { DataFolderError } from "../../src/postgres/cluster/data-folder.ts";
import { baseFiles, baseName, ensureBase, renewPowers } from "../../src/postgres/cluster/template.ts";
import {
  bringUpToDate,
  FIRST_BASE,
  newestVersion,
  readUpgrades,
  type Upgrade,
} from "../../src/postgres/upgrades/apply.ts";
import { testCluster } from "../../src/testing/cluster.ts";
import { describeDatabase } from "./catalog.ts";

const cluster = await testCluster(process.cwd());
const FIRST = join(import.meta.dirname, "versions", "0");
const first = (file: string) => readFileSync(join(FIRST, file), "utf8");
/** Excludes files of the base that were added later. */
const firstFiles = baseFiles.filter((file) => existsSync(join(FIRST, file)));
const made: string[] = [];

/** Upgrades a database as a start does. */
async function bringUpToDateNow(name: string): Promise<void> {
  await renewPowers(cluster, name);
  await bringUpToDate(cluster, name, {});
}

afterEach(async () => {
  for (const name of made.splice(0)) await dropDatabase(cluster, name);
});

async function versionOf(name: string): Promise<string | undefined> {
  const { rows } = await cluster.admin((client) =>
    client.query<{ setconfig: string[] }>(
      "select setconfig from pg_db_role_setting s join pg_database d on d.oid = setdatabase where datname = $1",
      [name],
    ),
  );
  return rows[0]?.setconfig.find((one) => one.startsWith("homebase.version="))?.split("=")[1];
}

/** A database of version 0, created from its SQL. */
async function firstVersion(): Promise<string> {
  await ensureBase(cluster); // For the roles.
  const name = `upgrades_${process.pid}_${made.length}`;
  made.push(name);
  await cloneDatabase(cluster, "template0", name);
  for (const file of firstFiles) {
    await cluster.admin((client) => client.query(first(file)), name, { unmade: true });
  }
  await cluster.admin(async (client) => {
    await client.query("insert into auth.users (id, email) values (gen_random_uuid(), 'ana@example.test')");
  }, name);
  return name;
}

test("the fixture of version 0 is the SQL that version 0 was made by", () => {
  expect(baseName(first("roles.sql"), firstFiles.map(first))).toBe(FIRST_BASE);
});

/** A new database. */
async function freshVersion(): Promise<string> {
  const name = `upgrades_${process.pid}_${made.length}_fresh`;
  made.push(name);
  await cloneDatabase(cluster, await ensureBase(cluster), name);
  return name;
}

// When this fails: also put the change of bootstrap/*.sql into a new file of src/postgres/upgrades.
test("version 0 and the upgrades lead to what a new database has, and rows stay", async () => {
  const old = await firstVersion();
  await bringUpToDateNow(old);
  const fresh = `${old}_fresh`;
  made.push(fresh);
  await cloneDatabase(cluster, await ensureBase(cluster), fresh);
  expect(await describeDatabase(cluster, old)).toEqual(await describeDatabase(cluster, fresh));
  const rows = await cluster.admin(
    async (client) => (await client.query("select email from auth.users")).rows,
    old,
  );
  expect(rows).toEqual([{ email: "ana@example.test" }]);
  // Repeating is harmless: a start may have been interrupted between an upgrade and the next step.
  for (const { sql } of readUpgrades()) await cluster.admin((client) => client.query(sql), old);
  expect(await describeDatabase(cluster, old)).toEqual(await describeDatabase(cluster, fresh));
});

/** A database of version 4, with the extensions that changed after it. */
async function fourthVersion(): Promise<string> {
  const name = `upgrades_${process.pid}_${made.length}_four`;
  made.push(name);
  const folder = join(import.meta.dirname, "versions", "4");
  const bootstrap = join(import.meta.dirname, "../../src/postgres/bootstrap");
  await cloneDatabase(cluster, "template0", name);
  const make = async (client: pg.ClientBase) => {
    for (const file of baseFiles) {
      const own = join(folder, file);
      const sql = readFileSync(existsSync(own) ? own : join(bootstrap, file), "utf8");
      // Vault is made by its script of then, below.
      await client.query(
        sql.replace("create extension if not exists supabase_vault;", "create schema vault;"),
      );
      await client.query("reset all; reset role");
    }
    for (const [extension, version, schema, owner] of EXTENSIONS_OF_FOUR) {
      if (extension === "pg_tle") await client.query("create schema pgtle authorization postgres");
      const sql = readFileSync(join(folder, "extensions", `${extension}.sql`), "utf8");
      await installByHand(client, { extension, version, schema, owner }, sql);
    }
    // pgsodium's script is today's.
    await client.query(`create function pg_catalog.homebase_own_schema(name) returns void language sql as '';
      create extension vector with schema extensions; create extension pgsodium; create extension pgaudit;
      drop function pg_catalog.homebase_own_schema`);
    await client.query(VECTOR_OF_FOUR);
  };
  await cluster.admin(make, name, { unmade: true });
  return name;
}

const EXTENSIONS_OF_FOUR = [
  ["supabase_vault", "0.3.1", "vault", "supabase_admin"],
  ["http", "1.6", "extensions", "postgres"],
  ["pg_cron", "1.6.4", "extensions", "postgres"],
  ["pg_net", "0.19.5", "extensions", "postgres"],
  ["pg_tle", "1.4.0", "pgtle", "postgres"],
] as const;

const EXTENSIONS_NOW = `set role postgres; create extension http with schema extensions;
  create extension pg_cron with schema extensions; create extension pg_net with schema extensions; create extension pg_tle;
  reset role; create extension vector with schema extensions; create extension pgsodium; create extension pgaudit`;

/** As vector's functions were: found by an attribute of theirs, as its script is the same otherwise. */
const VECTOR_OF_FOUR = `
  create or replace function pg_catalog.homebase_typmod(parts int4, first text, type_name text, most int4) returns int4
    language plpgsql immutable parallel safe as 'begin return first::int; end' set search_path = pg_catalog, pg_temp;
  drop function pg_catalog.homebase_refuse_typmod;
  do $$ declare own record; begin
    for own in
      select p.oid::regprocedure as signature, p.oid, p.prosrc from pg_proc p join pg_language l on l.oid = p.prolang
      where l.lanname = 'plpgsql' and 'search_path=pg_catalog, pg_temp' = any (p.proconfig)
        and (p.pronamespace = 'pg_catalog'::regnamespace and p.proname !~ '^homebase_(http|own|close|create|give|move|option)'
          or exists (select from pg_depend d join pg_extension e on e.oid = d.refobjid where d.objid = p.oid and e.extname in ('vector', 'pgsodium', 'pgaudit')))
    loop
      execute replace(pg_get_functiondef(own.oid), $x$decode('00000080', 'hex')$x$, $x$'\\x00000080'$x$);
      execute format('alter function %s set search_path = pg_catalog', own.signature);
      execute format('alter function %s reset standard_conforming_strings', own.signature);
    end loop;
  end $$`;

/** Runs an extension's script as CREATE EXTENSION does, whose files are today's. */
async function installByHand(
  client: pg.ClientBase,
  {
    extension,
    version,
    schema,
    owner,
  }: { extension: string; version: string; schema: string; owner: string },
  script: string,
): Promise<void> {
  const objects = async () =>
    (
      await client.query<{ object: string }>(
        `select o.type || ' ' || o.identity as object from (
           select 'pg_proc'::regclass as class, oid from pg_proc union all select 'pg_namespace', oid from pg_namespace
           union all select 'pg_class', oid from pg_class where relkind in ('r', 'v', 'S')
           union all select 'pg_type', oid from pg_type where typtype in ('d', 'e') or typtype = 'c' and
             (select relkind from pg_class c where c.oid = typrelid) = 'c'
           union all select 'pg_event_trigger', oid from pg_event_trigger
         ) x, lateral pg_identify_object(x.class, x.oid, 0) o where x.oid >= 16384`,
      )
    ).rows.map(({ object }) => object.replace("composite type", "type"));
  const before = new Set(await objects());
  await client.query(
    `insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
     values (pg_nextoid('pg_extension', 'oid', 'pg_extension_oid_index'), $1, $2::regrole, $3::regnamespace, false, $4)`,
    [extension, owner, schema, version],
  );
  await client.query(
    `insert into pg_depend (classid, objid, objsubid, refclassid, refobjid, refobjsubid, deptype)
     select 'pg_extension'::regclass, oid, 0, 'pg_namespace'::regclass, extnamespace, 0, 'n' from pg_extension where extname = $1
     union all select 'pg_extension'::regclass, e.oid, 0, 'pg_extension'::regclass, r.oid, 0, 'n'
     from pg_extension e, pg_extension r where e.extname = $1 and $1 = 'supabase_vault' and r.extname = 'pgcrypto'`,
    [extension],
  );
  const run = script
    .replaceAll("@extschema:pgcrypto@", "extensions")
    .replaceAll("@extschema@", schema)
    .replace(/select pg_catalog\.pg_extension_config_dump[^;]*;/g, "");
  await client.query(`set search_path = ${schema}, pg_temp; ${run}; reset search_path`);
  for (const object of await objects())
    if (!before.has(object)) await client.query(`alter extension ${extension} add ${object}`);
}

test("version 4 with its extensions becomes what a new database with them has", async () => {
  const old = await fourthVersion();
  await cluster.admin(async (client) => {
    // What a project could put where the superuser's code comes.
    await client.query(`set role postgres;
      create function pgtle._is_installed(text) returns boolean language sql as 'select true';
      create function extensions.close_dblink() returns event_trigger language plpgsql as 'begin end'`);
  }, old);
  await renewPowers(cluster, old);
  await bringUpToDate(cluster, old, { "homebase.version": "4" });
  const fresh = `${old}_fresh`;
  made.push(fresh);
  await cloneDatabase(cluster, await ensureBase(cluster), fresh);
  await cluster.admin((client) => client.query(EXTENSIONS_NOW), fresh);
  // Its rights are those that its first owner's default privileges gave it.
  const rights = /^(function .*extensions\.close_dblink[\s\S]*owner supabase_admin) acl .*$/;
  const lines = async (name: string) =>
    (await describeDatabase(cluster, name)).map((line) => line.replace(rights, "$1"));
  const expected = await lines(fresh);
  expect(await lines(old)).toEqual(expected);
  // Repeating is harmless here, too.
  await bringUpToDate(cluster, old, { "homebase.version": "4" });
  expect(await lines(old)).toEqual(expected);
});

/** Makes, as role postgres, whatever it can under the names of a new database's functions of the superuser. */
async function prepareTraps(old: string, fresh: string): Promise<number> {
  const { rows } = await cluster.admin(
    (client) =>
      client.query<{ place: string; takes: string; gives: string }>(
        `select quote_ident(n.nspname) || '.' || quote_ident(p.proname) as place,
           pg_get_function_arguments(p.oid) as takes, pg_get_function_result(p.oid) as gives
         from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_roles r on r.oid = p.proowner
         where p.oid >= 16384 and p.prokind = 'f' and r.rolsuper`,
      ),
    fresh,
  );
  return cluster.admin(async (client) => {
    await client.query("set role postgres");
    let count = 0;
    for (const { place, takes, gives } of rows) {
      const exact = `${place}(${takes}) returns ${gives}`;
      for (const signature of [exact, `${place}(trap "char"[]) returns int`])
        await client
          .query(
            `create function ${signature} language plpgsql security definer as 'begin perform ''a trap''; end'`,
          )
          .then(
            () => count++,
            () => undefined,
          );
    }
    return count;
  }, old);
}

test.each([
  ["version 0", firstVersion, {}],
  ["version 4", fourthVersion, { "homebase.version": "4" }],
  ["this version", freshVersion, {}],
])("%s: a start lends no superuser's rights to functions of the project's", async (_, make, settings) => {
  const old = await make();
  const fresh = await freshVersion();
  await cluster.admin((client) => client.query(EXTENSIONS_NOW), fresh);
  expect(await prepareTraps(old, fresh)).toBeGreaterThan(5);
  await renewPowers(cluster, old);
  await bringUpToDate(cluster, old, settings);
  const { rows } = await cluster.admin(
    (client) =>
      client.query(
        `select p.oid::regprocedure::text from pg_proc p join pg_roles r on r.oid = p.proowner
         where r.rolsuper and p.prosrc like '%a trap%'`,
      ),
    old,
  );
  expect(rows).toEqual([]);
});

test("an upgrade that fails leaves the database at the one before, and the next start goes on from there", async () => {
  const old = await firstVersion();
  const steps = (last: string): Upgrade[] => [
    { version: 1, file: "0001_one.sql", sql: "alter table auth.users add column if not exists one int" },
    { version: 2, file: "0002_two.sql", sql: `alter table auth.users add column two int; ${last}` },
  ];
  const columns = () =>
    cluster.admin(async (client) => {
      const { rows } = await client.query<{ attname: string }>(
        "select attname from pg_attribute where attrelid = 'auth.users'::regclass and attname in ('one', 'two') order by 1",
      );
      return rows.map(({ attname }) => attname);
    }, old);
  const failed = bringUpToDate(cluster, old, {}, steps("select 1 / 0"));
  await expect(failed).rejects.toThrow(DataFolderError);
  await expect(failed).rejects.toThrow(/0002_two\.sql failed: division by zero/);
  expect([await columns(), await versionOf(old)]).toEqual([["one"], "1"]);
  expect(await bringUpToDate(cluster, old, { "homebase.version": "1" }, steps(""))).toEqual(["0002_two.sql"]);
  expect([await columns(), await versionOf(old)]).toEqual([["one", "two"], "2"]);
  expect(await bringUpToDate(cluster, old, { "homebase.version": "2" }, steps(""))).toEqual([]);
});

test("a database of a newer Homebase is refused and left as it is", async () => {
  const old = await firstVersion();
  await expect(
    bringUpToDate(cluster, old, { "homebase.version": String(newestVersion() + 1) }),
  ).rejects.toThrow(/newer Homebase/);
});
