/**
 * Owns the connection that reads the write-ahead log: a temporary slot, made when the first subscriber
 * comes and gone with the connection, so that it never holds back the log when nobody listens.
 */
import { randomBytes } from "node:crypto";
import pg from "pg";
import type { Database } from "../../postgres/database.ts";
import type { Log } from "../../service/log.ts";
import { type ChangeMessage, decode, type RelationMessage } from "./pgoutput.ts";

/** A committed transaction's messages, in order. */
export interface Transaction {
  commitTime: bigint;
  messages: (RelationMessage | ChangeMessage)[];
}

export interface StreamOptions {
  database: Database;
  log: Log;
  publications: readonly string[];
  /** Told of each committed transaction, in commit order. */
  onTransaction(transaction: Transaction): void;
  /** Told when reading ended though nobody asked for it. */
  onEnd(error: Error | undefined): void;
}

/** pg's own connection object: it passes replication messages on, which its types leave out. */
interface RawConnection {
  on(event: "copyData", listener: (message: { chunk: Buffer }) => void): void;
  once(event: "replicationStart", listener: () => void): void;
  sendCopyFromChunk(chunk: Buffer): void;
}

const XLOG_DATA = 0x77; // "w"
const KEEPALIVE = 0x6b; // "k"
const STATUS = 0x72; // "r"
const XLOG_HEAD = 25;
/**
 * How often we tell Postgres how far we are. Not for its sake: a walsender of Postgres 16 and 17 that looks
 * for more log in the instant in which it is flushed misses the wake-up and sleeps on, and a message from
 * us makes it look again. Without this some changes would come only with the next one.
 */
const STATUS_BUSY_MS = 25;
const STATUS_QUIET_MS = 100;
/** Busy is whoever received something so recently. */
const BUSY_FOR_MS = 1_000;
const POSTGRES_EPOCH_MS = 946_684_800_000n;

/** See the file's head. */
export class ChangeStream {
  readonly #options: StreamOptions;
  readonly #client: pg.Client;
  #timer: NodeJS.Timeout | undefined;
  #transaction: Transaction | undefined;
  #received = 0n;
  #lastData = Number.NEGATIVE_INFINITY;
  #closing = false;

  private constructor(options: StreamOptions) {
    this.#options = options;
    this.#client = new pg.Client({
      ...options.database.connection("supabase_admin"),
      replication: "database",
      application_name: "homebase realtime",
    } as pg.ClientConfig);
  }

  /** Opens the stream; resolves when it has begun: whatever commits afterwards will be told. */
  static async open(options: StreamOptions): Promise<ChangeStream> {
    const stream = new ChangeStream(options);
    await stream.#open();
    return stream;
  }

  /** Ends reading; the slot goes with the connection. */
  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#timer);
    await this.#client.end().catch(() => undefined);
  }

  async #open(): Promise<void> {
    const client = this.#client;
    let failure: Error | undefined;
    client.on("error", (error) => {
      failure = error;
    });
    client.on("end", () => {
      clearTimeout(this.#timer);
      if (!this.#closing) this.#options.onEnd(failure);
    });
    await client.connect();
    // Values come as text: their form must not depend on the server's settings.
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
    const connection = (client as unknown as { connection: RawConnection }).connection;
    connection.on("copyData", ({ chunk }) => this.#receive(chunk, connection));
    const names = this.#options.publications.join(",");
    const started = new Promise<void>((resolve, reject) => {
      connection.once("replicationStart", resolve);
      client
        .query(`START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', publication_names '${names}')`)
        .catch(reject);
    });
    await started;
    this.#keepTelling(connection);
  }

  #keepTelling(connection: RawConnection): void {
    if (this.#closing) return;
    const busy = performance.now() - this.#lastData < BUSY_FOR_MS;
    this.#timer = setTimeout(
      () => {
        this.#acknowledge(connection);
        this.#keepTelling(connection);
      },
      busy ? STATUS_BUSY_MS : STATUS_QUIET_MS,
    );
    this.#timer.unref();
  }

  #receive(chunk: Buffer, connection: RawConnection): void {
    if (chunk[0] === XLOG_DATA) {
      this.#lastData = performance.now();
      const position = chunk.readBigInt64BE(1);
      if (position > this.#received) this.#received = position;
      this.#take(decode(chunk.subarray(XLOG_HEAD)));
    } else if (chunk[0] === KEEPALIVE) {
      const position = chunk.readBigInt64BE(1);
      if (position > this.#received) this.#received = position;
      if (chunk[17] === 1) this.#acknowledge(connection);
    }
  }

  #take(message: ReturnType<typeof decode>): void {
    switch (message.kind) {
      case "begin":
        this.#transaction = { commitTime: message.commitTime, messages: [] };
        break;
      case "commit": {
        const transaction = this.#transaction;
        this.#transaction = undefined;
        if (transaction && transaction.messages.length > 0) this.#options.onTransaction(transaction);
        break;
      }
      case "other":
        break;
      default:
        this.#transaction?.messages.push(message);
    }
  }

  /** Tells Postgres how far we are, so that it may drop the log before that. */
  #acknowledge(connection: RawConnection): void {
    const status = Buffer.alloc(34);
    status[0] = STATUS;
    for (const at of [1, 9, 17]) status.writeBigInt64BE(this.#received + 1n, at);
    status.writeBigInt64BE((BigInt(Date.now()) - POSTGRES_EPOCH_MS) * 1000n, 25);
    connection.sendCopyFromChunk(status);
  }
}
