/** Every extension of hosted can be created, commented, moved and dropped according to its class. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXTENSIONS } from "../../../src/postgres/extensions/classes.ts";
import { createBackend } from "../../../src/testing/index.ts";
import { projectWith } from "../../background/project.ts";
import { clientForThisFile, forThisFile } from "../../for-this-file.ts";

const backend = await forThisFile(createBackend({ projectFolder: projectWith("") }));
const client = await clientForThisFile(backend.databaseUrl);

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
  /^(pgsodium\.(version|randombytes_buf|crypto_aead_det_(noncegen|keygen)|create_key|get_key_by_(id|name)|get_named_keys)|\w+\.\w+_fdw_validator|\w+\.(pgroonga_condition|create_hypertable|time_bucket|show_chunks|drop_chunks|set_chunk_time_interval|refresh_continuous_aggregate|(?:add|remove)_\w+_policy))\(/;

/** Owned by the superuser: postgres may not drop them. */
const PRESENT = new Set(["plpgsql", "supabase_vault"]);
/** Their control files name a schema, and Postgres allows no other. */
const OWN_SCHEMA = new Map([
  ["pg_graphql", "graphql"],
  ["pg_tle", "pgtle"],
  ["pgmq", "pgmq"],
  ["pgsodium", "pgsodium"],
]);

/** Each class has cases of its own; those of the others are not counted as left out. */
describe.each(EXTENSIONS.filter(({ name }) => !PRESENT.has(name)))(
  "$name ($class)",
  ({ name, class: kind }) => {
    const schema = OWN_SCHEMA.get(name) ?? "extensions";
    if (kind !== "refused")
      it("is created by postgres, commented on, altered and dropped", () =>
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
        }));
    if (kind === "refused")
      it("says that it is not there, and where to get it", () =>
        undone(async () => {
          await expect(client.query(`create extension "${name}"`)).rejects.toMatchObject({
            code: "0A000",
            message: `${name} is not part of Homebase, as it needs a compiled library.`,
            hint: expect.stringContaining(`Install ${name} for PostgreSQL 17`),
          });
        }));
    if (kind === "inert")
      it("lets its functions be granted on, and says at a call that they do nothing", () =>
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
             select string_agg(format('%snull::%s', case when p.provariadic <> 0 then 'variadic ' end, format_type(type, null)), ', ')
             from unnest(p.proargtypes) type)) as called
         from pg_depend d join pg_proc p on p.oid = d.objid join pg_namespace n on n.oid = p.pronamespace
         join pg_extension e on e.oid = d.refobjid
         where d.classid = 'pg_proc'::regclass and d.deptype = 'e' and e.extname = $1`,
            [name],
          );
          expect(rows.length).toBeGreaterThan(0);
          for (const { signature, called, result } of rows) {
            await client.query(
              `grant all on routine ${signature} to postgres, anon, authenticated, service_role`,
            );
            // Those with internal arguments are the server's to call.
            if (result === "event_trigger" || /internal/.test(signature) || WITHOUT_LIBRARY.test(called))
              continue;
            await client.query("savepoint before_call");
            // Its columns are the caller's to say.
            const columns = called.includes(".histogram(") ? "as one (line text)" : "";
            await expect(client.query(`select * from ${called} ${columns}`), signature).rejects.toMatchObject(
              {
                code: "0A000",
                message: expect.stringContaining("does nothing in Homebase"),
              },
            );
            await client.query("rollback to savepoint before_call");
          }
        }));
  },
);

/** Objects of the real extensions, as the statements of a dump name them. */
const REAL_OBJECTS: Record<string, string[]> = {
  hypopg: [
    "function hypopg_create_index(sql_order text, OUT indexrelid oid, OUT indexname text)",
    "function hypopg_hide_index(indexid oid)",
    "table hypopg_list_indexes",
    "table hypopg_hidden_indexes",
  ],
  index_advisor: ["function index_advisor(query text)"],
  pg_graphql: [
    'function graphql._internal_resolve(query text, variables jsonb, "operationName" text, extensions jsonb)',
    'function graphql.resolve(query text, variables jsonb, "operationName" text, extensions jsonb)',
    "function graphql.comment_directive(comment_ text)",
    "function graphql.exception(message text)",
    "function graphql.get_schema_version()",
    "function graphql.increment_schema_version()",
    "sequence graphql.seq_schema_version",
  ],
  pg_stat_monitor: [
    "function pg_stat_monitor_reset()",
    "function get_cmd_type(cmd_type integer)",
    "function pg_stat_monitor_internal(showtext boolean, OUT bucket bigint)",
    "function histogram(_bucket integer, _quryid bigint)",
    "table pg_stat_monitor",
  ],
  pg_tle: [
    "function pgtle.install_extension(name text, version text, description text, ext text, requires text[])",
    "function pgtle.install_extension_version_sql(name text, version text, ext text)",
    "function pgtle.install_update_path(name text, fromvers text, tovers text, ext text)",
    "function pgtle.set_default_version(name text, version text)",
    "function pgtle.uninstall_extension(extname text)",
    "function pgtle.uninstall_extension(extname text, version text)",
    "function pgtle.register_feature(proc regproc, feature pgtle.pg_tle_features)",
    "function pgtle.create_base_type(typenamespace regnamespace, typename name, infunc regprocedure, outfunc regprocedure, internallength integer, alignment text, storage text)",
    "table pgtle.feature_info",
    "type pgtle.password_types",
  ],
  pgaudit: ["function pgaudit_ddl_command_end()", "function pgaudit_sql_drop()"],
  plpgsql_check: [
    "function plpgsql_check_function(funcoid regprocedure, relid regclass, format text, fatal_errors boolean, other_warnings boolean, performance_warnings boolean, extra_warnings boolean, security_warnings boolean, compatibility_warnings boolean, oldtable name, newtable name, anyelememttype regtype, anyenumtype regtype, anyrangetype regtype, anycompatibletype regtype, anycompatiblerangetype regtype, without_warnings boolean, all_warnings boolean, use_incomment_options boolean, incomment_options_usage_warning boolean, constant_tracing boolean)",
    "function plpgsql_show_dependency_tb(fnname text, relid regclass, anyelememttype regtype, anyenumtype regtype, anyrangetype regtype, anycompatibletype regtype, anycompatiblerangetype regtype)",
    "function plpgsql_profiler_functions_all()",
    "function plpgsql_check_tracer(enable boolean, verbosity text)",
  ],
};

it.each(Object.entries(REAL_OBJECTS))(
  "grants on and revokes from objects of %s by the real names",
  (name, objects) =>
    undone(async () => {
      await client.query(`create extension "${name}" cascade`);
      for (const object of objects) {
        await client.query(`grant all on ${object} to postgres, anon, authenticated, service_role`);
        await client.query(`revoke all on ${object} from anon`);
      }
    }),
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
