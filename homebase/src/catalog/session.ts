/**
 * Owns the connections of the database API: one for each request, as role `postgres`, closed after it. Settings,
 * temporary tables and open transactions of a caller's statements end with their request.
 */
import type { Socket } from "node:net";
import pg from "pg";
import { type Login, logIn } from "../postgres/connected.ts";
import type { Database } from "../postgres/database.ts";
import { textToSend } from "../postgres/extensions/file-statements.ts";
import { transactWith } from "../postgres/transaction.ts";
import { MetaError } from "./errors.ts";
import { VERSION } from "./postgres-meta-version.ts";

/** Values of a caller's parameters and of the catalogue's filters. */
export type Row = Record<string, unknown>;

/** Maximum number of requests at once, as in a pool of the other services; further ones wait. */
const MOST_SESSIONS = 10;
/** As upstream's PG_QUERY_TIMEOUT_SECS. */
export const QUERY_TIMEOUT_MS = 55_000;
const LATE = "Query read timeout";
/** A result becomes objects of some ten times its size, in the process of all services. */
const MOST_RESULT_BYTES = 64 * 1024 * 1024;

const { builtins } = pg.types;
const asText = (value: string) => value;
const integer = (value: string) => (Number.isSafeInteger(Number(value)) ? Number(value) : value);
const textArray = pg.types.getTypeParser(1009 as typeof builtins.TEXT);
/** Types that upstream parses in its own way: times stay text, and integers are numbers where exact. */
const OWN_TYPES = new Map<number, (value: string) => unknown>([
  [builtins.INT8, integer],
  ...[builtins.DATE, builtins.INTERVAL, builtins.TIMESTAMP, builtins.TIMESTAMPTZ, 600, 1017].map(
    (oid): [number, (value: string) => unknown] => [oid, asText],
  ),
  ...[1115, 1182, 1185].map((oid): [number, (value: string) => unknown] => [oid, textArray]),
]);
/** How values of a caller's statements become JSON. */
export const valueTypes = {
  getTypeParser: (oid: number, format?: "text") => OWN_TYPES.get(oid) ?? pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

/** One request's connection. */
export class Session {
  readonly #client: pg.Client;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  /** The client, for code that reads a catalogue of its own. */
  get client(): pg.ClientBase {
    return this.#client;
  }

  /** The rows of one statement. */
  async rows<Shape extends Row = Row>(text: string, values: unknown[] = []): Promise<Shape[]> {
    return (await this.#client.query<Shape>(text, values)).rows;
  }

  /** Runs statements one after the other in one transaction; empty ones are skipped. */
  async execute(statements: readonly string[]): Promise<void> {
    await transactWith(this.#client, async () => {
      for (const statement of statements) if (statement !== "") await this.#client.query(statement);
    });
  }

  /**
   * A caller's statements. Without parameters there may be several: the rows are those of the last statement
   * that returned rows.
   */
  async run(text: string, values: unknown[] | undefined): Promise<Row[]> {
    const sent = values === undefined ? textToSend(text) : text;
    const answer: pg.QueryResult<Row> | pg.QueryResult<Row>[] = await this.#client.query<Row>(sent, values);
    const answers = Array.isArray(answer) ? (answer as pg.QueryResult<Row>[]) : [answer];
    return answers.findLast(({ rows }) => rows.length > 0)?.rows ?? [];
  }
}

export interface SessionOptions {
  /** Ends the statement when the caller has disconnected. */
  signal: AbortSignal;
  /** Milliseconds; 0 for no limit. */
  timeout?: number;
  applicationName?: string;
}

/** Opens sessions, and ends those that are still running on `close`. */
export class Sessions {
  readonly #database: Database;
  readonly #connection: () => Login;
  readonly #mostBytes: number;
  /** The open sessions: how each is stopped, and its end. */
  readonly #open = new Map<(why: MetaError) => void, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #free = MOST_SESSIONS;
  #closed = false;

  /** @param connection of which login. @param mostBytes of a result. */
  constructor(
    database: Database,
    connection: () => Login = () => database.connection("postgres"),
    mostBytes = MOST_RESULT_BYTES,
  ) {
    this.#database = database;
    this.#connection = connection;
    this.#mostBytes = mostBytes;
  }

  /** Runs `work` in a new session. @throws MetaError 408 after the timeout, 400 for a result that is too large. */
  async use<T>(options: SessionOptions, work: (session: Session) => Promise<T>): Promise<T> {
    await this.#acquire();
    try {
      if (this.#closed) throw stopped();
      return await this.#connected(options, work);
    } finally {
      this.#free += 1;
      this.#waiting.shift()?.();
    }
  }

  /** Ends all sessions; a caller that has or waits for one gets 503. */
  async close(): Promise<void> {
    this.#closed = true;
    const open = [...this.#open];
    for (const [stop] of open) stop(stopped());
    await Promise.all(open.map(([, ended]) => ended));
  }

  async #connected<T>(options: SessionOptions, work: (session: Session) => Promise<T>): Promise<T> {
    let client: pg.Client | undefined;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { timeout = QUERY_TIMEOUT_MS, signal } = options;
    let reason: MetaError | undefined;
    const stop = (why: MetaError) => {
      reason ??= why;
      if (client) this.#terminate(client).catch(() => {});
    };
    const gone = () => stop(new MetaError(408, "The client has disconnected."));
    let timer: NodeJS.Timeout | undefined;
    this.#open.set(stop, ended);
    try {
      // An error between two statements also fails the next one.
      client = await logIn({
        ...this.#connection(),
        application_name: options.applicationName ?? `postgres-meta ${VERSION}`,
        types: valueTypes,
      });
      limitResult(client, this.#mostBytes, stop);
      if (signal.aborted) gone();
      signal.addEventListener("abort", gone, { once: true });
      // While it was connecting there was nothing to terminate.
      if (reason) throw reason;
      if (timeout > 0) timer = setTimeout(() => stop(new MetaError(408, LATE, { message: LATE })), timeout);
      return await work(new Session(client));
    } catch (error) {
      throw reason ?? error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", gone);
      // The server rolls back before it closes, so that a next request meets no lock of this one.
      await client?.end().catch(() => {});
      this.#open.delete(stop);
      end();
    }
  }

  /** Ends a session in the database. Cancelling alone would be lost between two of its statements. */
  async #terminate(client: pg.Client): Promise<void> {
    const { processID } = client as unknown as { processID: number | null };
    if (processID === null) return;
    await this.#database.query("postgres", "select pg_terminate_backend($1)", [processID]).catch(() => {});
  }

  async #acquire(): Promise<void> {
    while (this.#free === 0) await new Promise<void>((free) => this.#waiting.push(free));
    this.#free -= 1;
  }
}

/** The service ends, or another database replaces its own. */
function stopped(): MetaError {
  return new MetaError(503, "The database API is stopping. Try again in a moment.");
}

/**
 * Stops a statement whose answer is larger than this process can keep; upstream has the same error. All bytes count: a
 * message of an error can be as large as rows.
 */
function limitResult(client: pg.Client, most: number, stop: (why: MetaError) => void): void {
  const { connection } = client as unknown as { connection: { stream: Socket } };
  let size = 0;
  connection.stream.on("data", ({ length }: Buffer) => {
    size += length;
    if (size <= most) return;
    const message = `Query result size (${size} bytes) exceeded the configured limit (${most} bytes)`;
    const fields = {
      message,
      code: "RESULT_SIZE_EXCEEDED",
      resultSize: size,
      maxResultSize: most,
    };
    stop(new MetaError(400, message, fields));
    connection.stream.destroy();
  });
}
