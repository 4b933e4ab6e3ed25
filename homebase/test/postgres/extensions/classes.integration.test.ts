/** Every extension of hosted can be created, commented, moved and dropped according to its class. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXTENSIONS } from "../../../src/postgres/extensions/classes.ts";
import { createBackend, type TestBackend } from "../../../src/testing/index.ts";
import { projectWith } from "../../background/project.ts";

let backend: TestBackend;
let client: pg.Client;

beforeAll(async () => {
  backend = await createBackend({ projectFolder: projectWith("") });
  client = new pg.Client({ connectionString: backend.databaseUrl });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await backend?.drop();
});

/** Runs statements as role postgres and rolls back. */
async function undone<T>(work: () => Promise<T>): Promise<T> {
  await client.query("begin");
  try {
    return await work();
  } finally {
    await client.query("rollback");
  }
}

/** Functions of inert extensions that work all the same. */
const WITHOUT_LIBRARY =
  /^(pgsodium\.(version|randombytes_buf|crypto_aead_det_(noncegen|keygen)|create_key|get_key_by_(id|name)|get_named_keys)|\w+\.\w+_fdw_validator)\(/;

/** Owned by the superuser: postgres may not drop them. */
const PRESENT = new Set(["plpgsql", "supabase_vault"]);
/** Their control files name a schema, and Postgres allows no other. */
const OWN_SCHEMA = new Map([
  ["pg_graphql", "graphql"],
  ["pg_tle", "pgtle"],
  ["pgmq", "pgmq"],
  ["pgsodium", "pgsodium"],
]);

describe.each(EXTENSIONS.filter(({ name }) => !PRESENT.has(name)))(
  "$name ($class)",
  ({ name, class: kind }) => {
    const schema = OWN_SCHEMA.get(name) ?? "extensions";
    it.runIf(kind !== "refused")("is created by postgres, commented on, altered and dropped", () =>
      undone(async () => {
        await client.query(`drop extension if exists "${name}" cascade`);
        await client.query(`create schema if not exists "${schema}"`);
        await client.query(`create extension if not exists "${name}" with schema "${schema}" cascade`);
        await client.query(`comment on extension "${name}" is 'said by a migration'`);
        await client.query(`alter extension "${name}" update`);
        const { rows } = await client.query(
          "select extname, extversion from pg_extension where extname = $1",
          [name],
        );
        expect(rows).toMatchObject([{ extname: name }]);
        await client.query(`drop extension "${name}" cascade`);
      }),
    );
    it.runIf(kind === "refused")("says that it is not there, and where to get it", () =>
      undone(async () => {
        await expect(client.query(`create extension "${name}"`)).rejects.toMatchObject({
          code: "0A000",
          message: `${name} is not part of Homebase, as it needs a compiled library.`,
          hint: expect.stringContaining(`Install ${name} for PostgreSQL 17`),
        });
      }),
    );
    it.runIf(kind === "inert")(
      "lets its functions be granted on, and says at a call that they do nothing",
      () =>
        undone(async () => {
          await client.query(`create extension "${name}" cascade`);
          const { rows } = await client.query<{
            signature: string;
            called: string;
            name: string;
            result: string;
          }>(
            `select p.oid::regprocedure as signature, p.proname as name, p.prorettype::regtype as result,
           format('%I.%I(%s)', n.nspname, p.proname, (
             select string_agg(format('null::%s', format_type(type, null)), ', ')
             from unnest(p.proargtypes) type)) as called
         from pg_depend d join pg_proc p on p.oid = d.objid join pg_namespace n on n.oid = p.pronamespace
         join pg_extension e on e.oid = d.refobjid
         where d.classid = 'pg_proc'::regclass and d.deptype = 'e' and e.extname = $1`,
            [name],
          );
          expect(rows.length).toBeGreaterThan(0);
          for (const { signature, called, result } of rows) {
            await client.query(
              `grant all on function ${signature} to postgres, anon, authenticated, service_role`,
            );
            if (result === "event_trigger" || WITHOUT_LIBRARY.test(called)) continue;
            await client.query("savepoint before_call");
            await expect(client.query(`select * from ${called}`), signature).rejects.toMatchObject({
              code: "0A000",
              message: expect.stringContaining("does nothing in Homebase"),
            });
            await client.query("rollback to savepoint before_call");
          }
        }),
    );
  },
);

it("offers every extension that has a class, and lets postgres create no other", async () => {
  const { rows } = await client.query<{ name: string }>(
    "select name from pg_available_extension_versions where trusted or not superuser",
  );
  const listed = new Set(EXTENSIONS.map(({ name }) => name));
  expect(rows.map(({ name }) => name).filter((name) => !listed.has(name))).toEqual([]);
  const available = new Set(rows.map(({ name }) => name));
  expect([...listed].filter((name) => !available.has(name))).toEqual([]);
});

it("the page of extensions says of each what the code says", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/compat/extensions.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| ([\w-]+) \| ([^|]*) \|/gm)].map(
    ([, name, kind, differs]) => ({
      name,
      class: kind,
      differs: differs?.trim(),
    }),
  );
  expect(rows).toEqual(EXTENSIONS.map((entry) => ({ ...entry })));
});

it("lets graphql_public.graphql ask pg_graphql while it is there", () =>
  undone(async () => {
    const graphql = () => client.query("select graphql_public.graphql(query => '{ __typename }') as answer");
    const off = { errors: [{ message: "pg_graphql extension is not enabled." }] };
    expect((await graphql()).rows).toEqual([{ answer: off }]);
    await client.query("create extension pg_graphql");
    await client.query("savepoint before_call");
    await expect(graphql()).rejects.toThrow("graphql.resolve() does nothing in Homebase");
    await client.query("rollback to savepoint before_call");
    await client.query("drop extension pg_graphql");
    expect((await graphql()).rows).toEqual([{ answer: off }]);
  }));

it("keeps an extension's functions callable after default privileges were revoked", () =>
  undone(async () => {
    await client.query("alter default privileges revoke execute on functions from public");
    await client.query(
      "alter default privileges in schema extensions revoke execute on functions from public, anon",
    );
    await client.query("create extension pgtap with schema extensions");
    await client.query("create extension vector with schema extensions");
    await client.query("set local role anon");
    await client.query("set local search_path = extensions");
    expect((await client.query("select plan(1), '[1]'::vector <-> '[2]' as distance")).rows).toEqual([
      { plan: "1..1", distance: 1 },
    ]);
  }));
