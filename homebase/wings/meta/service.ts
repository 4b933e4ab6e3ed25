/**
 * Owns the database API: the interface of supabase/postgres-meta, which Studio, the MCP server and tools use to
 * read and change a database's objects (docs/compat/meta.md). The gateway lets only secret keys in.
 */

import type { Endpoint, Endpoints } from "../../src/catalog/catalogue-endpoint.ts";
import { isDatabaseError, MetaError } from "../../src/catalog/errors.ts";
import { notBuilt, typescript } from "../../src/catalog/generators.ts";
import { VERSION } from "../../src/catalog/postgres-meta-version.ts";
import { runQuery, timeoutOf } from "../../src/catalog/query.ts";
import * as catalogue from "../../src/catalog/resources/catalogue.ts";
import { columnEndpoints } from "../../src/catalog/resources/columns.ts";
import { extensionEndpoints } from "../../src/catalog/resources/extensions.ts";
import { functionEndpoints } from "../../src/catalog/resources/functions.ts";
import { policyEndpoints } from "../../src/catalog/resources/policies.ts";
import * as privileges from "../../src/catalog/resources/privileges.ts";
import { publicationEndpoints } from "../../src/catalog/resources/publications.ts";
import { foreignTables, materializedViews, views } from "../../src/catalog/resources/relations.ts";
import { roleEndpoints } from "../../src/catalog/resources/roles.ts";
import { schemaEndpoints } from "../../src/catalog/resources/schemas.ts";
import { relationReaders, tableEndpoints } from "../../src/catalog/resources/tables.ts";
import { triggerEndpoints } from "../../src/catalog/resources/triggers.ts";
import { Sessions } from "../../src/catalog/session.ts";
import { validPercentDecoded } from "../../src/core/percent.ts";
import {
  BodyTooLarge,
  jsonResponse,
  readBody,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from "../../src/http/exchange.ts";
import { type Route, Router } from "../../src/http/router.ts";
import { databaseOutage } from "../../src/postgres/trouble.ts";
import type { ServiceContext } from "../../src/service-context.ts";

/** As upstream's PG_META_MAX_BODY_LIMIT_MB. */
const BODY_LIMIT = 3 * 1024 * 1024;
const NUMBER = /^\d+$/;

/** An endpoint, and the pattern of its path's variable. */
interface Found {
  endpoint: Endpoint;
  id?: RegExp;
}

/** `list` and `retrieve`, and the three that change, as far as a kind has them. */
function resource(path: string, endpoints: Endpoints, id: RegExp = NUMBER): Route<Found>[] {
  const { list, retrieve, create, update, remove } = endpoints;
  const routes: [string, string, Endpoint | undefined][] = [
    ["GET", path, list],
    ["POST", path, create],
    ["GET", `${path}/:id`, retrieve],
    ["PATCH", `${path}/:id`, update],
    ["DELETE", `${path}/:id`, remove],
  ];
  return routes.flatMap(([method, pattern, endpoint]) =>
    endpoint ? [[method, pattern, { endpoint, id }] as const] : [],
  );
}

const noGenerator = (language: string) =>
  notBuilt(
    `Types for ${language} are not built. Use the Supabase CLI: npx supabase gen types --lang ${language}`,
  );
const noParser = (what: string) =>
  notBuilt(`${what} SQL is not built. The library pgsql-parser of npm does it without a server.`);

const router = new Router<Found, "id">([
  ["POST", "/query", { endpoint: runQuery }],
  ["POST", "/query/format", { endpoint: noParser("Formatting") }],
  ["POST", "/query/parse", { endpoint: noParser("Parsing") }],
  ["POST", "/query/deparse", { endpoint: noParser("Deparsing") }],
  ["GET", "/config", { endpoint: catalogue.listConfig }],
  ["GET", "/config/version", { endpoint: catalogue.version }],
  ["GET", "/types", { endpoint: catalogue.listTypes }],
  ["GET", "/generators/typescript", { endpoint: typescript }],
  ...["go", "swift", "python"].map(
    (language): Route<Found> => ["GET", `/generators/${language}`, { endpoint: noGenerator(language) }],
  ),
  ["GET", "/table-privileges", { endpoint: privileges.listTablePrivileges }],
  ["POST", "/table-privileges", { endpoint: privileges.grantTablePrivileges }],
  ["DELETE", "/table-privileges", { endpoint: privileges.revokeTablePrivileges }],
  ["GET", "/column-privileges", { endpoint: privileges.listColumnPrivileges }],
  ["POST", "/column-privileges", { endpoint: privileges.grantColumnPrivileges }],
  ["DELETE", "/column-privileges", { endpoint: privileges.revokeColumnPrivileges }],
  ...resource("/schemas", schemaEndpoints),
  ...resource("/tables", tableEndpoints),
  ...resource("/columns", columnEndpoints, /^\d+(?:\.\d+)?$/),
  ...resource("/policies", policyEndpoints),
  ...resource("/roles", roleEndpoints),
  ...resource("/functions", functionEndpoints),
  ...resource("/triggers", triggerEndpoints),
  ...resource("/publications", publicationEndpoints),
  ...resource("/extensions", extensionEndpoints, /^/),
  ...resource("/views", relationReaders(views)),
  ...resource("/materialized-views", relationReaders(materializedViews)),
  ...resource("/foreign-tables", relationReaders(foreignTables)),
  ...resource("/indexes", catalogue.indexEndpoints),
]);

/** Creates the service of a Backend. */
export async function createMetaService(context: ServiceContext): Promise<Service> {
  const sessions = new Sessions(context.database);
  return {
    handle: async (request) => {
      try {
        return await answer(context, sessions, request);
      } catch (error) {
        request.body.resume();
        return failure(context, request, error);
      }
    },
    close: () => sessions.close(),
  };
}

async function answer(
  { clock }: ServiceContext,
  sessions: Sessions,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  // A list's path may end in a slash, as in Fastify.
  const path = request.path.length > 1 ? request.path.replace(/\/$/, "") : request.path;
  const method = request.method === "HEAD" ? "GET" : request.method;
  if (method === "GET" && path === "/") return jsonResponse(200, { status: 200, ...ABOUT });
  if (method === "GET" && path === "/health") return jsonResponse(200, { date: new Date(clock.now()) });
  const found = router.match(request.method, path);
  const id = storableSegment(found?.values.id ?? "");
  if (
    !found ||
    id === undefined ||
    (found.handler.id && found.values.id !== "" && !found.handler.id.test(id))
  ) {
    throw new MetaError(404, "Not found");
  }
  const query = Object.fromEntries(new URLSearchParams(request.query));
  const body = await bodyOf(request, method);
  const name = request.headers["x-pg-application-name"];
  const options = {
    signal: request.signal,
    timeout: timeoutOf(query),
    applicationName: typeof name === "string" ? name : undefined,
  };
  const value = await sessions.use(options, (session) =>
    found.handler.endpoint({ session, id, body, query }),
  );
  if (typeof value !== "string") return jsonResponse(200, value);
  return { status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body: value };
}

const ABOUT = {
  name: "postgres-meta",
  version: VERSION,
  documentation: "https://github.com/supabase/postgres-meta",
};

/** The JSON body; undefined without one. @throws MetaError 500, upstream's status for every invalid request. */
async function bodyOf(request: ServiceRequest, method: string): Promise<unknown> {
  const bytes = await readBody(request, BODY_LIMIT);
  if (method === "GET") return undefined;
  const type = request.headers["content-type"];
  if (bytes.length === 0) {
    if (method === "DELETE") return undefined;
    throw new MetaError(
      500,
      type?.startsWith("application/json")
        ? "Body cannot be empty when content-type is set to 'application/json'"
        : "body must be object",
    );
  }
  if (type === undefined || !/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new MetaError(500, `Unsupported Media Type: ${type}`);
  }
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw new MetaError(500, (error as Error).message);
  }
}

/** A segment's text; undefined if it is no text that Postgres can have stored. */
function storableSegment(text: string): string | undefined {
  const value = validPercentDecoded(text);
  return value?.includes("\0") ? undefined : value;
}

/** Postgres's errors respond 500 for a list, 404 for one object and 400 for a change, as upstream. */
function failure({ log }: ServiceContext, request: ServiceRequest, error: unknown): ServiceResponse {
  if (error instanceof MetaError)
    return jsonResponse(error.status, { error: error.message, ...error.fields });
  if (error instanceof BodyTooLarge) return jsonResponse(500, { error: "Request body is too large" });
  // A value that JSON can be read from may be too deep to be written as JSON.
  if (error instanceof RangeError) return jsonResponse(400, { error: "The request is nested too deeply." });
  const outage = databaseOutage(error);
  if (outage) return jsonResponse(503, { error: outage.message }, { "retry-after": outage.retryAfter });
  if (isDatabaseError(error)) {
    const reading = request.method === "GET" || request.method === "HEAD";
    const one = /^\/[^/]+\/[^/]+$/.test(request.path);
    return jsonResponse(reading ? (one ? 404 : 500) : 400, { error: error.message });
  }
  if (request.signal.aborted) return jsonResponse(408, { error: "The client has disconnected." });
  log.error(`${request.method} ${request.path} failed`, { id: request.id, error: String(error) });
  return jsonResponse(500, { error: "An unexpected error happened; the log has it." });
}
