/**
 * Owns one connection that accepts batches without waiting for earlier results. A batch is what is sent
 * between two Syncs: Postgres runs it as one transaction and skips its rest after a failure (PostgreSQL
 * documentation, "Pipelining"). pg opens the connection and authenticates; from then on this file uses the
 * socket directly, which takes a third of the time of a query object for each batch.
 */
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import type pg from "pg";
import { errorBoundary } from "../../core/error-boundary.ts";
import type { Log } from "../../core/log.ts";
import { type AddressSource, currentAddress } from "../address.ts";
import { logIn, unref } from "../connected.ts";
import { MessageReader, MessageWriter, PostgresError, Row, type Value } from "./wire.ts";

export interface BatchStatement {
  text: string;
  values: readonly Value[];
  /** Whether to keep it as a prepared statement of the connection, identified by its text. */
  prepare: boolean;
}

/** The rows of each statement of a batch. */
export type BatchRows = Row[][];

/** A batch in flight. */
export interface Job {
  readonly statements: readonly BatchStatement[];
  readonly resolve: (rows: BatchRows) => void;
  readonly reject: (error: Error) => void;
  /** Identifies the kind of read; undefined for a batch that must not run twice. */
  readonly shape: string | undefined;
  /** Whether the batch may share the connection's queue with others. */
  readonly shared: boolean;
  /** Whether the batch is one transaction, so that a failure undoes all of it. */
  readonly whole: boolean;
  readonly signal: (() => AbortSignal) | undefined;
  /** Whether this is the second try. */
  readonly again: boolean;
}

/** The connection is lost; the batch may or may not have been committed. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** Callbacks of the pool. */
export interface ConnectionEvents {
  /** Nothing is in flight any more. */
  idle(connection: PipelineConnection): void;
  /** The socket closed; `unfinished` have no result. */
  lost(connection: PipelineConnection, unfinished: Job[], reason: Error): void;
  /** A job has its result; `milliseconds` is its own run time. */
  answered(job: Job, milliseconds: number): void;
  /** A job must run again: a prepared statement is no longer valid. */
  again(job: Job): void;
}

interface Sent {
  /** Undefined after it moved to another connection, or for an internal rollback. */
  job: Job | undefined;
  readonly shared: boolean;
  rows: BatchRows;
  /** Texts whose Parse is not yet confirmed, in order. */
  parsing: string[];
  error: PostgresError | undefined;
}

// Maximum number of prepared statements; the oldest is dropped.
const MOST_PREPARED = 500;
// Errors for prepared statements that Postgres no longer knows, or whose columns have changed since.
const OUTDATED = new Set(["26000", "0A000"]);
const PARAMETERS_MOST = 65_535;
/** Transaction status of ReadyForQuery: idle. */
const IDLE = 0x49;
/** Names the connection in the log. */
const SOURCE = "a connection to the database";
const ROLLBACK: BatchStatement = { text: "rollback", values: [], prepare: false };

/** The untyped members of pg's client used here: the socket, and the data of a cancel request. */
interface ClientInside {
  connection: { stream: Duplex };
  processID?: number;
  secretKey?: number;
}

export class PipelineConnection {
  readonly opened = performance.now();
  /** When it last became idle. */
  idleSince = performance.now();
  /** Whether one caller holds it over several batches. */
  leased = false;
  /** Whether it accepts no more batches, and closes after those in flight. */
  retired = false;
  readonly #client: pg.Client;
  readonly #address: pg.ClientConfig;
  readonly #stream: Duplex;
  readonly #events: ConnectionEvents;
  readonly #writer = new MessageWriter();
  readonly #sent: Sent[] = [];
  /** By text: the statement's name, and whether Postgres has confirmed it. */
  readonly #prepared = new Map<string, { name: string; ready: boolean }>();
  #nextName = 0;
  #flushing = false;
  #lost = false;
  #headSince = 0;
  #exclusive = 0;
  #inTransaction = false;
  #watched: { signal: AbortSignal; cancel: () => void } | undefined;
  readonly #log: Log;
  readonly #flushSoon: () => void;

  private constructor(client: pg.Client, address: pg.ClientConfig, events: ConnectionEvents, log: Log) {
    this.#client = client;
    this.#address = address;
    this.#events = events;
    this.#log = log;
    // After an error the connection's state is unknown: it ends, and its batches fail.
    const lose = errorBoundary(log, SOURCE, (reason: unknown) => this.#lose(reason as Error));
    this.#flushSoon = errorBoundary(log, SOURCE, () => this.#flush(), lose);
    const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
    this.#stream = stream;
    const reader = new MessageReader((type, payload) => this.#receive(type, payload));
    // pg's own parser must not see responses to messages that it did not send.
    stream.removeAllListeners("data");
    stream.on(
      "data",
      errorBoundary(log, SOURCE, (chunk: Buffer) => reader.push(chunk), lose),
    );
    client.on("error", lose);
    client.on(
      "end",
      errorBoundary(log, SOURCE, () => this.#lose(new Error("Postgres closed the connection."))),
    );
  }

  /** @throws pg's error when it cannot connect or log in. */
  static async open(source: AddressSource, events: ConnectionEvents, log: Log): Promise<PipelineConnection> {
    const address = await currentAddress(source);
    const client = await logIn(address);
    // The socket of the client whose request it serves keeps the process alive.
    unref(client);
    // A batch without BEGIN must behave as PostgREST's BEGIN, whatever the defaults of role and database.
    await client.query(
      "set session characteristics as transaction isolation level read committed, read write",
    );
    return new PipelineConnection(client, address, events, log);
  }

  /** Number of batches in flight. */
  get depth(): number {
    return this.#sent.length;
  }

  get lost(): boolean {
    return this.#lost;
  }

  /** Whether every batch in flight may share the queue. */
  get shares(): boolean {
    return this.#exclusive === 0;
  }

  /** The batch that Postgres is running, and for how many milliseconds. */
  head(now: number): { job: Job | undefined; age: number } | undefined {
    const [head] = this.#sent;
    return head && { job: head.job, age: now - this.#headSince };
  }

  /** Sends a batch; the job gets the result. */
  send(job: Job): void {
    for (const { values } of job.statements) {
      if (values.length > PARAMETERS_MOST) {
        job.reject(new RangeError("A statement has more parameters than Postgres allows."));
        return;
      }
    }
    try {
      this.#queue(job, job.statements);
    } catch (error) {
      // A part of the batch may be in the buffer, so the connection cannot be used any more.
      job.reject(error as Error);
      this.#lose(error as Error);
    }
  }

  /** Ends a lease; an open transaction is rolled back. */
  endLease(): void {
    this.leased = false;
    if (this.#sent.length > 0) return;
    if (this.#inTransaction) this.#queue(undefined, [ROLLBACK]);
    else this.#events.idle(this);
  }

  /** Removes the batches behind the first that can run elsewhere; their results here are ignored. */
  takeWaiting(): Job[] {
    const jobs: Job[] = [];
    for (const sent of this.#sent.slice(1)) {
      if (!sent.job) continue;
      jobs.push(sent.job);
      sent.job = undefined;
    }
    return jobs;
  }

  /** Cancels the running batch when its client disconnects. Called repeatedly while it runs. */
  watch(): void {
    const job = this.#sent[0]?.job;
    if (this.#watched || !job?.signal) return;
    const signal = job.signal();
    const cancel = errorBoundary(this.#log, "the cancellation of a batch", () => {
      // The cancellation may reach a later statement, so the connection is not reused.
      this.retired = true;
      sendCancel(this.#client, this.#address);
    });
    this.#watched = { signal, cancel };
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
  }

  /** Sends Terminate. Does not wait for batches in flight. */
  async close(): Promise<void> {
    this.#lost = true;
    await this.#client.end().catch(() => {});
  }

  #queue(job: Job | undefined, statements: readonly BatchStatement[]): void {
    const sent: Sent = { job, shared: job?.shared === true, rows: [], parsing: [], error: undefined };
    if (this.#sent.length === 0) this.#headSince = performance.now();
    if (!sent.shared) this.#exclusive += 1;
    for (const statement of statements) this.#write(statement, sent);
    this.#writer.sync();
    this.#sent.push(sent);
    this.#scheduleFlush();
  }

  #write({ text, values, prepare }: BatchStatement, sent: Sent): void {
    const known = prepare ? this.#prepared.get(text) : undefined;
    let name = "";
    if (known?.ready) {
      name = known.name;
    } else {
      // Another batch is preparing the same text and may fail: send this one unprepared.
      if (prepare && !known) {
        name = this.#register(text);
        sent.parsing.push(text);
      } else sent.parsing.push("");
      this.#writer.parse(name, text);
    }
    this.#writer.bind(name, values);
    this.#writer.execute();
  }

  #register(text: string): string {
    if (this.#prepared.size >= MOST_PREPARED) {
      const [oldest] = this.#prepared;
      if (oldest?.[1].ready) {
        this.#prepared.delete(oldest[0]);
        this.#writer.close(oldest[1].name);
      }
    }
    const name = `s${this.#nextName++}`;
    this.#prepared.set(text, { name, ready: false });
    return name;
  }

  /** One write for all statements of this turn of the event loop, because each write wakes Postgres. */
  #scheduleFlush(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(this.#flushSoon);
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#lost || this.#writer.empty) return;
    this.#writer.flush((bytes) => {
      this.#stream.write(bytes);
      return { reusable: this.#stream.writableLength === 0 };
    });
  }

  #receive(type: number, payload: Buffer): void {
    const [head] = this.#sent;
    if (!head) return;
    switch (type) {
      case 0x31: {
        // ParseComplete
        const known = this.#prepared.get(head.parsing.shift() ?? "");
        if (known) known.ready = true;
        break;
      }
      case 0x32: // BindComplete
        head.rows.push([]);
        break;
      case 0x44: // DataRow
        if (head.job) head.rows.at(-1)?.push(new Row(payload));
        break;
      case 0x45: // ErrorResponse
        head.error ??= PostgresError.read(payload);
        break;
      case 0x5a: // ReadyForQuery
        this.#finish(head, payload[0] ?? IDLE);
    }
  }

  #finish(head: Sent, status: number): void {
    const now = performance.now();
    const took = now - this.#headSince;
    this.#headSince = now;
    this.#sent.shift();
    if (!head.shared) this.#exclusive -= 1;
    this.#watched?.signal.removeEventListener("abort", this.#watched.cancel);
    this.#watched = undefined;
    // Unconfirmed statements were skipped, or failed themselves.
    for (const text of head.parsing) this.#prepared.delete(text);
    this.#inTransaction = status !== IDLE;
    // A batch with its own BEGIN failed before its end; no caller will end its transaction.
    if (this.#inTransaction && !this.leased) this.#queue(undefined, [ROLLBACK]);
    const { job, error } = head;
    if (job) {
      this.#events.answered(job, took);
      if (!error) job.resolve(head.rows);
      else if (this.#isOutdated(error, job)) this.#events.again(job);
      else job.reject(error);
    }
    if (this.#sent.length > 0) return;
    this.idleSince = now;
    if (!this.leased) this.#events.idle(this);
  }

  #isOutdated(error: PostgresError, job: Job): boolean {
    if (!OUTDATED.has(error.code)) return false;
    if (error.code === "0A000" && !error.message.startsWith("cached plan must not change")) return false;
    for (const { text } of job.statements) {
      const known = this.#prepared.get(text);
      if (!known?.ready) continue;
      this.#prepared.delete(text);
      this.#writer.close(known.name);
    }
    return job.whole && !job.again;
  }

  #lose(reason: Error): void {
    if (this.#lost) return;
    this.#lost = true;
    const jobs: Job[] = [];
    for (const { job, error } of this.#sent.splice(0)) {
      if (!job) continue;
      // Postgres sent the reason before it closed, e.g. an administrator's command.
      if (error) job.reject(error);
      else jobs.push(job);
    }
    this.#stream.destroy();
    this.#events.lost(this, jobs, reason);
  }
}

/** Sends a CancelRequest (PostgreSQL documentation, "Canceling Requests in Progress"). */
function sendCancel(client: pg.Client, address: pg.ClientConfig): void {
  const { processID, secretKey } = client as unknown as ClientInside;
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
