/** Owns the request that a record describes, as `explain` takes it. */
import type { ReadRecord, RequestSummary } from "../http/records.ts";
import type { Asked } from "./asked-tables.ts";
import { ExplainError } from "./database/explanation-transaction.ts";

/** The services whose requests are explained. */
export const EXPLAINED_SERVICES = ["rest", "storage"];

/**
 * What a recorded request asked, with the claims and the search path that it ran with.
 * @throws ExplainError where the database was not asked, or where values were not kept that are needed.
 */
export function askedOf(record: ReadRecord): Asked {
  const { id, method, path, query, status, rows, code, service, role, claims, statement } = record;
  const { error, milliseconds } = record;
  if (service === undefined || !EXPLAINED_SERVICES.includes(service)) {
    throw new ExplainError(
      `Request ${id} went to ${service ?? "no service"}: requests to REST and Storage are explained.`,
    );
  }
  if (role === undefined) {
    throw new ExplainError(
      `Request ${id} was refused with ${status}${code === undefined ? "" : ` (${code})`} before the database was asked, so no policy has decided.`,
    );
  }
  if (!statement) {
    throw new ExplainError(
      `The values of request ${id} were not kept, because they are larger than 16 KB: explain it by method, path and --as.`,
    );
  }
  const address = query === "" ? path : `${path}?${query}`;
  if (code === "42703" && namesMissingColumn(address, error?.message ?? "")) {
    throw new ExplainError(
      `Request ${id} was refused with ${status} (${code}): ${error?.message}. Postgres looks up names before it reads rows, so no policy has decided. Correct the name in the request, or add the column in a migration.`,
    );
  }
  const asked = { method, path: address, role, claims: claims ?? { role } };
  if (service === "storage") {
    const [body, upsert] = statement.values;
    return {
      ...asked,
      body: body ?? undefined,
      headers: upsert == null ? undefined : { "x-upsert": upsert },
    };
  }
  // The profile's schema comes first in the search path, and the body first among the values.
  const schema = /^"((?:[^"]|"")*)"/.exec(statement.searchPath)?.[1]?.replaceAll('""', '"');
  const reads = method === "GET" || method === "HEAD";
  const body = reads || method === "DELETE" ? undefined : (statement.values[0] ?? "{}");
  return {
    ...asked,
    searchPath: statement.searchPath,
    headers: {
      ...statement.headers,
      ...(schema === undefined ? {} : { [reads ? "accept-profile" : "content-profile"]: schema }),
    },
    status,
    rows,
    code,
    error,
    milliseconds,
    body,
    statement,
  };
}

/** Whether Postgres refused a column that the request itself names, and not one in a function or trigger. */
function namesMissingColumn(address: string, message: string): boolean {
  const column = /^column (?:.*\.)?"?([^".]+)"? does not exist$/.exec(message)?.[1];
  return (
    column !== undefined &&
    new URLSearchParams(address.split("?")[1]).toString().includes(encodeURIComponent(column))
  );
}

/** The last of some requests that `askedOf` may take. */
export function lastAsked(records: readonly RequestSummary[]): RequestSummary | undefined {
  return records.findLast(
    ({ role, service }) =>
      role !== undefined && service !== undefined && EXPLAINED_SERVICES.includes(service),
  );
}
