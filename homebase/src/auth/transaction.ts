/**
 * Owns the transaction of one Auth request: BEGIN travels with the first statement, statements whose
 * answer nobody waits for travel with the next, and COMMIT with the last.
 */
import type pg from "pg";
import type { Database } from "../postgres/database.ts";
import { AuthError } from "./errors.ts";

const LOGIN = "supabase_auth_admin";

/** Statements of one transaction, on one connection that pipelines. */
export class Transaction {
  readonly #client: pg.PoolClient;
  readonly #pending: Promise<unknown>[] = [];
  #failure: { error: unknown } | undefined;

  constructor(client: pg.PoolClient) {
    this.#client = client;
    this.#await(client.query("begin"), undefined);
  }

  /** The rows of a statement. */
  async rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    try {
      const result = await this.#client.query<Row & pg.QueryResultRow>(text, values);
      return result.rows;
    } catch (error) {
      // An earlier statement that nobody waited for is the cause of whatever comes after it.
      await Promise.allSettled(this.#pending);
      throw this.#failure ? this.#failure.error : error;
    }
  }

  /** The first row of a statement, if any. */
  async one<Row extends object>(text: string, values: unknown[] = []): Promise<Row | undefined> {
    return (await this.rows<Row>(text, values))[0];
  }

  /**
   * Sends a statement without waiting for it; when it fails the transaction does.
   * @param failed turns Postgres's error into the one that the client sees.
   */
  enqueue(text: string, values: unknown[] = [], failed?: (error: unknown) => Error): void {
    this.#await(this.#client.query(text, values), failed);
  }

  /** Waits for the statements sent by `enqueue`. @throws the first one's failure. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#pending);
    if (this.#failure) throw this.#failure.error;
  }

  #await(answer: Promise<unknown>, failed: ((error: unknown) => Error) | undefined): void {
    this.#pending.push(
      answer.catch((error: unknown) => {
        // Statements fail in the order they were sent, so the first failure is the cause.
        this.#failure ??= { error: failed ? failed(error) : error };
      }),
    );
  }
}

/**
 * Runs `work` in one transaction as supabase_auth_admin. An AuthError that keeps its writes commits.
 * @throws what `work` throws, or the failure of a statement that it did not wait for.
 */
export async function transact<T>(
  database: Database,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const client = await database.pool(LOGIN).connect();
  let broken: Error | undefined;
  const end = async (how: "commit" | "rollback") => {
    await client.query(how).catch((failure: Error) => {
      broken = failure;
      if (how === "commit") throw failure;
    });
  };
  try {
    const transaction = new Transaction(client);
    const result = await work(transaction).catch(async (error: unknown) => {
      const keep = error instanceof AuthError && error.committed;
      await end(keep ? "commit" : "rollback");
      await transaction.settle().catch((failure: unknown) => {
        if (keep) throw failure;
      });
      throw error;
    });
    // COMMIT of a failed transaction is answered with a rollback and no error: `settle` has the failure.
    const committed = end("commit");
    await Promise.allSettled([committed]);
    await transaction.settle();
    await committed;
    return result;
  } finally {
    client.release(broken);
  }
}

/** Reads outside a transaction of ours, where a finder wants a reader. */
export function readerOf(database: Database): Pick<Transaction, "rows"> {
  return {
    rows: <Row extends object>(text: string, values?: unknown[]) => read<Row>(database, text, values),
  };
}

/** One statement outside a transaction of ours. */
export async function read<Row extends object>(
  database: Database,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await database.pool(LOGIN).query<Row & pg.QueryResultRow>(text, values)).rows;
}
