/**
 * Owns the settings of a request's transaction: role, claims, and request details for SQL (PostgREST
 * documentation, "Transactions", "Transaction-Scoped Settings").
 */
import type { ServiceRequest } from "../../http/exchange.ts";
import { quote } from "../../postgres/quoting.ts";
import { readText } from "../header-text.ts";
import type { RestRequest } from "../request/request.ts";
import type { RoleSettings, Routine } from "../schema/schema.ts";
import type { RestSettings } from "../settings.ts";
import type { Caller } from "./caller.ts";

/** In PostgREST's order: the role's own settings are set before the role. */
export function transactionSettings(
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
