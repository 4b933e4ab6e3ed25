/** Owns the calls about a project's logs and the counts of its requests. */

import { isDatabaseError, queryError } from "../../../src/catalog/errors.ts";
import { jsonResponse, type ServiceResponse } from "../../../src/http/exchange.ts";
import { postgresQuery } from "../logs/query.ts";
import { LogQueryRefused } from "../logs/tokens.ts";
import type { CallEntry, CallInput } from "./call.ts";

const ENDPOINTS = "/v1/projects/{ref}/analytics/endpoints";
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export const LOGS: readonly CallEntry[] = [
  ["GET", `${ENDPOINTS}/logs`, queryLogs],
  [
    "GET",
    `${ENDPOINTS}/logs.all`,
    () =>
      jsonResponse(410, {
        message:
          "This endpoint has been removed. Use GET /v1/projects/{ref}/analytics/endpoints/logs instead.",
      }),
  ],
];

async function queryLogs({ project, query, signal }: CallInput): Promise<ServiceResponse> {
  const window = windowOf(query.get("iso_timestamp_start"), query.get("iso_timestamp_end"));
  if (typeof window === "string") return refused(window);
  const sql = query.get("sql") ?? "select * from logs order by timestamp desc limit 100";
  try {
    const statement = postgresQuery(sql);
    const rows = JSON.stringify(project.logs.between(window.start, window.end));
    return await project.readOnlySessions.use({ signal }, async (session) =>
      jsonResponse(200, { result: await session.rows(statement, [rows]) }),
    );
  } catch (error) {
    if (error instanceof LogQueryRefused) return failed(error.message);
    // The statement is not the caller's own: its lines and carets would not be either.
    if (isDatabaseError(error)) return failed(queryError(error, "").message.split("\n")[0] ?? "");
    throw error;
  }
}

/**
 * A query that does not run. Hosted answers with status 200 (github.com/supabase/supabase/issues/49705); the Supabase CLI
 * prints the words of that, and of another status the number alone.
 */
function failed(error: string): ServiceResponse {
  return jsonResponse(200, { result: null, error });
}

function refused(message: string): ServiceResponse {
  return jsonResponse(400, { message });
}

/** Whole minutes; the last one without times. Text is an error message. */
function windowOf(from: string | null, to: string | null): { start: Date; end: Date } | string {
  const last = to === null ? Date.now() : Date.parse(to);
  const first = from === null ? last - MINUTE_MS : Date.parse(from);
  if (Number.isNaN(first) || Number.isNaN(last))
    return "iso_timestamp_start and iso_timestamp_end must be ISO 8601 timestamps.";
  const start = Math.floor(first / MINUTE_MS) * MINUTE_MS;
  const end = Math.ceil(last / MINUTE_MS) * MINUTE_MS;
  if (start >= end) return "iso_timestamp_start must be before iso_timestamp_end.";
  if (last - first > DAY_MS) return "The range of timestamps must be no more than 24 hours.";
  return { start: new Date(start), end: new Date(end) };
}
