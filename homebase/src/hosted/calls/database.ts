/** Owns the calls about a project's database: login roles, queries, migrations, advisors, backups. */
import pg from "pg";
import { isRecord } from "../../core/record.ts";
import { jsonResponse, type ServiceResponse } from "../../http/exchange.ts";
import { Session, valueTypes } from "../../meta/session.ts";
import { recordedStatements } from "../../postgres/statements/split.ts";
import { makeLoginRole } from "../login-role.ts";
import type { CallEntry, CallInput } from "./call.ts";

const REF = "/v1/projects/{ref}";

export const DATABASE: readonly CallEntry[] = [
  [
    "POST",
    `${REF}/cli/login-role`,
    async ({ project, json }) => {
      const given = json();
      return jsonResponse(201, await makeLoginRole(project, isRecord(given) && given.read_only === true));
    },
  ],
  ["POST", `${REF}/database/query`, (input) => query(input, false)],
  ["POST", `${REF}/database/query/read-only`, (input) => query(input, true)],
  ["GET", `${REF}/database/migrations`, listMigrations],
  ["POST", `${REF}/database/migrations`, applyMigration],
  [
    "GET",
    `${REF}/database/backups`,
    () =>
      jsonResponse(200, {
        region: "eu-central-1",
        walg_enabled: true,
        pitr_enabled: false,
        backups: [],
        physical_backup_data: {},
      }),
  ],
  ["GET", `${REF}/advisors/security`, (input) => advice(input, "SECURITY", SECURITY_LINTS)],
  ["GET", `${REF}/advisors/performance`, (input) => advice(input, "PERFORMANCE", PERFORMANCE_LINTS)],
];

async function query({ project, json }: CallInput, readOnly: boolean): Promise<ServiceResponse> {
  const given = json();
  const { query: text, parameters, read_only } = isRecord(given) ? given : {};
  if (typeof text !== "string" || text.trim() === "")
    return jsonResponse(400, { message: "query is missing." });
  if (parameters !== undefined && !Array.isArray(parameters))
    return jsonResponse(400, { message: "parameters must be an array." });
  return withClient(project, async (client) => {
    if (readOnly || read_only === true) await client.query("set default_transaction_read_only = on");
    // As the database API, which the platform sends queries to.
    return jsonResponse(201, await new Session(client).run(text, parameters));
  });
}

function listMigrations({ project }: CallInput): Promise<ServiceResponse> {
  return withClient(project, async (client) => {
    const { rows } = await client.query(
      "select to_regclass('supabase_migrations.schema_migrations') as name",
    );
    if (rows[0]?.name === null) return jsonResponse(200, []);
    const { rows: known } = await client.query<{ version: string; name: string | null }>(
      "select version, name from supabase_migrations.schema_migrations order by version",
    );
    return jsonResponse(
      200,
      known.map(({ version, name }) => ({ version, ...(name === null ? {} : { name }) })),
    );
  });
}

/** The version is the current second, as in the API, or the one after the last. */
function applyMigration({ project, json }: CallInput): Promise<ServiceResponse> {
  const given = json();
  const { query: text, name = null } = isRecord(given) ? given : {};
  if (typeof text !== "string") return Promise.resolve(jsonResponse(400, { message: "query is missing." }));
  return withClient(project, async (client) => {
    await client.query("begin");
    await client.query(
      "create schema if not exists supabase_migrations; create table if not exists supabase_migrations.schema_migrations (version text not null primary key, statements text[], name text)",
    );
    await client.query(text);
    // Two in one second have two versions.
    await client.query(
      `insert into supabase_migrations.schema_migrations (version, name, statements)
       select greatest(to_char(now() at time zone 'utc', 'YYYYMMDDHH24MISS')::bigint,
         max(version::bigint) filter (where version ~ '^\\d{14}$') + 1)::text, $1, $2
       from supabase_migrations.schema_migrations`,
      [name, recordedStatements(text)],
    );
    await client.query("commit");
    return jsonResponse(200, { success: true });
  });
}

/** Four of hosted's lints, listed in docs/hosted.md; an empty list says nothing about the others. */
function advice(
  { project }: CallInput,
  category: "SECURITY" | "PERFORMANCE",
  lints: string,
): Promise<ServiceResponse> {
  return withClient(project, async (client) => {
    const { rows } = await client.query<{ name: string; entity: string; detail: string }>(lints);
    return jsonResponse(200, {
      lints: rows.map(({ name, entity, detail }) => ({
        name,
        title: name.replaceAll("_", " "),
        level: category === "SECURITY" ? "ERROR" : "INFO",
        facing: "EXTERNAL",
        categories: [category],
        description: detail,
        detail,
        remediation: "https://supabase.com/docs/guides/database/database-linter",
        metadata: { name: entity },
        cache_key: `${name}_${entity}`,
      })),
    });
  });
}

const PERFORMANCE_LINTS = `
  select 'unindexed_foreign_keys' as name, c.conrelid::regclass::text as entity,
    format('Table %s has a foreign key %s without a covering index.', c.conrelid::regclass, c.conname) as detail
  from pg_constraint c join pg_class t on t.oid = c.conrelid
  where c.contype = 'f' and t.relnamespace not in (
      'auth'::regnamespace, 'storage'::regnamespace, 'realtime'::regnamespace, 'vault'::regnamespace)
    and not exists (
      select from pg_index i where i.indrelid = c.conrelid
        and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)`;

const SECURITY_LINTS = `
  select 'rls_disabled_in_public' as name, c.oid::regclass::text as entity,
    format('Table %s is public, but row security has not been enabled.', c.oid::regclass) as detail
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relrowsecurity
  union all
  select 'policy_exists_rls_disabled', c.oid::regclass::text,
    format('Table %s has policies, but row security is not enabled on it.', c.oid::regclass)
  from pg_class c where c.relkind in ('r', 'p') and not c.relrowsecurity
    and exists (select from pg_policy p where p.polrelid = c.oid)
  union all
  select 'function_search_path_mutable', p.oid::regprocedure::text,
    format('Function %s has a role mutable search_path', p.oid::regprocedure)
  from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
    and not exists (select from unnest(p.proconfig) s where s like 'search\\_path=%')
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`;

/** Runs as role postgres, with Postgres's errors worded as by the API. */
async function withClient(
  project: CallInput["project"],
  work: (client: pg.Client) => Promise<ServiceResponse>,
): Promise<ServiceResponse> {
  const client = new pg.Client({ ...project.database.connection("postgres"), types: valueTypes });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return jsonResponse(400, { message: `Failed to run sql query: ${error.message}` });
  } finally {
    await client.end();
  }
}
