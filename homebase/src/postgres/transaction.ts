/**
 * Owns running transactions on pipelined connections. BEGIN is sent with the first statement, enqueued
 * statements with the next, and COMMIT with the last, so that a transaction costs few round trips.
 */
import type { Duplex } from "node:stream";
import type pg from "pg";
import { type Waiting, whileAwaited } from "./while-awaited.ts";

/** One statement. `name` makes it a prepared statement of its connection. */
export interface Statement {
  text: string;
  values?: unknown[];
  name?: string;
  rowMode?: "array";
}

/** Names of statements by their texts, which are few: values are parameters. */
const names = new Map<string, string>();
/** A service whose texts hold values would fill the server's memory. */
const MAX_NAMES = 1_000;

/** A statement that each connection plans once. */
export function prepared(text: string, values: unknown[]): pg.QueryConfig {
  let name = names.get(text);
  if (name === undefined && names.size < MAX_NAMES) {
    name = `homebase_${names.size}`;
    names.set(text, name);
  }
  return { text, values, name };
}

/** Whether a table's columns changed under a prepared statement, whose connection then fails each time. */
function isStalePlan(error: unknown): error is Error {
  return (error as { routine?: string }).routine === "RevalidateCachedQuery";
}

/** Statements of one transaction, on one pipelined connection. */
export class Transaction {
  readonly client: pg.PoolClient;
  readonly #pending: Promise<unknown>[] = [];
  #failure: { error: unknown } | undefined;

  constructor(client: pg.PoolClient) {
    this.client = client;
    this.#gather();
    this.#await(client.query("begin"), undefined);
  }

  /** Has the statements of this turn leave in one write: each write wakes Postgres. */
  #gather(): void {
    const stream = streamOf(this.client);
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  /** The rows of a statement. */
  async rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    try {
      this.#gather();
      const result = await this.client.query<Row & pg.QueryResultRow>(prepared(text, values));
      return result.rows;
    } catch (error) {
      // A failed enqueued statement is the cause of every later failure.
      await Promise.allSettled(this.#pending);
      throw this.#failure ? this.#failure.error : error;
    }
  }

  /** The first row of a statement, if any. */
  async one<Row extends object>(text: string, values: unknown[] = []): Promise<Row | undefined> {
    return (await this.rows<Row>(text, values))[0];
  }

  /**
   * Sends a statement without waiting for it. When it fails, the transaction fails. @param failed converts
   * Postgres's error.
   */
  enqueue(text: string, values: unknown[] = [], failed?: (error: unknown) => Error): void {
    this.#gather();
    this.#await(this.client.query(prepared(text, values)), failed);
  }

  /** Waits for the statements sent by `enqueue`. @throws the first one's failure. */
  async flush(): Promise<void> {
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
 * Runs `work` in one transaction: it commits when `work` returns, and rolls back when it throws.
 * @param commits whether to commit although `work` threw this error.
 * @throws what `work` throws, or the failure of an enqueued statement.
 */
export async function transact<T>(
  pool: pg.Pool,
  work: (transaction: Transaction) => Promise<T>,
  commits: (error: unknown) => boolean = () => false,
): Promise<T> {
  const client = await pool.connect();
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
      const keep = commits(error);
      await end(keep ? "commit" : "rollback");
      await transaction.flush().catch((failure: unknown) => {
        if (keep) throw failure;
      });
      throw error;
    });
    // COMMIT of a failed transaction returns a rollback and no error: `settle` has the failure.
    const committed = end("commit");
    await Promise.allSettled([committed]);
    await transaction.flush();
    await committed;
    return result;
  } catch (error) {
    if (isStalePlan(error)) broken = error;
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Runs `work` in one transaction on a connection of the caller's; rolls back when it throws. */
export async function transactWith<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query("begin");
  try {
    const result = await work();
    await client.query("commit");
    return result;
  } catch (error) {
    // A lost connection has rolled back, and its own error says more.
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

/**
 * Runs statements that do not depend on each other's results in one transaction and one round trip.
 * @param waiting for statements that end when nobody waits for them
 * @returns the results of the statements.
 * @throws the first failure; nothing is written then.
 */
export async function transactStatements(
  pool: pg.Pool,
  statements: readonly Statement[],
  end: "commit" | "rollback",
  waiting?: Waiting,
): Promise<pg.QueryArrayResult[]> {
  const client = await pool.connect();
  const send = () => pipelined(client, [{ text: "begin" }, ...statements, { text: end }]);
  try {
    const answers = await (waiting ? whileAwaited(waiting, client, send) : send());
    return answers.slice(1, -1);
  } finally {
    // The connection of an aborted signal ends, also where its statements had come to their end.
    client.release(waiting?.signal.aborted);
  }
}

/**
 * Sends statements in one write on a pipelined connection, and waits for all results. Within an explicit
 * transaction the first failure makes Postgres skip the rest, including COMMIT.
 * @returns the results, in order.
 * @throws the first error; the connection stays usable.
 */
export async function pipelined(
  client: pg.ClientBase,
  statements: readonly Statement[],
): Promise<pg.QueryArrayResult[]> {
  // Corked, all messages leave in one write, because each write wakes Postgres.
  const stream = streamOf(client);
  stream.cork();
  const sent = statements.map((statement) => client.query(statement as pg.QueryArrayConfig));
  stream.uncork();
  const answers = await Promise.allSettled(sent);
  for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
  return answers.map((answer) => (answer as PromiseFulfilledResult<pg.QueryArrayResult>).value);
}

function streamOf(client: pg.ClientBase): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream;
}
