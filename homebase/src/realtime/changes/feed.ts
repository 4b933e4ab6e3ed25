/**
 * Owns a Backend's single reader of the log: opened with the first channel, closed some time after the last,
 * reopened after an outage; and the queue between it and the subscribers.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { errorBoundary, inBackground } from "../../core/error-boundary.ts";
import type { Happened } from "../../core/happenings.ts";
import type { Log } from "../../core/log.ts";
import { type Login, logIn, releasedClient } from "../../postgres/connected.ts";
import type { Database } from "../../postgres/database.ts";
import { Audiences } from "./audience.ts";
import { BATCH_CHANGES, Delivery, isMessages } from "./delivery.ts";
import type { StoredMessage } from "./message-rows.ts";
import { PublicationWatch } from "./replication/published-tables.ts";
import { ChangeStream, type Transaction } from "./replication/stream.ts";
import { isStatementError } from "./statement-error.ts";
import type { Subscription } from "./subscription.ts";
import { deleteSubscriptions, storeSubscriptions } from "./subscriptions.ts";

export interface FeedOptions {
  database: Database;
  log: Log;
  changeBytes: number;
  /** How long to keep reading after the last channel left. */
  idleMilliseconds: number;
  happened: Happened;
  onStoredMessage(message: StoredMessage): void;
  /** The reader reconnected after an outage. */
  onReopened(): void;
  /** The published tables changed; names are `schema.table`. */
  onTablesChanged(names: ReadonlySet<string>): void;
}

const RETRY_MS = [50, 100, 250, 500, 1_000, 2_000];
const retryPause = (attempt: number) => sleep(RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]);
/** Maximum number of queued messages; reading then pauses until half of them are delivered. */
const MOST_WAITING = 20_000;
/** Maximum size of queued messages in bytes, for large rows. */
const MOST_WAITING_BYTES = 64 * 1024 ** 2;
/** The text of values in casts must not depend on the server's settings. */
const SETTINGS = "-c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres -c extra_float_digits=1";

/** Reads the log and delivers changes to subscribers. */
export class ChangeFeed {
  readonly audiences = new Audiences();
  readonly #options: FeedOptions;
  readonly #delivery: Delivery;
  readonly #publications: PublicationWatch;
  #stream: Promise<ChangeStream> | undefined;
  #client: pg.Client | undefined;
  #queue: Transaction[] = [];
  #waiting = 0;
  #waitingBytes = 0;
  #paused: ChangeStream | undefined;
  #draining = false;
  #users = 0;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#delivery = new Delivery(this.audiences, options);
    this.#publications = new PublicationWatch(
      options.database,
      {
        onTables: (names) => options.onTablesChanged(names),
        onPublication: () =>
          this.#start("reading the log anew", () => this.#restart("A publication was made.")),
      },
      options.log,
    );
  }

  /** Whether the log is being read. */
  get reading(): boolean {
    return this.#stream !== undefined;
  }

  /** Number of channels that need the log. */
  get users(): number {
    return this.#users;
  }

  /** Bytes of the log that Postgres retains for the reader; undefined when nothing is read. */
  async heldBytes(): Promise<number | undefined> {
    if (!this.reading) return undefined;
    const { rows } = await this.#options.database.query<{ held: string }>(
      "supabase_admin",
      `select sum(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn))::text as held
       from pg_catalog.pg_replication_slots
       where database = current_database() and slot_name like 'homebase\\_realtime\\_%'`,
      [],
    );
    return Number(rows[0]?.held ?? 0);
  }

  /** A channel was opened: the log is read while there is one. */
  enter(): void {
    this.#users += 1;
    clearTimeout(this.#idle);
    // Only warms up: a subscription retries after a failure.
    this.ready().catch(() => undefined);
  }

  leave(): void {
    this.#users -= 1;
    if (this.#users > 0 || this.#closed) return;
    clearTimeout(this.#idle);
    const close = () => (this.#users === 0 ? this.#closeStream() : undefined);
    this.#idle = setTimeout(
      errorBoundary(this.#options.log, "the timer of an idle change stream", close),
      this.#options.idleMilliseconds,
    );
    this.#idle.unref();
  }

  /**
   * Resolves when every later commit will be delivered, or after `patience` milliseconds: creating a slot
   * waits for all open transactions, and any of these may stay open for hours.
   */
  async waitUntilReady(patience: number): Promise<void> {
    this.enter();
    const { promise: impatient, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patience);
    await Promise.race([this.ready().catch(() => undefined), impatient]);
    clearTimeout(timer);
    this.leave();
  }

  /** Resolves when every later commit will be delivered. */
  async ready(): Promise<void> {
    if (this.#closed) throw new Error("The change feed is closed.");
    this.#stream ??= this.#open();
    const stream = this.#stream;
    try {
      await stream;
    } catch (error) {
      if (this.#stream === stream) this.#stream = undefined;
      throw error;
    }
  }

  /**
   * Adds a channel's subscriptions, or stores them again after its claims or the published tables changed;
   * all or none. @throws SubscriptionFault when one of them is invalid.
   */
  async subscribe(subscriptions: readonly Subscription[]): Promise<void> {
    await Promise.all([this.ready(), storeSubscriptions(this.#options.database, subscriptions)]);
    this.audiences.add(subscriptions);
    this.#publications.start();
  }

  /** A subscription may wait for a table that is not published yet, so the publications are polled. */
  awaitTables(): void {
    this.#publications.start();
  }

  async unsubscribe(subscriptions: readonly Subscription[]): Promise<void> {
    this.audiences.remove(subscriptions);
    if (this.#closed || subscriptions.length === 0) return;
    await deleteSubscriptions(this.#options.database, subscriptions).catch((error: unknown) => {
      this.#options.log.warn("Subscription rows could not be removed.", { error: String(error) });
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    await this.#closeStream();
    this.#queue = [];
  }

  /**
   * A connection for queries about changes, as the role that owns the project, because policies and casts are
   * the project's code.
   */
  async #connect(): Promise<pg.Client> {
    const client = await logIn({
      ...this.#options.database.connection("postgres"),
      pipeline: true,
      options: SETTINGS,
      application_name: "homebase realtime",
    } as Login);
    releasedClient(client);
    // Emitted once, in use or idle; a query in flight fails in addition.
    const lost = errorBoundary(this.#options.log, "the connection for changes", () => this.#replace(client));
    client.on("error", lost);
    client.on("end", lost);
    return client;
  }

  async #open(): Promise<ChangeStream> {
    const { database, log } = this.#options;
    const client = await this.#connect();
    this.#delivery.describeAnew();
    try {
      const publications = await this.#publications.ensure();
      const stream = await ChangeStream.open({
        database,
        log,
        publications,
        wants: ({ schema, table }) =>
          isMessages(schema, table) || this.audiences.of(schema, table).length > 0,
        onTransaction: (transaction) => this.#enqueue(transaction),
        onEnd: errorBoundary(log, "reading the log anew", (error: Error | undefined) =>
          this.#restart(String(error ?? "The connection ended.")),
        ),
      });
      this.#client = client;
      this.#start("the delivery of changes", () => this.#drain());
      return stream;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  async #closeStream(): Promise<void> {
    const stream = this.#stream;
    const client = this.#client;
    this.#stream = undefined;
    this.#client = undefined;
    this.#paused = undefined;
    this.#publications.stop();
    await (await stream?.catch(() => undefined))?.close();
    await client?.end().catch(() => undefined);
  }

  /**
   * The connection was lost, probably with Postgres, or must be reopened: retries until it is back, or no
   * channel is left. Changes read before are still delivered.
   */
  async #restart(reason: string): Promise<void> {
    if (this.#closed) return;
    this.#options.log.warn("The log is read anew.", { reason });
    await this.#closeStream();
    for (let attempt = 0; !this.#closed && this.#users > 0; attempt += 1) {
      try {
        await this.ready();
        this.#options.onReopened();
        return;
      } catch {
        await retryPause(attempt);
      }
    }
  }

  #start(what: string, work: () => Promise<unknown>): void {
    inBackground(this.#options.log, what, work);
  }

  #enqueue(transaction: Transaction): void {
    this.#queue.push(transaction);
    this.#waiting += transaction.messages.length;
    this.#waitingBytes += transaction.bytes;
    const full = this.#waiting > MOST_WAITING || this.#waitingBytes > MOST_WAITING_BYTES;
    if (full && !this.#paused) {
      const opened = this.#stream;
      this.#start("the pause of the stream of changes", async () => {
        this.#paused = await opened;
        this.#paused?.pause();
      });
    }
    if (!this.#draining) this.#start("the delivery of changes", () => this.#drain());
  }

  async #drain(): Promise<void> {
    if (this.#draining) return;
    this.#draining = true;
    try {
      while (this.#queue.length > 0 && this.#client && !this.#closed) await this.#deliverBatch(this.#client);
    } finally {
      this.#draining = false;
    }
  }

  /** Delivers the first transactions of the queue. They stay queued if the connection is lost meanwhile. */
  async #deliverBatch(client: pg.Client): Promise<void> {
    const batch: Transaction[] = [];
    for (let size = 0; batch.length < this.#queue.length && size < BATCH_CHANGES; ) {
      const transaction = this.#queue[batch.length];
      if (!transaction) break;
      size += transaction.messages.length;
      batch.push(transaction);
    }
    try {
      await this.#delivery.deliver(client, batch);
    } catch (error) {
      if (this.#closed || this.#client !== client) return;
      if (!isConnected(client) || isLoss(error)) {
        this.#start("the connection for changes", () => this.#replace(client));
        return;
      }
      this.#options.log.error("Changes could not be delivered.", { error: String(error) });
    }
    this.#queue.splice(0, batch.length);
    this.#waiting -= batch.reduce((sum, { messages }) => sum + messages.length, 0);
    this.#waitingBytes -= batch.reduce((sum, { bytes }) => sum + bytes, 0);
    const low = this.#waiting < MOST_WAITING / 2 && this.#waitingBytes < MOST_WAITING_BYTES / 2;
    if (this.#paused && low) {
      this.#paused.resume();
      this.#paused = undefined;
    }
  }

  /**
   * Replaces a failed client; the next one continues at the same position. If the log's connection is lost
   * with it, both are reopened; otherwise reading continues.
   */
  async #replace(client: pg.Client): Promise<void> {
    if (this.#client !== client) return;
    this.#client = undefined;
    const stream = this.#stream;
    await client.end().catch(() => undefined);
    const needed = () => !this.#closed && this.#stream === stream && this.#client === undefined;
    for (let attempt = 0; needed(); attempt += 1) {
      const next = await this.#connect().catch(() => undefined);
      if (next && needed()) {
        this.#client = next;
        this.#start("the delivery of changes", () => this.#drain());
      } else if (next) await next.end().catch(() => undefined);
      else {
        await retryPause(attempt);
      }
    }
  }
}

/** Whether an error means that the connection is ending, although its socket is still open. */
function isLoss(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return !isStatementError(error);
  return error instanceof Error && /^(Connection terminated|Client (has|was))\b/.test(error.message);
}

function isConnected(client: pg.Client): boolean {
  const { stream } = (client as unknown as { connection: { stream: { writable: boolean } } }).connection;
  return stream.writable;
}
