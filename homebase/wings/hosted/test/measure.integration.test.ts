/**
 * How much of the Management API the stand-in for hosted has: of all its calls, and of those that the tools of
 * Supabase's MCP server make. What is missing answers 501 and stands in docs/hosted.md.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import { startHosted } from "../index.ts";
import { type Answer, callerOf } from "./api.ts";
import { OPERATIONS } from "./management-api.ts";

const DOCS = readFileSync(join(import.meta.dirname, "../../../../docs/hosted.md"), "utf8");

const hosted = await forThisFile(startHosted({ cluster: await testCluster(process.cwd()) }));
const call = callerOf(hosted);

/** Values of a path's variables that are of nothing. */
const VALUES: Record<string, string> = {
  slug: "zzzzzzzzzzzzzzzzzzzz",
  branch_id_or_ref: "zzzzzzzzzzzzzzzzzzzz",
  name: "nothing",
};
const filled = (path: string) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === "ref" ? hosted.project.ref : (VALUES[name] ?? "00000000-0000-4000-8000-000000000000"),
  );

test("every call that answers 501 stands in docs/hosted.md, and no other", async () => {
  const [, section = ""] = DOCS.split("## What answers 501");
  const listed = [...(section.split("\n## ")[0] ?? "").matchAll(/`([A-Z]+ \/v\d[^`]*)`/g)].map(
    ([, one]) => one,
  );
  const refused: string[] = [];
  for (const operation of OPERATIONS) {
    // Tried with the tools below: after them the project would answer nothing.
    if (/^POST \/v1\/projects\/\{ref\}\/(pause|restore|restart)$/.test(operation)) continue;
    const [method = "", path = ""] = operation.split(" ");
    const { status } = await call(method, filled(path), /GET|HEAD/.test(method) ? undefined : {});
    if (status === 501) refused.push(operation);
    // Without its input a call may be refused; it does not fail.
    expect([operation, status === 501 || status < 500]).toEqual([operation, true]);
  }
  expect(listed.sort()).toEqual(refused.sort());
  expect(DOCS).toContain(
    `Of the ${OPERATIONS.length} calls that the Supabase CLI 3.1.0 knows of the Management API, ${OPERATIONS.length - refused.length} are there.`,
  );
}, 60_000);

const ago = new Date(Date.now() - 3_600_000).toISOString();
const logs = (sql: string) =>
  call(
    "GET",
    `/analytics/endpoints/logs?${new URLSearchParams({ sql, iso_timestamp_start: ago, iso_timestamp_end: new Date().toISOString() })}`,
  );
/** The keys that `get_logs` reads of each source. */
const LOGS: Record<string, string> = {
  edge_logs: "identifier request.method request.path response.status_code",
  workflow_run_logs: "workflow_run",
  postgres_logs: "identifier parsed.error_severity",
  function_edge_logs:
    "response.status_code request.method function_id execution_time_ms deployment_id version",
  function_logs: "level event_type function_id execution_id deployment_id version",
  auth_logs: "level status path msg error",
  storage_logs: "",
  realtime_logs: "",
};
const logsOf = ([source, keys]: [string, string]) => {
  const fields = keys.split(" ").filter(Boolean);
  const columns = fields.map((key) => `log_attributes['${key}'] as ${key.split(".").at(-1)}`);
  return logs(
    `select ${["id", "timestamp", "event_message", ...columns].join(", ")} from logs where source = '${source}' order by timestamp desc limit 100`,
  );
};

async function branch(): Promise<string> {
  return (await call("GET", "/branches")).body[0].id;
}

function upload(): Promise<Answer> {
  const form = new FormData();
  const metadata = { name: "greet", entrypoint_path: "index.ts", verify_jwt: false };
  form.append("metadata", new Blob([JSON.stringify(metadata)], { type: "application/json" }));
  const source = new Blob(["Deno.serve(() => new Response())"], { type: "application/typescript" });
  form.append("file", source, "index.ts");
  return fetch(`${hosted.management.url}/v1/projects/${hosted.project.ref}/functions/deploy?slug=greet`, {
    method: "POST",
    headers: { authorization: `Bearer ${hosted.management.accessToken}` },
    body: form,
  }).then(async (answer) => ({ status: answer.status, body: await answer.json() }));
}

/** Of `@supabase/mcp-server-supabase` 0.13.0: its tools, and the calls that each makes, in an order that works. */
const TOOLS: Record<string, () => Promise<Answer>[]> = {
  list_organizations: () => [call("GET", "/v1/organizations")],
  get_organization: () => [call("GET", "/v1/organizations/standinstandinstandi")],
  list_projects: () => [call("GET", "/v1/projects")],
  get_project: () => [call("GET", "")],
  get_cost: () => [call("GET", "/v1/organizations/standinstandinstandi"), call("GET", "/v1/projects")],
  create_project: () => [call("POST", "/v1/projects", { name: "other", region: "eu-west-1" })],
  apply_migration: () => [
    call("POST", "/database/migrations", { name: "notes", query: "create table public.notes (id int)" }),
  ],
  list_migrations: () => [call("GET", "/database/migrations")],
  execute_sql: () => [call("POST", "/database/query", { query: "select 1", read_only: false })],
  list_tables: () => [
    call("POST", "/database/query", {
      query: "select relname from pg_class where relnamespace::regnamespace::text = any($1)",
      parameters: [["public"]],
      read_only: true,
    }),
  ],
  list_extensions: () => [
    call("POST", "/database/query", { query: "select name from pg_available_extensions", read_only: true }),
  ],
  get_logs: () => Object.entries(LOGS).map(logsOf),
  query_logs: () => [logs("select distinct source from logs")],
  get_advisors: () => [call("GET", "/advisors/security"), call("GET", "/advisors/performance")],
  get_publishable_keys: () => [call("GET", "/api-keys?reveal=false"), call("GET", "/api-keys/legacy")],
  generate_typescript_types: () => [call("GET", "/types/typescript")],
  deploy_edge_function: () => [upload()],
  list_edge_functions: () => [call("GET", "/functions")],
  get_edge_function: () => [call("GET", "/functions/greet")],
  create_edge_function_secret: () => [call("GET", "/secrets")],
  list_storage_buckets: () => [call("GET", "/storage/buckets")],
  get_storage_config: () => [call("GET", "/config/storage")],
  update_storage_config: () => [
    call("PATCH", "/config/storage", {
      fileSizeLimit: 1_000_000,
      features: { imageTransformation: { enabled: false }, s3Protocol: { enabled: true } },
    }),
  ],
  create_branch: () => [call("POST", "/branches", { branch_name: "develop" })],
  list_branches: () => [call("GET", "/branches")],
  rebase_branch: () => [branch().then((id) => call("POST", `/v1/branches/${id}/push`, {}))],
  reset_branch: () => [branch().then((id) => call("POST", `/v1/branches/${id}/reset`, {}))],
  merge_branch: () => [branch().then((id) => call("POST", `/v1/branches/${id}/merge`, {}))],
  delete_branch: () => [branch().then((id) => call("DELETE", `/v1/branches/${id}`))],
  pause_project: () => [call("POST", "/pause")],
  restore_project: () => [call("POST", "/restore")],
};
/** Those that make no call of the Management API. */
const OTHERS = ["search_docs", "confirm_cost", "get_project_url"];

test("the calls of the MCP server's tools are answered", async () => {
  const works: string[] = [];
  for (const [tool, calls] of Object.entries(TOOLS)) {
    const answers = await Promise.all(calls());
    if (answers.every(({ status }) => status < 300)) works.push(tool);
    else expect([tool, answers.map(({ status }) => status)]).toEqual(["create_project", [501]]);
  }
  expect(hosted.management.branches.list()).toEqual([]);
  expect(hosted.project.status).toBe("ACTIVE_HEALTHY");
  const all = Object.keys(TOOLS).length + OTHERS.length;
  expect(DOCS).toContain(
    `Of the ${all} tools of its MCP server (\`@supabase/mcp-server-supabase\` 0.13.0), ${Object.keys(TOOLS).length} call the Management API, and ${works.length} of them work.`,
  );
}, 60_000);
