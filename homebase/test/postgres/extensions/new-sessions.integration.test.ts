/**
 * Types and functions of the extensions and of the projects under `test/projects`, each in a session that has run
 * nothing before. PL/pgSQL's scanner is one a process: whatever runs PL/pgSQL while a body is read ends Postgres, and
 * only where the function that runs is not compiled yet.
 */
import { randomBytes } from "node:crypto";
import type pg from "pg";
import { afterAll, describe, expect, it, vi } from "vitest";
import { EXTENSIONS } from "../../../src/postgres/extensions/classes.ts";
import { quote } from "../../../src/postgres/quoting.ts";
import { createBackend } from "../../../src/testing/index.ts";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { NOT_PLATFORM } from "../../../src/tools/platform-schemas.ts";
import { projectWith } from "../../background/project.ts";
import { clientForThisFile, forThisFile } from "../../for-this-file.ts";
import { useOwnCluster } from "../../own-cluster.ts";
import { folderOf, names } from "../../projects/folders.ts";

// Each folder builds its own template, and each function has a session of its own.
vi.setConfig({ testTimeout: 180_000 });

await useOwnCluster();
const cluster = await testCluster(process.cwd());
const backend = await forThisFile(createBackend({ projectFolder: projectWith("") }));
const nameOf = ({ databaseUrl }: { databaseUrl: string }) => new URL(databaseUrl).pathname.slice(1);
const database = nameOf(backend);

/** Postgres ends every session when one of its processes crashes: this one's end is a restart. */
const witness = await clientForThisFile(backend.databaseUrl);
let restarts = 0;
witness.on("error", () => {
  restarts += 1;
});
afterAll(() => expect(restarts).toBe(0));

/** Runs a statement as the superuser in a session of its own. @returns its rows, or the error's message. */
function alone<Row extends pg.QueryResultRow>(
  sql: string,
  values?: unknown[],
  name = database,
): Promise<Row[] | string> {
  return cluster.admin(async (client) => {
    await client.query("set search_path = public, extensions");
    return client.query<Row>(sql, values).then(
      (result) => [result].flat().at(-1)?.rows ?? [],
      (error: Error) => error.message,
    );
  }, name);
}

/** That a session did not end; that it was told an error is no matter. */
function expectNoEnd(outcome: unknown[] | string, statement: string): void {
  expect(typeof outcome === "string" ? outcome : "", statement).not.toMatch(
    /terminated|ECONN|closed|not queryable/,
  );
}

/** Runs a statement that must succeed. */
async function rowsOf<Row extends pg.QueryResultRow>(
  sql: string,
  values?: unknown[],
  name = database,
): Promise<Row[]> {
  const rows = await alone<Row>(sql, values, name);
  if (typeof rows === "string") throw new Error(rows);
  return rows;
}

const offered = EXTENSIONS.filter((entry) => entry.class !== "refused").map(({ name }) => name);
await backend.sql(offered.map((name) => `create extension if not exists ${quote(name)} cascade`).join(";"));

const types = await rowsOf<{ name: string }>(
  "select oid::regtype::text as name from pg_type where typmodin <> 0 and typcategory <> 'A' order by 1",
);

it("knows the types of every extension here that take a modifier", () => {
  expect(types.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["geography", "geometry", "halfvec", "sparsevec", "vector", "numeric"]),
  );
});

it.each(types)(
  "a variable of type $name with a modifier is declared without running PL/pgSQL",
  async ({ name }) => {
    let accepted = 0;
    for (const modifier of ["3", "4,2", "Point", "Point,4326"]) {
      const type = name.startsWith("time") ? name.replace(/^\w+/, `$&(${modifier})`) : `${name}(${modifier})`;
      const ran = await alone(
        `set track_functions = 'all'; begin; do $$ declare v ${type}; begin null; end $$;
       select f.funcid::regprocedure from pg_stat_xact_user_functions f join pg_proc p on p.oid = f.funcid
       join pg_language l on l.oid = p.prolang where l.lanname not in ('c', 'internal', 'sql')`,
      );
      if (typeof ran === "string") continue;
      accepted += 1;
      expect(ran).toEqual([]);
    }
    // Of an interval's modifiers none is a number alone in this place.
    expect(accepted).toBeGreaterThan(name === "interval" ? -1 : 0);
  },
);

describe.each([
  { type: "vector", one: "[1,2,3]", most: 16000, index: "hnsw (v vector_l2_ops)" },
  { type: "halfvec", one: "[1,2,3]", most: 16000, index: "hnsw (v halfvec_l2_ops)" },
  { type: "sparsevec", one: "{1:1,3:2}/3", most: 1_000_000_000, index: "hnsw (v sparsevec_l2_ops)" },
])("$type in new sessions", ({ type, one, most, index }) => {
  it.each([
    `do $$ declare v ${type}(3); begin null; end $$`,
    `do $$ declare v ${type}(3) := '${one}'; begin v := v; end $$`,
    `do $$ declare v ${type}(3)[]; c cursor (w ${type}(3)) for select w; begin open c('${one}'); close c; end $$`,
    `create function pg_temp.f(v ${type}(3)) returns ${type}(3) language plpgsql as $$ declare w ${type}(3) := v; begin return w; end $$;
     select pg_temp.f('${one}')`,
    `create domain pg_temp.d as ${type}(3); do $$ declare v pg_temp.d := '${one}'; begin null; end $$`,
    `select '${one}'::${type}(3)::text`,
    `create temp table t (v ${type}(3)); insert into t values ('${one}'); create index on t using ${index}; select v <-> '${one}' from t`,
    `create temp table t (v ${type}(3)); insert into t values ('${one}'); create index on t (v); select * from t where v = '${one}'`,
  ])("%s", async (sql) => {
    expect(await alone(sql)).toBeInstanceOf(Array);
  });

  it.each([
    ["0", `dimensions for type ${type} must be at least 1`],
    [`${most + 1}`, `dimensions for type ${type} cannot exceed ${most}`],
    ["1,2", "invalid type modifier"],
    ["x", 'invalid input syntax for type integer: "x"'],
  ])("refuses the modifier (%s) in a declaration, and the session goes on", async (modifier, message) => {
    const declaration = `do $$ declare v ${type}(${modifier}); begin null; end $$`;
    expect(await alone(declaration)).toBe(message);
    await expect(
      rowsOf(`do $outer$ begin execute ${"$inner$"}${declaration}$inner$; exception when others then raise notice '%', sqlerrm; end $outer$;
        do $$ declare v ${type}(3) := '${one}'; begin null; end $$`),
    ).resolves.toBeDefined();
  });

  it("is copied out and in, as text and in binary", async () => {
    const [folder] = await rowsOf<{ path: string }>("select current_setting('data_directory') as path");
    for (const format of ["text", "binary"]) {
      const file = `'${folder?.path}/copied_${type}_${format}'`;
      await rowsOf(`copy (select '${one}'::${type}(3) as v) to ${file} (format ${format})`);
      expect(
        await rowsOf(
          `create temp table t (v ${type}(3)); copy t from ${file} (format ${format}); select v::text from t`,
        ),
      ).toEqual([{ v: one }]);
    }
  });

  it("reads random bytes of a bound parameter, or refuses them", async () => {
    for (let round = 0; round < 60; round += 1) {
      const bytes = randomBytes(round % 40);
      // Of these a part is well formed: the head says how many elements follow.
      if (round % 2 === 0 && type === "sparsevec" && bytes.length >= 20) bytes.writeInt32BE(1, 4);
      else if (round % 2 === 0 && bytes.length >= 4) bytes.writeInt32BE(((bytes.length - 4) / 4) << 16, 0);
      const read = await alone(
        `select v::text, ${type}_send(v), v = v as same, v <-> v as distance, ${type}_cmp(v, '${one}') as compared from (select $1::${type} as v) given`,
        [bytes],
      );
      expectNoEnd(read, bytes.toString("hex"));
    }
  });
});

it("sends every type of an extension where there is no snapshot, as text and in binary", async () => {
  // A SQL function that is not volatile takes none of its own, and ends Postgres. Values of a held cursor are sent so.
  const unsafe = await rowsOf<{ name: string }>(
    `select p.oid::regprocedure::text as name from pg_type t join pg_proc p on p.oid in (t.typoutput, t.typsend, t.typmodout)
       join pg_language l on l.oid = p.prolang and l.lanname not in ('c', 'internal') where p.provolatile <> 'v'`,
  );
  expect(unsafe).toEqual([]);
  const values = `'[1,2]'::vector as a, '[1,2]'::halfvec as b, '{1:2}/3'::sparsevec as c, array['[1,2]'::vector] as d,
    'POINT(1 2)'::geometry as e, 'POINT(1 2)'::geography as f, row('[1,2]'::vector, 'POINT(1 2)'::geometry) as g`;
  for (const format of ["", "binary"]) {
    const sent = await rowsOf(
      `begin; declare held ${format} cursor with hold for select ${values}; commit; fetch all held`,
    );
    expect(sent).toHaveLength(1);
  }
});

describe.each(["geometry", "geography"])("%s in new sessions", (type) => {
  const one = "0101000020E6100000000000000000F03F0000000000000040";
  it.each([
    `do $$ declare v ${type}(Point,4326); begin null; end $$`,
    `do $$ declare v ${type}(Point,4326) := 'POINT(1 2)'; w ${type} := 'SRID=4326;LINESTRING(1 2,3 4)'; begin v := v; w := w; end $$`,
    `create function pg_temp.f(v ${type}(Point)) returns ${type}(Point,4326) language plpgsql as $$ declare w ${type}(Point,4326) := v; begin return w; end $$;
     select pg_temp.f('SRID=4326;POINT(1 2)')`,
    `create domain pg_temp.d as ${type}(PointZ,4326); do $$ declare v pg_temp.d := 'SRID=4326;POINT Z (1 2 3)'; begin null; end $$`,
    `select '${one}'::${type}(Point,4326)::text`,
    `create temp table t (v ${type}(Point,4326)); insert into t values ('${one}') returning v; create index on t using gist (v); create index on t (v);
     select v <-> '${one}' from t where v && '${one}' and v = '${one}'`,
    `select format_type('${type}'::regtype, 1107460)`,
  ])("%s", async (sql) => {
    expect(await alone(sql)).toBeInstanceOf(Array);
  });

  it.each([
    ["Foo", "Invalid geometry type modifier: foo"],
    ["Point,1,2", "invalid type modifier"],
    ["Point,x", "invalid type modifier"],
  ])("refuses the modifier (%s) in a declaration, and the session goes on", async (modifier, message) => {
    const declaration = `do $$ declare v ${type}(${modifier}); begin null; end $$`;
    expect(await alone(declaration)).toBe(message);
    await expect(
      rowsOf(`do $outer$ begin execute ${"$inner$"}${declaration}$inner$; exception when others then null; end $outer$;
        do $$ declare v ${type}(Point,4326) := '${one}'; begin null; end $$`),
    ).resolves.toBeDefined();
  });

  it("is copied out and in, as text and in binary", async () => {
    const [folder] = await rowsOf<{ path: string }>("select current_setting('data_directory') as path");
    for (const format of ["text", "binary"]) {
      const file = `'${folder?.path}/copied_${type}_${format}'`;
      await rowsOf(
        `copy (select '${one}'::${type} as v union all select 'SRID=4326;POLYGON((0 0,4 0,4 4,0 0))') to ${file} (format ${format})`,
      );
      expect(
        await rowsOf(
          `create temp table t (v ${type}); copy t from ${file} (format ${format}); select st_asewkt(v) as v from t`,
        ),
      ).toEqual([{ v: "SRID=4326;POINT(1 2)" }, { v: "SRID=4326;POLYGON((0 0,4 0,4 4,0 0))" }]);
    }
  });

  it("reads random bytes of a bound parameter, or refuses them", async () => {
    for (let round = 0; round < 80; round += 1) {
      const bytes = randomBytes(round % 60);
      // Of these a part begins as WKB does.
      if (round % 2 === 0 && bytes.length >= 9) {
        bytes[0] = 1;
        bytes.writeUInt32LE((round / 2) % 8, 1);
        bytes.writeUInt32LE(round % 4, 5);
      }
      const read = await alone(
        `select v::text, st_astext(v), v = v as same, v && v as meets, v <-> v as distance, st_area(v), st_asgeojson(v) from (select $1::${type} as v) given`,
        [bytes],
      );
      expectNoEnd(read, bytes.toString("hex"));
    }
  });
});

describe.each(names)("the project %s", (name) => {
  it("has no function whose compilation or call with nulls ends Postgres", async () => {
    await using project = await createBackend({ projectFolder: folderOf(name) });
    const functions = await rowsOf<{ called: string; signature: string; language: string }>(
      `select p.oid::regprocedure::text as signature, l.lanname as language,
         format('%I.%I(%s)', n.nspname, p.proname, (
           select string_agg(format('%snull::%s', case when p.provariadic <> 0 and place = p.pronargs then 'variadic ' end,
             format_type(type, null)), ', ' order by place)
           from unnest(p.proargtypes) with ordinality list(type, place))) as called
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
       where n.nspname ${NOT_PLATFORM} and p.prokind = 'f'
         and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
      [],
      nameOf(project),
    );
    for (const { called, signature, language } of functions) {
      if (language === "plpgsql")
        expectNoEnd(
          await alone("select plpgsql_validator($1::regprocedure)", [signature], nameOf(project)),
          signature,
        );
      expectNoEnd(await alone(`begin; select * from ${called}`, undefined, nameOf(project)), called);
    }
    expect(restarts).toBe(0);
  });
});
