/** Owns telling a failed statement from a failed connection. */
import pg from "pg";

/** Whether a statement failed, and not the connection or the server that it was sent to. */
export function isStatementError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? "");
}
