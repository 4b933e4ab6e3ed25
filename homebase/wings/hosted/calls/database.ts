/** Owns the calls about a project's database: login roles, queries, migrations, types, buckets, advisors, backups. */

import { typescript } from "../../../src/catalog/generators.ts";
import type { Session } from "../../../src/catalog/session.ts";
import { isRecord, recordOf } from "../../../src/core/record.ts";
import { jsonResponse, type ServiceResponse } from "../../../src/http/exchange.ts";
import { ensureWebhooks } from "../../../src/postgres/cluster/implied.ts";
import { readHistory } from "../../../src/postgres/files/migration-history.ts";
import { advise, hostedForm } from "../../../src/tools/checks/advisors.ts";
import { authAdvice } from "../auth-advice.ts";
import { makeLoginRole } from "../login-role.ts";
import { applyMigration, runStatements } from "../migrations.ts";
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
  [
    "POST",
    `${REF}/database/backups/restore-pitr`,
    () => jsonResponse(400, { message: "PITR is not enabled for this project." }),
  ],
  ["GET", `${REF}/types/typescript`, generateTypes],
  ["GET", `${REF}/storage/buckets`, listBuckets],
  ["POST", `${REF}/database/webhooks/enable`, enableWebhooks],
  ["GET", `${REF}/advisors/security`, (input) => advice(input, "SECURITY")],
  ["GET", `${REF}/advisors/performance`, (input) => advice(input, "PERFORMANCE")],
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
  return withSession(input, async ({ client }) =>
    jsonResponse(
      200,
      (await readHistory(client)).map(({ version, name }) => ({
        version,
        ...(name === null ? {} : { name }),
      })),
    ),
  );
}

function getMigration(input: CallInput): Promise<ServiceResponse> {
  return withSession(input, async ({ client }) => {
    const found = (await readHistory(client)).find(({ version }) => version === input.values.version);
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

/** The findings of this category: of the database, and for security those of Auth's settings. */
function advice(input: CallInput, wanted: "SECURITY" | "PERFORMANCE"): Promise<ServiceResponse> {
  return withSession(input, async ({ client }) => {
    const found = await advise(client, input.project.config.api.schemas);
    const lints = found.filter(({ categories: [category] }) => category === wanted).map(hostedForm);
    if (wanted === "SECURITY") lints.push(...authAdvice(input.project.auth));
    return jsonResponse(200, { lints });
  });
}

/** Runs in a session of the database API, as role postgres or as the role that only reads. */
function withSession(
  { project, signal }: CallInput,
  work: (session: Session) => Promise<ServiceResponse>,
  sessions = project.sessions,
): Promise<ServiceResponse> {
  return sessions.use({ signal }, work);
}
