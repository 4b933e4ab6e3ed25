/** Owns running a caller's own statements (supabase/postgres-meta, routes/query.ts). */
import { z } from "zod";
import { anything, parse, text } from "./body.ts";
import type { Call } from "./catalogue-endpoint.ts";
import { isDatabaseError, MetaError, queryError } from "./errors.ts";
import { QUERY_TIMEOUT_MS, type Row } from "./session.ts";

const BODY = z.object({ query: text, parameters: z.array(anything).optional() });
const SECONDS = /^\d+(?:\.\d+)?$/;

/**
 * Runs statements as role `postgres`. @returns the rows of the last statement that returned
 * rows. @throws MetaError 400 with Postgres's message, its fields and the text that psql would print.
 */
export async function runQuery({ session, body, query }: Call): Promise<Row[]> {
  // Upstream's own check, before any other.
  if (!(body as { query?: unknown } | null)?.query) throw new MetaError(500, "query not found");
  const { query: statements, parameters } = parse(BODY, body);
  const seconds = query.statementTimeoutSecs;
  if (seconds !== undefined) {
    if (!SECONDS.test(seconds)) throw new MetaError(500, "querystring/statementTimeoutSecs must be number");
    await session.rows(
      "select set_config('statement_timeout', $1, false), set_config('idle_session_timeout', $1, false)",
      [`${Math.ceil(Number(seconds) * 1_000)}ms`],
    );
  }
  try {
    return await session.run(statements, parameters);
  } catch (error) {
    throw isDatabaseError(error) ? queryError(error, statements) : error;
  }
}

/** The milliseconds after which a request's statements are cancelled; 0 for never. */
export function timeoutOf({ queryTimeoutSecs: seconds }: Record<string, string>): number {
  if (seconds === undefined) return QUERY_TIMEOUT_MS;
  if (!SECONDS.test(seconds)) throw new MetaError(500, "querystring/queryTimeoutSecs must be number");
  return Number(seconds) * 1_000;
}
