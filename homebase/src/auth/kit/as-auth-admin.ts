/** Owns Auth's database access: its transactions and reads, as supabase_auth_admin. */
import type pg from "pg";
import type { Database } from "../../postgres/database.ts";
import { prepared, type Transaction, transact as transactOn } from "../../postgres/transaction.ts";
import { type Auth, currentTime } from "./auth.ts";
import { AuthError } from "./errors.ts";
import type { AuthRequest } from "./request-fields.ts";

export type { Transaction } from "../../postgres/transaction.ts";

const LOGIN = "supabase_auth_admin";

/** A request's transaction, and the dependencies of its steps. */
export type Call = Transaction & {
  readonly auth: Auth;
  readonly request: AuthRequest;
  /** Its time, in the format of the tables. */
  readonly now: string;
};

/**
 * Runs `work` in one transaction as supabase_auth_admin. An AuthError that keeps its writes commits.
 * @throws what `work` throws, or the failure of an enqueued statement.
 */
export function transact<T>(auth: Auth, request: AuthRequest, work: (call: Call) => Promise<T>): Promise<T> {
  return transactOn(
    auth.context.database.pool(LOGIN),
    (transaction) => work(Object.assign(transaction, { auth, request, now: currentTime(auth) })),
    (error) => error instanceof AuthError && error.committed,
  );
}

/** A reader outside a transaction, for functions that accept either. */
export function readerOf(database: Database): Pick<Transaction, "rows"> {
  return {
    rows: <Row extends object>(text: string, values?: unknown[]) => read<Row>(database, text, values),
  };
}

/** The rows of one statement outside a transaction. */
export async function read<Row extends object>(
  database: Database,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await database.pool(LOGIN).query<Row & pg.QueryResultRow>(prepared(text, values))).rows;
}
