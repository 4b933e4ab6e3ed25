/**
 * The walk: every extension is made in a schema full of hostile overloads, then every function that may run with a
 * superuser's rights is called by role postgres, with hostile types and views in pg_temp, and once more after the schema
 * was renamed and others took its place. No code of the project may run as a superuser.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { EXTENSIONS } from "../../../src/postgres/extensions/classes.ts";
import { createBackend, type TestBackend } from "../../../src/testing/index.ts";
import { type HostileSession, hostileSession } from "./hostile.ts";
import { RIGHTS } from "./rights.ts";

interface Owned extends Record<string, unknown> {
  schema: string;
  name: string;
  /** Types of its arguments, with their schemas. */
  types: string[];
  result: string;
  kind: string;
  language: string;
  definer: boolean;
  /** Whether names in its body were resolved when it was created. */
  bound: boolean;
  strict: boolean;
  body: string;
  settings: string[];
  schemaOfSuperuser: boolean;
  extension: string | null;
}

const OWNED = `
  select n.nspname as schema, p.proname as name, array(select format_type(t, null) from unnest(p.proargtypes) t) as types,
    format_type(p.prorettype, null) as result, p.prokind as kind, l.lanname as language, p.prosecdef as definer,
    p.prosqlbody is not null as bound, p.proisstrict as strict, p.prosrc as body, coalesce(p.proconfig, '{}') as settings,
    o.rolsuper as "schemaOfSuperuser", e.extname as extension
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
  join pg_roles r on r.oid = p.proowner and r.rolsuper join pg_roles o on o.oid = n.nspowner
  left join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
    and d.refclassid = 'pg_extension'::regclass
  left join pg_extension e on e.oid = d.refobjid
  where p.oid >= 16384 order by 1, 2, 3`;

/** Extensions that have a schema of their own, which no project fills. */
const OWN_SCHEMA = new Set(["pg_graphql", "pg_tle", "pgmq", "pgsodium", "plpgsql", "supabase_vault"]);
/** Those that a new database has: they are dropped and made again. */
const AT_BIRTH = new Set(["pg_stat_statements", "pgcrypto", "uuid-ossp"]);

let backend: TestBackend;
let session: HostileSession;
let owned: Owned[];
const unmade: string[] = [];
const caughtWhileMaking: string[] = [];
/** Of each call: how far it got. Printed by HOMEBASE_WALK=whole. */
const outcomes: string[] = [];

const label = ({ schema, name, extension, schemaOfSuperuser }: Owned) =>
  `${extension !== null && !schemaOfSuperuser ? "*" : schema}.${name}`;
/** What may run with a superuser's rights: see rights.ts. */
const powerful = (one: Owned) =>
  one.definer ||
  one.result === "event_trigger" ||
  one.schema === "pg_catalog" ||
  one.name.startsWith("homebase_");

beforeAll(async () => {
  backend = await createBackend({ bare: true });
  session = await hostileSession(backend, { filled: true, temporary: true });
  await session.client.query("set search_path = hostile, extensions");
  for (const { name, class: kind } of EXTENSIONS) {
    if (kind === "refused" || name === "plpgsql") continue;
    if (AT_BIRTH.has(name)) await session.attempt(`drop extension "${name}"`);
    const place = OWN_SCHEMA.has(name) ? "" : "schema hostile";
    const error = await session.attempt(`create extension if not exists "${name}" ${place} cascade`);
    if (error !== undefined) unmade.push(`${name}: ${error}`);
    caughtWhileMaking.push(...(await session.caught()).map((one) => `${name}: ${one}`));
  }
  owned = (await backend.database.query<Owned>("supabase_admin", OWNED)).rows;
}, 180_000);
afterAll(async () => {
  if (process.env.HOMEBASE_WALK === "whole") console.log(outcomes.join("\n"));
  await session?.close();
  await backend?.drop();
});

test("every extension is made in a hostile schema, and runs none of its code", () => {
  expect(unmade).toEqual([]);
  expect(caughtWhileMaking).toEqual([]);
});

test("nor do the scripts of other versions, and those that update from them", async () => {
  // The oldest leads through most scripts; HOMEBASE_WALK=whole takes each.
  const { rows } = await session.client.query<{ name: string; version: string }>(
    `select ${process.env.HOMEBASE_WALK === "whole" ? "" : "distinct on (v.name)"} v.name, v.version from pg_catalog.pg_available_extension_versions v
     join pg_catalog.pg_available_extensions a on a.name operator(pg_catalog.=) v.name
     where v.version operator(pg_catalog.<>) a.default_version and v.name operator(pg_catalog.=) any ($1) order by 1, 2`,
    [EXTENSIONS.filter((one) => one.class === "real").map(({ name }) => name)],
  );
  expect(rows.length).toBeGreaterThan(15);
  const caught: string[] = [];
  const failed: string[] = [];
  for (const { name, version } of rows) {
    const error = await session.attempt(
      `begin; drop extension if exists "${name}" cascade; create extension "${name}" schema hostile version '${version}' cascade;
       alter extension "${name}" update; rollback`,
    );
    if (error !== undefined) failed.push(`${name} ${version}: ${error}`);
    caught.push(...(await session.caught()).map((one) => `${name} ${version}: ${one}`));
  }
  expect(caught).toEqual([]);
  expect(failed).toEqual([]);
}, 180_000);

test("every function that may run with a superuser's rights stands in the list with its reason, and no other", () => {
  const found = [...new Set(owned.filter(powerful).map(label))];
  expect(found.filter((name) => RIGHTS.filter((one) => one.name.test(name)).length !== 1)).toEqual([]);
  expect(RIGHTS.filter((one) => !found.some((name) => one.name.test(name)))).toEqual([]);
});

test("each has a search path of pg_catalog and pg_temp alone, or a body that was bound when it was made", () => {
  const loose = owned.filter(
    (one) =>
      powerful(one) &&
      !one.bound &&
      !["c", "internal"].includes(one.language) &&
      !one.settings.includes("search_path=pg_catalog, pg_temp"),
  );
  expect(loose.map(label)).toEqual([]);
});

test("each reads its own literals as they are written", () => {
  const loose = owned.filter(
    (one) =>
      powerful(one) &&
      !one.bound &&
      ["sql", "plpgsql"].includes(one.language) &&
      one.body.replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "").includes("\\") &&
      !one.settings.includes("standard_conforming_strings=on"),
  );
  expect(loose.map(label)).toEqual([]);
});

test("none names a schema that the project owns", () => {
  const loose = owned.filter(
    (one) =>
      powerful(one) &&
      !one.bound &&
      !one.schemaOfSuperuser &&
      !["c", "internal"].includes(one.language) &&
      new RegExp(`\\b${one.schema}"?\\s*\\.`).test(one.body),
  );
  expect(loose.map(label)).toEqual([]);
  // Without a schema of the project's, what is not bound lives in one that a superuser owns.
  const outside = owned.filter((one) => powerful(one) && !one.schemaOfSuperuser && one.extension === null);
  expect(outside.map(label)).toEqual([]);
});

test("an event trigger of a superuser's runs a superuser's function", async () => {
  const { rows } = await backend.database.query(
    "supabase_admin",
    `select t.evtname from pg_event_trigger t join pg_roles o on o.oid = t.evtowner and o.rolsuper
     join pg_proc p on p.oid = t.evtfoid join pg_roles r on r.oid = p.proowner where not r.rolsuper`,
  );
  expect(rows).toEqual([]);
});

/** Tables of a superuser's that others may hang a trigger on, with the reason why no superuser writes to them. */
const TRIGGERS: Record<string, string> = {
  "net.http_request_queue": "Homebase reads and empties it as role postgres",
  "net._http_response": "Homebase writes it as role postgres",
  "hostile.wrappers_fdw_stats": "nobody writes it: wrappers is here without its library",
};

test("what a superuser writes to runs no trigger of the project's", async () => {
  const { rows } = await backend.database.query<{ name: string }>(
    "supabase_admin",
    `select distinct n.nspname || '.' || c.relname as name from pg_class c
     join pg_namespace n on n.oid = c.relnamespace join pg_roles o on o.oid = c.relowner and o.rolsuper, pg_roles r
     where c.relkind in ('r', 'p') and not r.rolsuper and n.nspname !~ '^pg_|information_schema'
       and r.rolname !~ '^pg_' and has_table_privilege(r.oid, c.oid, 'trigger')`,
  );
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(TRIGGERS).sort());
});

test("only postgres, which reads every table, may refer to a superuser's, and lends this to nobody", async () => {
  const { rows } = await backend.database.query(
    "supabase_admin",
    `select c.oid::regclass::text as name, a.grantee::regrole::text from pg_class c
     join pg_roles o on o.oid = c.relowner and o.rolsuper, aclexplode(c.relacl) a
     where c.relkind in ('r', 'p') and c.relnamespace <> 11 and a.grantee <> c.relowner
       and a.privilege_type = 'REFERENCES' and (a.is_grantable or a.grantee <> 'postgres'::regrole)`,
  );
  expect(rows).toEqual([]);
});

/** Values by type; null for the others. */
const SAMPLES: Record<string, string> = {
  bigint: "1",
  bit: "B'101'",
  boolean: "true",
  bytea: "'\\x00'",
  cstring: "'[1,2,3]'",
  "cstring[]": "'{3}'",
  "double precision": "1",
  "double precision[]": "'{3,1,2}'",
  "hostile.geography": "'POLYGON((0 0,4 0,4 4,0 0))'",
  "hostile.geometry": "'POLYGON((0 0,4 0,4 4,0 0))'",
  "hostile.halfvec": "'[1,2,3]'",
  "hostile.sparsevec": "'{1:1}/3'",
  "hostile.vector": "'[1,2,3]'",
  // A type modifier, among others: of as many dimensions.
  integer: "3",
  "integer[]": "'{1,2,3}'",
  jsonb: "'{}'",
  name: "'x'",
  "name[]": "'{}'",
  "numeric[]": "'{1,2,3}'",
  oid: "0",
  "real[]": "'{1,2,3}'",
  text: "'x'",
  "text[]": "'{}'",
  uuid: "'00000000-0000-0000-0000-000000000000'",
};

/** @param place the schema that the extensions are in. */
async function callAll(place = "hostile"): Promise<string[]> {
  const caught: string[] = [];
  const attempt = async (sql: string) => {
    const error = await session.attempt(`begin; ${sql}; rollback`);
    outcomes.push(`${sql}: ${error ?? "done"}`);
    caught.push(...(await session.caught()).map((one) => `${sql}: ${one}`));
  };
  for (const one of owned.filter(powerful)) {
    if (one.kind !== "f" || one.result === "event_trigger" || one.result === "trigger") continue;
    if (one.types.includes("internal")) continue;
    const values = (sample: boolean) =>
      one.types.map(
        (type) => `${(sample && SAMPLES[type.replace(`${place}.`, "hostile.")]) || "null"}::${type}`,
      );
    const call = (sample: boolean) => `select ${one.schema}.${one.name}(${values(sample).join(", ")})`;
    await attempt(call(true));
    if (!one.strict) await attempt(call(false));
  }
  for (const { calls } of RIGHTS)
    for (const call of calls) await attempt(call.replaceAll("hostile.", `${place}.`));
  return caught;
}

test("role postgres calls each with hostile types and views: none runs them as a superuser", async () => {
  expect(await callAll()).toEqual([]);
}, 180_000);

/** Names of the moved schema, taken by others that call the probe. */
const IN_ITS_PLACE = `
  do $$
  declare
    one record;
  begin
    for one in
      select t.typname from pg_type t where t.typnamespace = 'moved'::regnamespace and t.typtype in ('b', 'd', 'c', 'e')
        and t.typname !~ '^_' and not exists (select from pg_class c where c.oid = t.typrelid and c.relkind <> 'c')
    loop
      begin
        execute format('create domain hostile.%I as moved.%1$I check (probes.probe(%2$L))', one.typname, 'type ' || one.typname);
      exception when others then null;
      end;
    end loop;
    for one in select c.relname from pg_class c where c.relnamespace = 'moved'::regnamespace and c.relkind in ('r', 'v') loop
      begin
        execute format('create view hostile.%I as select * from moved.%1$I where probes.probe(%2$L)', one.relname, 'relation ' || one.relname);
      exception when others then null;
      end;
    end loop;
    for one in
      select p.proname, pg_get_function_identity_arguments(p.oid) as arguments, format_type(p.prorettype, null) as result
      from pg_proc p join pg_roles r on r.oid = p.proowner and r.rolsuper where p.pronamespace = 'moved'::regnamespace and p.prokind = 'f'
    loop
      begin
        execute format('create function hostile.%I(%s) returns %s language plpgsql as %L', one.proname, one.arguments, one.result,
          format('begin perform probes.probe(%L); return null; end', 'function ' || one.proname));
      exception when others then null;
      end;
    end loop;
  end $$`;

test("nor after the schema was renamed and others took its place", async () => {
  await session.client.query(
    "set search_path = pg_catalog; alter schema hostile rename to moved; create schema hostile",
  );
  await backend.database.transaction("supabase_admin", async (client) => {
    await client.query("set local role postgres");
    await client.query(IN_ITS_PLACE);
  });
  owned = (await backend.database.query<Owned>("supabase_admin", OWNED)).rows;
  expect(owned.filter(({ schema }) => schema === "moved").length).toBeGreaterThan(500);
  await session.client.query("set search_path = hostile, moved, extensions");
  expect(await callAll("moved")).toEqual([]);
  const call = "select moved.http(('GET', 'http://127.0.0.1:1/', null, null, null)::moved.http_request)";
  expect(await session.attempt(call)).toContain("Failed to connect");
  expect(await session.caught()).toEqual([]);
}, 180_000);

test("postgres is no superuser after all this", async () => {
  const { rows } = await backend.database.query(
    "supabase_admin",
    "select rolname from pg_roles where rolsuper",
  );
  expect(rows).toEqual([{ rolname: "supabase_admin" }]);
});
