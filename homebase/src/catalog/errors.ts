/** Owns the errors of the database API, and Postgres's errors in its form (supabase/postgres-meta, lib/db.ts). */
import pg from "pg";

/** An error with its status; `fields` join `error` in the body. */
export class MetaError extends Error {
  readonly status: number;
  readonly fields: Record<string, unknown>;

  constructor(status: number, message: string, fields: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.fields = fields;
  }
}

/** An object that is not there. */
export function notFound(what: string, which: string): MetaError {
  return new MetaError(404, `Cannot find ${what} ${which}`);
}

/** Whether Postgres reported the error, rather than the connection. */
export function isDatabaseError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError;
}

/**
 * An error of a caller's own statement: every field of Postgres's message, and the text that psql would print.
 * @param sql the statement, for the line that `position` is in.
 */
export function queryError(error: pg.DatabaseError, sql: string): MetaError {
  const formattedError = formatError(error, sql);
  return new MetaError(400, formattedError, { ...error, message: error.message, formattedError });
}

function formatError(error: pg.DatabaseError, sql: string): string {
  const severity = error.severity ? `${error.severity}:  ` : "";
  const code = error.code ? `${error.code}: ` : "";
  const lines = [`${severity}${code}${error.message}`];
  if (error.position) lines.push(...pointer(sql, Number(error.position)));
  if (error.detail) lines.push(`DETAIL:  ${error.detail}`);
  if (error.hint) lines.push(`HINT:  ${error.hint}`);
  if (error.internalQuery) lines.push(`QUERY:  ${error.internalQuery}`);
  if (error.where) lines.push(`CONTEXT:  ${error.where}`);
  return `${lines.join("\n")}\n`;
}

/** The line of a position, and a caret below it. @param position counts characters from 1. */
function pointer(sql: string, position: number): string[] {
  // Postgres counts characters, and a string counts UTF-16 units.
  const before = [...sql].slice(0, position - 1).join("");
  const start = before.lastIndexOf("\n") + 1;
  const end = sql.indexOf("\n", before.length);
  const head = `LINE ${before.split("\n").length}: `;
  const line = sql.slice(start, end < 0 ? undefined : end);
  return [`${head}${line}`, `${" ".repeat(head.length + before.length - start)}^`];
}
