/**
 * Owns running a statement as the caller: one transaction, its settings and the statement sent in one
 * round trip; a second one only where the answer decides between COMMIT and ROLLBACK
 * (PostgREST documentation, "Transactions").
 */
import { connect } from "node:net";
import type pg from "pg";
import { pipelined, type Statement } from "../../postgres/database.ts";
import { RestError, restErrors } from "../errors.ts";
import type { RestOptions } from "../options.ts";
import { fromPostgres } from "../postgres-error.ts";

export interface Transaction {
  isolation: string;
  readOnly: boolean;
  /** In the order in which they are set. */
  settings: readonly (readonly [name: string, value: string])[];
  /** Run between the settings and `statements`, e.g. `select "auth"."check"()`. */
  before: readonly string[];
  statements: readonly { text: string; values: (string | Buffer)[] }[];
  end: "commit" | "rollback";
  /** Looks at the answers before the end; what it throws rolls back. Costs a round trip. */
  check?: (answers: readonly Rows[]) => void;
  anonymous: boolean;
  prepared: boolean;
  signal: () => AbortSignal;
}

export type Rows = (string | null)[][];

// Beyond so many shapes, connections with old statements are replaced one by one.
const MOST_SHAPES = 1_000;
// Most statements are over by then; only slower ones are worth watching their client for.
const CANCEL_AFTER_MS = 50;

/** Runs transactions on a pool; owns the names of prepared statements. */
export class Executor {
  readonly #options: RestOptions;
  #names = new Map<string, string>();
  #nextName = 0;
  #generation = 0;
  readonly #generations = new WeakMap<pg.PoolClient, number>();

  constructor(options: RestOptions) {
    this.#options = options;
  }

  /**
   * @returns the rows of each statement.
   * @throws RestError: PGRST000, 001, 003, or what Postgres said.
   */
  async run(transaction: Transaction): Promise<Rows[]> {
    const client = await this.#acquire();
    const stopWatching = this.#watch(client, transaction.signal);
    let broken = false;
    try {
      return await this.#send(client, transaction);
    } catch (error) {
      if (error instanceof RestError) throw error;
      const failure = error as pg.DatabaseError;
      broken = !/^[0-9A-Z]{5}$/.test(failure.code ?? "");
      throw broken ? restErrors.databaseLost(failure.message) : fromPostgres(failure, transaction.anonymous);
    } finally {
      const cancelled = stopWatching();
      const outdated = (this.#generations.get(client) ?? this.#generation) !== this.#generation;
      client.release(broken || cancelled || outdated);
    }
  }

  async #send(client: pg.PoolClient, transaction: Transaction): Promise<Rows[]> {
    const { isolation, readOnly, settings, before, statements, end, check } = transaction;
    const sent: Statement[] = [
      { text: `begin isolation level ${isolation} ${readOnly ? "read only" : "read write"}` },
      this.#prepare(transaction, client, settingsStatement(settings)),
    ];
    for (const text of before) sent.push({ text });
    const first = sent.length;
    for (const one of statements) sent.push(this.#prepare(transaction, client, { ...one, rowMode: "array" }));
    const closing: Statement[] =
      end === "commit"
        ? [{ text: "commit" }]
        : [{ text: "set constraints all immediate" }, { text: "rollback" }];
    if (!check) {
      const answers = await pipelined(client, [...sent, ...closing]);
      return rowsOf(answers.slice(first, first + statements.length));
    }
    try {
      const rows = rowsOf((await pipelined(client, sent)).slice(first));
      check(rows);
      await pipelined(client, closing);
      return rows;
    } catch (error) {
      await client.query("rollback").catch(() => {});
      throw error;
    }
  }

  #prepare(transaction: Transaction, client: pg.PoolClient, statement: Statement): Statement {
    if (!transaction.prepared) return statement;
    let name = this.#names.get(statement.text);
    if (name === undefined) {
      if (this.#names.size >= MOST_SHAPES) {
        this.#names = new Map();
        this.#generation += 1;
      }
      name = `rest_${this.#nextName++}`;
      this.#names.set(statement.text, name);
    }
    if (!this.#generations.has(client)) this.#generations.set(client, this.#generation);
    return { ...statement, name };
  }

  async #acquire(): Promise<pg.PoolClient> {
    const { pool, acquireTimeout } = this.#options;
    try {
      const connecting = pool.connect();
      if (pool.idleCount > 0 || pool.waitingCount === 0) return await connecting;
      return await inTime(connecting, acquireTimeout);
    } catch (error) {
      if (error instanceof RestError) throw error;
      throw restErrors.databaseUnreachable((error as Error).message);
    }
  }

  /** Cancels the statement when the client goes away. @returns ends watching; true if it was cancelled. */
  #watch(client: pg.PoolClient, signal: () => AbortSignal): () => boolean {
    let watched: AbortSignal | undefined;
    let cancelled = false;
    const cancel = () => {
      cancelled = true;
      cancelStatement(client, this.#options.connection);
    };
    const timer = setTimeout(() => {
      watched = signal();
      if (watched.aborted) cancel();
      else watched.addEventListener("abort", cancel, { once: true });
    }, CANCEL_AFTER_MS);
    return () => {
      clearTimeout(timer);
      watched?.removeEventListener("abort", cancel);
      return cancelled;
    };
  }
}

function rowsOf(answers: readonly pg.QueryArrayResult[]): Rows[] {
  return answers.map((one) => one.rows as Rows);
}

function settingsStatement(settings: Transaction["settings"]): Statement {
  const values: string[] = [];
  const calls = settings.map(([name, value]) => {
    values.push(name, value);
    return `set_config($${values.length - 1}, $${values.length}, true)`;
  });
  return { text: `select ${calls.join(", ")}`, values };
}

/** Gives up after `milliseconds`; the connection goes back to the pool when it comes after all. */
function inTime(connecting: Promise<pg.PoolClient>, milliseconds: number): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      reject(restErrors.poolExhausted());
    }, milliseconds);
    connecting.then(
      (client) => {
        clearTimeout(timer);
        if (late) client.release();
        else resolve(client);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** Sends a CancelRequest (Postgres documentation, "Frontend/Backend Protocol", "Canceling Requests"). */
function cancelStatement(client: pg.PoolClient, address: pg.ClientConfig): void {
  const { processID, secretKey } = client as unknown as { processID?: number; secretKey?: number };
  if (processID === undefined || typeof secretKey !== "number") return;
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(80877102, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const host = address.host ?? "127.0.0.1";
  const port = address.port ?? 5432;
  const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.on("error", () => {});
  socket.on("connect", () => socket.end(request));
}
