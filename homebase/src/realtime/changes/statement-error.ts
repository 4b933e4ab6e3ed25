/** Owns distinguishing a failed statement from a failed connection. */
import pg from "pg";

/** Whether the statement failed, not the connection or the server. */
export function isStatementError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? "");
}
