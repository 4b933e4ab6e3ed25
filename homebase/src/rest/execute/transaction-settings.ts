/**
 * Owns what precedes the statements of a request's transaction: role, claims, request details for SQL, and the
 * pre-request (PostgREST documentation, "Transactions", "Transaction-Scoped Settings").
 */
import type { ServiceRequest } from "../../http/exchange.ts";
import { quote, quoteGiven, quoteLiteral } from "../../postgres/quoting.ts";
import { readText } from "../header-text.ts";
import type { RestSettings } from "../postgrest-settings.ts";
import type { RestRequest } from "../request/parsed-request.ts";
import type { RoleSettings, Routine } from "../schema/schema-cache.ts";
import type { Snapshot } from "../schema/source.ts";
import type { Caller } from "./role-and-claims.ts";

/** What precedes the statements of a transaction. */
export interface Prelude {
  /** In the order in which they are set; the role is one of them. */
  settings: readonly (readonly [name: string, value: string])[];
  /** Run as the caller, between the settings and the statements, e.g. `select "auth"."check"()`. */
  before: readonly string[];
}

export function preludeOf(
  http: ServiceRequest,
  request: RestRequest,
  { settings, cache }: Pick<Snapshot, "settings"> & { cache: Pick<Snapshot["cache"], "roles"> },
  caller: Caller,
  routine?: Routine,
): Prelude {
  const role = cache.roles.get(caller.role);
  const { preRequest } = settings;
  return {
    settings: transactionSettings(http, request, settings, caller, role, routine),
    before: preRequest === undefined ? [] : [`select ${quoteGiven(preRequest)}()`],
  };
}

/**
 * The prelude as SQL, for a reader of the database that sees it as the caller does.
 * @param role the role to have after it; the login's own where it is not to change.
 */
export function preludeText({ settings, before }: Prelude, role: string): string {
  const set = settings.map(
    ([name, value]) => `pg_catalog.set_config(${quoteLiteral(name)}, ${quoteLiteral(value)}, true)`,
  );
  return [`select ${set.join(", ")}`, ...before, `set local role ${quote(role)}`].join("; ");
}

/** In PostgREST's order: the role's own settings are set before the role. */
function transactionSettings(
  http: ServiceRequest,
  request: RestRequest,
  settings: RestSettings,
  caller: Caller,
  role: RoleSettings | undefined,
  routine: Routine | undefined,
): (readonly [name: string, value: string])[] {
  // Upstream repeats a schema that is also in the extra search path (PostgREST, Query/PreQuery.hs).
  const path = [request.schema, ...settings.extraSearchPath];
  const result: (readonly [string, string])[] = [["search_path", path.map(quote).join(", ")]];
  if (role) result.push(...role.settings);
  const { cookie, ...headers } = http.headers;
  result.push(
    ["role", caller.role],
    ["request.jwt.claims", caller.claims],
    ["request.method", http.method],
    ["request.path", http.path],
    ["request.headers", readText(JSON.stringify(headers))],
    ["request.cookies", cookie === undefined ? "{}" : cookies(readText(cookie))],
  );
  if (request.preferences.timezone !== undefined) result.push(["timezone", request.preferences.timezone]);
  if (routine) result.push(...routine.settings);
  result.push(...settings.appSettings);
  return result;
}

function cookies(header: string): string {
  const pairs = header.split(";").map((part) => {
    const equals = part.indexOf("=");
    return equals < 0 ? [part.trim(), ""] : [part.slice(0, equals).trim(), part.slice(equals + 1).trim()];
  });
  return JSON.stringify(Object.fromEntries(pairs));
}
