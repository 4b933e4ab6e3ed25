/** Owns a request as one line of the feed, and whole. */
import { uploadOf } from "../../../src/explain/index.ts";
import { callerOf, callerRoleOf, type ReadRecord, type RequestSummary } from "../../../src/http/records.ts";
import type { Entry, Row } from "./api.ts";
import { gatesOf, outcomeOf, stripOf } from "./gates.ts";

/** The services' prefixes, which say nothing that the line does not say otherwise. */
const PREFIX = /^\/(rest|auth|storage|realtime|functions)\/v1\//;
const SHORT_ID = 8;
const SENDABLE = new Set(["rest", "auth", "storage", "functions"]);

export function rowOf(record: RequestSummary): Row {
  const { id, parent, at, method, path, query, service, status, milliseconds } = record;
  const gates = gatesOf(record);
  const who = whoOf(record);
  return {
    id,
    kind: "request",
    parent,
    at: Date.parse(at),
    verb: method,
    service,
    name: nameOf(service, path),
    rest: query === "" ? undefined : `?${shown(query)}`,
    who,
    status,
    ...outcomeOf(record, gates),
    gates: stripOf(gates),
    ms: milliseconds,
  };
}

/** Whether it says nothing about the app: a browser's preflight, or a probe. */
export function isHidden({ method, service, path }: RequestSummary): boolean {
  if (service === "mcp" || service === "rest-admin") return true;
  return method === "OPTIONS" || /^\/(auth|storage|realtime)\/v1\/(health|status)$/.test(path);
}

/** @param whole the record with its claims, of which the page gets the user's name */
export function entryOf(
  record: ReadRecord,
  whole: ReadRecord,
  { caused, answerKept }: Pick<Entry, "caused" | "answerKept">,
): Entry {
  const { path, query, role, code, error, statement, service } = record;
  const caller = callerOf(whole.claims);
  const callerRole = role ?? callerRoleOf(whole.claims);
  const [user] = caller;
  const { text = "", values = [], searchPath = "" } = statement ?? {};
  const ran = statement && role !== undefined ? { text, values, searchPath, role } : undefined;
  return {
    row: rowOf({ ...record, caller, callerRole }),
    gates: gatesOf(record),
    path: query === "" ? path : `${path}?${query}`,
    ...{ role: callerRole, user, code, caused, answerKept },
    notKept: role !== undefined && statement === undefined,
    error:
      error && (service !== "functions" || code !== undefined)
        ? { message: error.message, hint: error.hint || undefined }
        : undefined,
    statement: ran,
    explained: (service === "rest" || service === "storage") && role !== undefined && statement !== undefined,
    sendable: SENDABLE.has(service ?? ""),
    testable:
      (service === "rest" && record.replayable) ||
      (service === "storage" && statement !== undefined && uploadOf(record.method, path) !== undefined),
  };
}

/** REST's tables stand alone; others keep the service's name. */
function nameOf(service: string | undefined, path: string): string {
  return shown(path.replace(PREFIX, service === "rest" ? "" : "$1/"));
}

function whoOf({ caller = [], role: ranAs, callerRole: role = ranAs }: RequestSummary): string | undefined {
  const [user] = caller;
  if (user !== undefined) return shortWho(user);
  return role === "service_role" ? "secret" : role;
}

/** The beginning of an id, and an email without its domain. */
export function shortWho(user: string): string {
  return isUuid(user) ? user.slice(0, SHORT_ID) : user.replace(/@.*/, "@…");
}

function isUuid(text: string): boolean {
  return /^[\da-f]{8}-/.test(text);
}

/** Without percent-encoding, but for marks of direction and other controls: a name must not look like another one. */
function shown(text: string): string {
  try {
    return decodeURIComponent(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, encodeURIComponent);
  } catch {
    return text;
  }
}
