/**
 * Owns the first stage: parsing HTTP to a typed request. The database is not known here (rest: parse, plan,
 * sql, execute, respond).
 */
import { validPercentDecoded } from "../../core/percent.ts";
import type { ServiceRequest } from "../../http/exchange.ts";
import { restErrors } from "../errors.ts";
import { type Parameters, parseParameters } from "../grammar/parameters.ts";
import { readText } from "../header-text.ts";
import type { RestSettings } from "../postgrest-settings.ts";
import { readPayload } from "./large-payload.ts";
import { type AcceptedType, parseAccept } from "./media-type.ts";
import type { Payload } from "./payload.ts";
import { type Preferences, parsePreferences } from "./preferences.ts";
import { type RowRange, rowRange } from "./range.ts";

export type Resource =
  | { kind: "root" }
  | { kind: "table"; name: string }
  | { kind: "function"; name: string };

export type Action = "read" | "insert" | "update" | "put" | "delete" | "call" | "inspect" | "info";

export interface RestRequest {
  method: string;
  action: Action;
  resource: Resource;
  /** The schema of the profile header, or the first one exposed. */
  schema: string;
  /** Whether a profile header selected it. */
  profiled: boolean;
  parameters: Parameters;
  range: RowRange;
  preferences: Preferences;
  accept: AcceptedType[];
  payload: Payload | undefined;
  /** HEAD: no body is built. */
  headersOnly: boolean;
  /** Whether it is a call by GET, HEAD or OPTIONS: a read-only transaction with arguments in the query. */
  readOnlyCall: boolean;
}

const TABLE_ACTIONS: Record<string, Action> = {
  GET: "read",
  HEAD: "read",
  POST: "insert",
  PATCH: "update",
  PUT: "put",
  DELETE: "delete",
  OPTIONS: "info",
};

/**
 * @param readBody reads the body; called only when the action has one.
 * @throws RestError for the first error, in PostgREST's order.
 */
export async function parseRequest(
  request: ServiceRequest,
  settings: Pick<RestSettings, "schemas" | "rootSpec">,
  readBody: () => Promise<Buffer>,
): Promise<RestRequest> {
  const { method } = request;
  const wantsBody = method === "POST" || method === "PATCH" || method === "PUT";
  const bytes = wantsBody ? await readBody() : undefined;
  const asked = parsePath(request.path);
  const profile = parseProfile(request, settings.schemas);
  const { profiled } = profile;
  const { resource, schema } =
    asked.kind === "root" && settings.rootSpec !== undefined && method !== "OPTIONS"
      ? rootFunction(settings.rootSpec, profile.schema)
      : { resource: asked, schema: profile.schema };
  if (asked.kind === "root" && method !== "GET" && method !== "HEAD" && method !== "OPTIONS") {
    throw restErrors.method(method);
  }
  const action = actionOf(method, resource);
  // OPTIONS describes the function that a GET with the same query would call.
  const readOnlyCall = resource.kind === "function" && method !== "POST";
  const parameters = parseParameters(request.query, readOnlyCall);
  const reads = action === "read" || action === "call";
  const range = rowRange(
    parameters.limits.find((one) => one.path.length === 0)?.limit,
    parameters.offsets.find((one) => one.path.length === 0)?.offset,
    reads && method === "GET" ? request.headers.range : undefined,
  );
  const payload =
    bytes && action !== "info"
      ? await readPayload(
          bytes,
          request.headers["content-type"],
          resource.kind === "function" ? "function" : "table",
          parameters.columns !== undefined && action !== "put",
        )
      : undefined;
  return {
    method,
    action,
    resource,
    schema,
    profiled,
    parameters,
    range,
    preferences: parsePreferences(joined(request.headers.prefer)),
    accept: parseAccept(request.headers.accept),
    payload,
    headersOnly: method === "HEAD",
    readOnlyCall,
  };
}

function joined(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(",") : header;
}

function parsePath(path: string): Resource {
  const segments = path.slice(1).split("/").map(decodeSegment);
  if (segments.length === 1) {
    const [name = ""] = segments;
    return name === "" ? { kind: "root" } : { kind: "table", name };
  }
  const [first, name = "", ...rest] = segments;
  if (first === "rpc" && name !== "" && rest.length === 0) return { kind: "function", name };
  throw restErrors.path();
}

function decodeSegment(segment: string): string {
  const decoded = validPercentDecoded(segment);
  if (decoded === undefined) throw restErrors.path();
  return decoded;
}

/** The function for requests to the root, `f` or `schema.f`. */
function rootFunction(name: string, schema: string): { resource: Resource; schema: string } {
  const dot = name.indexOf(".");
  return dot < 0
    ? { resource: { kind: "function", name }, schema }
    : { resource: { kind: "function", name: name.slice(dot + 1) }, schema: name.slice(0, dot) };
}

const READING = new Set(["GET", "HEAD", "OPTIONS"]);

function parseProfile(
  request: ServiceRequest,
  schemas: readonly string[],
): { schema: string; profiled: boolean } {
  const header = request.headers[READING.has(request.method) ? "accept-profile" : "content-profile"];
  const text = joined(header);
  const asked = text === undefined ? undefined : readText(text);
  if (asked === undefined) return { schema: schemas[0] ?? "public", profiled: false };
  if (!schemas.includes(asked)) throw restErrors.schemaNotExposed(asked, schemas);
  return { schema: asked, profiled: true };
}

function actionOf(method: string, resource: Resource): Action {
  if (method === "OPTIONS") return "info";
  switch (resource.kind) {
    case "root":
      return "inspect";
    case "function":
      if (method === "GET" || method === "HEAD" || method === "POST") return "call";
      throw restErrors.methodOnFunction(method);
    case "table": {
      const action = TABLE_ACTIONS[method];
      if (!action) throw restErrors.method(method);
      return action;
    }
  }
}
