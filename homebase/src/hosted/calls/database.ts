/** Owns the calls about a project's database: login roles, queries, migrations, types, buckets, advisors, backups. */
import { isRecord, recordOf } from "../../core/record.ts";
import { jsonResponse, type ServiceResponse } from "../../http/exchange.ts";
import { typescript } from "../../meta/generators.ts";
import type { Session } from "../../meta/session.ts";
import { ensureWebhooks } from "../../postgres/cluster/implied.ts";
import { makeLoginRole } from "../login-role.ts";
import { appliedMigrations, applyMigration, runStatements } from "../migrations.ts";
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
  ["GET", `${REF}/database/migrations/{version}`, getMigration],
  ["POST", `${REF}/database/migrations`, runMigration],
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
  ["GET", `${REF}/types/typescript`, generateTypes],
  ["GET", `${REF}/storage/buckets`, listBuckets],
  ["POST", `${REF}/database/webhooks/enable`, enableWebhooks],
  ["GET", `${REF}/advisors/security`, (input) => advice(input, "SECURITY", SECURITY_LINTS)],
  ["GET", `${REF}/advisors/performance`, (input) => advice(input, "PERFORMANCE", PERFORMANCE_LINTS)],
];

async function query(input: CallInput, readOnly: boolean): Promise<ServiceResponse> {
  const given = input.json();
  const { query: text, parameters, read_only } = recordOf(given);
  if (typeof text !== "string" || text.trim() === "")
    return jsonResponse(400, { message: "query is missing." });
  if (parameters !== undefined && !Array.isArray(parameters))
    return jsonResponse(400, { message: "parameters must be an array." });
  const { readOnlySessions, sessions } = input.project;
  return withSession(
    input,
    async (session) => jsonResponse(201, await runStatements(session, text, parameters)),
    readOnly || read_only === true ? readOnlySessions : sessions,
  );
}

function listMigrations(input: CallInput): Promise<ServiceResponse> {
  return withSession(input, async (session) =>
    jsonResponse(
      200,
      (await appliedMigrations(session)).map(({ version, name }) => ({
        version,
        ...(name === null ? {} : { name }),
      })),
    ),
  );
}

function getMigration(input: CallInput): Promise<ServiceResponse> {
  return withSession(input, async (session) => {
    const found = (await appliedMigrations(session)).find(({ version }) => version === input.values.version);
    if (!found) return jsonResponse(404, { message: "Migration not found" });
    return jsonResponse(200, Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null)));
  });
}

async function runMigration(input: CallInput): Promise<ServiceResponse> {
  const given = input.json();
  const { query: text, name } = recordOf(given);
  if (typeof text !== "string" || text.trim() === "")
    return jsonResponse(400, { message: "query is missing." });
  return withSession(input, async (session) => {
    await applyMigration(session, text, typeof name === "string" ? { name } : {});
    return jsonResponse(200, { success: true });
  });
}

function generateTypes(input: CallInput): Promise<ServiceResponse> {
  const query = { included_schemas: input.query.get("included_schemas") ?? "public" };
  return withSession(input, async (session) =>
    jsonResponse(200, { types: await typescript({ session, query }) }),
  );
}

function listBuckets(input: CallInput): Promise<ServiceResponse> {
  return withSession(input, async (session) =>
    jsonResponse(
      200,
      await session.rows(
        "select id, name, coalesce(owner_id, '') as owner, created_at, updated_at, public from storage.buckets order by name",
      ),
    ),
  );
}

async function enableWebhooks({ project }: CallInput): Promise<ServiceResponse> {
  await ensureWebhooks(project.database);
  return jsonResponse(201, null);
}

/** Four of hosted's lints, listed in docs/hosted.md; an empty list says nothing about the others. */
function advice(
  input: CallInput,
  category: "SECURITY" | "PERFORMANCE",
  lints: string,
): Promise<ServiceResponse> {
  return withSession(input, async (session) => {
    const rows = await session.rows<{ name: string; entity: string; detail: string }>(lints);
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

/** Runs in a session of the database API, as role postgres or as the role that only reads. */
function withSession(
  { project, signal }: CallInput,
  work: (session: Session) => Promise<ServiceResponse>,
  sessions = project.sessions,
): Promise<ServiceResponse> {
  return sessions.use({ signal }, work);
}
