/**
 * Owns the connection that reads the write-ahead log: with a temporary slot, created for the first subscriber
 * and dropped with the connection, so that Postgres does not retain the log when nobody listens.
 */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { errorBoundary } from "../../../core/error-boundary.ts";
import type { Log } from "../../../core/log.ts";
import { unref } from "../../../postgres/connected.ts";
import type { Database } from "../../../postgres/database.ts";
import { type ChangeMessage, decodeMessage, type RelationMessage } from "./pgoutput.ts";

/** Messages of a committed transaction, in order: all, or a part of a large one. */
export interface Transaction {
  commitTime: bigint;
  /** The lower 32 bits of its id. */
  xid: number;
  messages: (RelationMessage | ChangeMessage)[];
  /** Size of the encoded messages in bytes. */
  bytes: number;
  /** Number of messages already processed when delivery was interrupted. */
  delivered?: number;
}

export interface StreamOptions {
  database: Database;
  log: Log;
  publications: readonly string[];
  /** Whether changes of a table are needed; others are skipped without decoding. */
  wants(relation: RelationMessage): boolean;
  /** Called for each committed transaction, in commit order, for a large one in parts. */
  onTransaction(transaction: Transaction): void;
  /** Called when reading ends unexpectedly. */
  onEnd(error: Error | undefined): void;
}

/** pg's own connection object; its types omit replication messages. */
interface RawConnection {
  on(event: "copyData", listener: (message: { chunk: Buffer }) => void): void;
  once(event: "replicationStart", listener: () => void): void;
  sendCopyFromChunk(chunk: Buffer): void;
  stream: { pause(): void; resume(): void; destroy(): void };
}

const XLOG_DATA = 0x77; // "w"
const KEEPALIVE = 0x6b; // "k"
const STATUS = 0x72; // "r"
const XLOG_HEAD = 25;
const INSERT = 0x49; // "I"
const UPDATE = 0x55; // "U"
const DELETE = 0x44; // "D"
/**
 * Interval of status messages. They work around a race: a walsender of Postgres 16 and 17 that checks for
 * more log just as it is flushed misses the wake-up and sleeps, and a message from the client makes it check
 * again. Otherwise some changes would arrive only with the next one.
 */
const STATUS_BUSY_MS = 25;
const STATUS_QUIET_MS = 100;
/**
 * Messages and bytes after which a part of a transaction is passed on. Postgres sends a transaction only
 * after its commit, so there is no need to wait for its end, and memory stays bounded for any size.
 */
const PIECE_MESSAGES = 5_000;
const PIECE_BYTES = 4 * 1024 ** 2;
/** Period after the last message in which the stream counts as busy. */
const BUSY_FOR_MS = 1_000;
const POSTGRES_EPOCH_MS = 946_684_800_000n;

/** Reads committed transactions from a replication slot. */
export class ChangeStream {
  readonly #options: StreamOptions;
  readonly #client: pg.Client;
  #timer: NodeJS.Timeout | undefined;
  #transaction: Transaction | undefined;
  readonly #relations = new Map<number, RelationMessage>();
  #received = 0n;
  #lastData = Number.NEGATIVE_INFINITY;
  #closing = false;

  private constructor(options: StreamOptions) {
    this.#options = options;
    this.#client = new pg.Client({
      ...options.database.connection("homebase_replication"),
      replication: "database",
      application_name: "homebase realtime",
    } as pg.ClientConfig);
  }

  /** Opens the stream; resolves when it has started: every later commit will be delivered. */
  static async open(options: StreamOptions): Promise<ChangeStream> {
    const stream = new ChangeStream(options);
    await stream.#open();
    return stream;
  }

  /** Stops reading; the slot is dropped with the connection. */
  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#timer);
    await this.#client.end().catch(() => undefined);
  }

  /** Pauses reading when changes arrive faster than they are delivered: Postgres retains them. */
  pause(): void {
    this.#connection.stream.pause();
  }

  resume(): void {
    this.#connection.stream.resume();
  }

  get #connection(): RawConnection {
    return (this.#client as unknown as { connection: RawConnection }).connection;
  }

  async #open(): Promise<void> {
    const client = this.#client;
    let failure: Error | undefined;
    client.on("error", (error) => {
      failure = error;
    });
    const ended = () => {
      clearTimeout(this.#timer);
      if (!this.#closing) this.#options.onEnd(failure);
    };
    client.on("end", errorBoundary(this.#options.log, "the end of the stream of changes", ended));
    await client.connect();
    unref(client);
    // Values arrive as text, which must not depend on the server's settings.
    for (const setting of [
      "timezone = 'UTC'",
      "datestyle = 'ISO'",
      "intervalstyle = 'postgres'",
      "extra_float_digits = 1",
    ]) {
      await client.query(`set ${setting}`);
    }
    const slot = `homebase_realtime_${randomBytes(6).toString("hex")}`;
    await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT`);
    const connection = this.#connection;
    // A message that cannot be read: the feed opens a new stream.
    const broken = () => connection.stream.destroy();
    const receive = ({ chunk }: { chunk: Buffer }) => this.#receive(chunk, connection);
    connection.on("copyData", errorBoundary(this.#options.log, "the stream of changes", receive, broken));
    const names = this.#options.publications.join(",");
    const started = new Promise<void>((resolve, reject) => {
      connection.once("replicationStart", resolve);
      client
        .query(`START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', publication_names '${names}')`)
        .catch(reject);
    });
    await started;
    this.#scheduleStatus(connection);
  }

  #scheduleStatus(connection: RawConnection): void {
    if (this.#closing) return;
    const busy = performance.now() - this.#lastData < BUSY_FOR_MS;
    this.#timer = setTimeout(
      errorBoundary(this.#options.log, "the timer of the stream of changes", () => {
        this.#scheduleStatus(connection);
        this.#acknowledge(connection);
      }),
      busy ? STATUS_BUSY_MS : STATUS_QUIET_MS,
    );
    this.#timer.unref();
  }

  #receive(chunk: Buffer, connection: RawConnection): void {
    if (chunk[0] === XLOG_DATA) {
      this.#lastData = performance.now();
      const position = chunk.readBigInt64BE(1);
      if (position > this.#received) this.#received = position;
      const message = chunk.subarray(XLOG_HEAD);
      if (this.#isWanted(message)) this.#take(decodeMessage(message), message.length);
    } else if (chunk[0] === KEEPALIVE) {
      const position = chunk.readBigInt64BE(1);
      if (position > this.#received) this.#received = position;
      if (chunk[17] === 1) this.#acknowledge(connection);
    }
  }

  /**
   * Row changes begin with a letter and their table's id, so a change without subscribers is skipped without
   * decoding.
   */
  #isWanted(message: Buffer): boolean {
    const kind = message[0];
    if (kind !== INSERT && kind !== UPDATE && kind !== DELETE) return true;
    const relation = this.#relations.get(message.readUInt32BE(1));
    return relation !== undefined && this.#options.wants(relation);
  }

  #take(message: ReturnType<typeof decodeMessage>, bytes: number): void {
    switch (message.kind) {
      case "relation":
        this.#relations.set(message.oid, message);
        this.#collect(message, bytes);
        break;
      case "begin":
        this.#transaction = { commitTime: message.commitTime, xid: message.xid, messages: [], bytes: 0 };
        break;
      case "commit":
        this.#passOn();
        this.#transaction = undefined;
        break;
      case "other":
        break;
      default:
        this.#collect(message, bytes);
    }
  }

  #collect(message: RelationMessage | ChangeMessage, bytes: number): void {
    const transaction = this.#transaction;
    if (!transaction) return;
    transaction.messages.push(message);
    transaction.bytes += bytes;
    if (transaction.messages.length >= PIECE_MESSAGES || transaction.bytes >= PIECE_BYTES) this.#passOn();
  }

  /** Passes on the transaction's messages so far; more may follow. */
  #passOn(): void {
    const transaction = this.#transaction;
    if (!transaction || transaction.messages.length === 0) return;
    this.#transaction = { ...transaction, messages: [], bytes: 0 };
    this.#options.onTransaction(transaction);
  }

  /**
   * Confirms the position, so that Postgres may discard the log before it. Must be exact: a server that shuts
   * down waits until the confirmed position equals the sent one.
   */
  #acknowledge(connection: RawConnection): void {
    const status = Buffer.alloc(34);
    status[0] = STATUS;
    for (const at of [1, 9, 17]) status.writeBigInt64BE(this.#received, at);
    status.writeBigInt64BE((BigInt(Date.now()) - POSTGRES_EPOCH_MS) * 1000n, 25);
    connection.sendCopyFromChunk(status);
  }
}
