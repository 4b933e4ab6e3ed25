/**
 * Owns the one reader of the log of a Backend: opened with the first channel, closed some time after the
 * last, reopened after Postgres was away; and the queue between it and the subscribers.
 */
import pg from "pg";
import type { Database } from "../../postgres/database.ts";
import type { Log } from "../../service/log.ts";
import type { Token } from "../token.ts";
import { commitTimestamp, type RelationMessage } from "./pgoutput.ts";
import { deliverChanges } from "./processor.ts";
import { describeRelation, type Relation } from "./relation.ts";
import { type RowChange, rowChange } from "./rows.ts";
import { ChangeStream, type Transaction } from "./stream.ts";
import { deleteSubscriptions, type Subscription, storeSubscriptions, updateClaims } from "./subscriptions.ts";

/** A row of `realtime.messages` that was committed. */
export interface StoredMessage {
  id: string;
  topic: string;
  event: string;
  isPrivate: boolean;
  /** JSON text, or bytes of a binary message. */
  payload: Buffer;
  binary: boolean;
}

export interface FeedOptions {
  database: Database;
  log: Log;
  changeBytes: number;
  onStoredMessage(message: StoredMessage): void;
  /** The reader is back after it was gone: whoever subscribes is to be told so. */
  onReopened(): void;
}

const PUBLICATIONS = ["supabase_realtime", "supabase_realtime_messages_publication"];
const IDLE_MS = 30_000;
const RETRY_MS = [50, 100, 250, 500, 1_000, 2_000];
/** Changes judged together: enough to share round trips, few enough to deliver while more arrive. */
const BATCH_CHANGES = 1_000;

/** See the file's head. */
export class ChangeFeed {
  readonly #options: FeedOptions;
  readonly #subscriptions = new Set<Subscription>();
  readonly #messages = new Map<number, RelationMessage>();
  readonly #relations = new Map<number, Relation>();
  #stream: Promise<ChangeStream> | undefined;
  #client: pg.Client | undefined;
  #queue: Transaction[] = [];
  #draining = false;
  #users = 0;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Whether the log is being read now. */
  get reading(): boolean {
    return this.#stream !== undefined;
  }

  /** A channel came: the log is read as long as there is one. */
  enter(): void {
    this.#users += 1;
    clearTimeout(this.#idle);
    // A failure is retried by whoever needs the stream; here it only warms up.
    this.ready().catch(() => undefined);
  }

  leave(): void {
    this.#users -= 1;
    if (this.#users > 0 || this.#closed) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      if (this.#users === 0) void this.#closeStream();
    }, IDLE_MS);
    this.#idle.unref();
  }

  /**
   * Resolves when whatever commits from now on will be told, or after `patience` milliseconds: a slot waits
   * for every transaction that is open when it is made, and one of them may be somebody's lunch break.
   */
  async settle(patience: number): Promise<void> {
    this.enter();
    const { promise: impatient, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patience);
    await Promise.race([this.ready().catch(() => undefined), impatient]);
    clearTimeout(timer);
    this.leave();
  }

  /** Resolves when whatever commits from now on will be told. */
  async ready(): Promise<void> {
    if (this.#closed) throw new Error("The change feed is closed.");
    this.#stream ??= this.#open();
    try {
      await this.#stream;
    } catch (error) {
      this.#stream = undefined;
      throw error;
    }
  }

  /**
   * Adds a channel's subscriptions, all or none.
   * @throws SubscriptionFault when one of them cannot be.
   */
  async subscribe(subscriptions: readonly Subscription[]): Promise<void> {
    await Promise.all([this.ready(), storeSubscriptions(this.#options.database, subscriptions)]);
    for (const subscription of subscriptions) this.#subscriptions.add(subscription);
  }

  async renew(subscriptions: readonly Subscription[], token: Token): Promise<void> {
    for (const subscription of subscriptions) {
      subscription.role = token.role;
      subscription.claims = JSON.stringify(token.claims);
    }
    await updateClaims(this.#options.database, subscriptions);
  }

  async unsubscribe(subscriptions: readonly Subscription[]): Promise<void> {
    for (const subscription of subscriptions) this.#subscriptions.delete(subscription);
    if (this.#closed || subscriptions.length === 0) return;
    await deleteSubscriptions(this.#options.database, subscriptions).catch((error: unknown) => {
      this.#options.log.warn("Subscription rows could not be removed.", { error: String(error) });
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    await this.#closeStream();
  }

  async #open(): Promise<ChangeStream> {
    const { database, log } = this.#options;
    const client = new pg.Client({
      ...database.connection("supabase_admin"),
      pipeline: true,
      application_name: "homebase realtime",
    } as pg.ClientConfig);
    client.on("error", () => {});
    await client.connect();
    this.#client = client;
    this.#messages.clear();
    this.#relations.clear();
    try {
      return await ChangeStream.open({
        database,
        log,
        publications: PUBLICATIONS,
        onTransaction: (transaction) => this.#enqueue(transaction),
        onEnd: (error) => void this.#reopen(error),
      });
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  async #closeStream(): Promise<void> {
    const stream = this.#stream;
    this.#stream = undefined;
    this.#queue = [];
    await (await stream?.catch(() => undefined))?.close();
    await this.#client?.end().catch(() => undefined);
    this.#client = undefined;
  }

  /** The connection was lost, most likely with Postgres: try until it is back, or nobody is left. */
  async #reopen(error: Error | undefined): Promise<void> {
    this.#options.log.warn("The log can no longer be read; trying again.", {
      error: String(error ?? "ended"),
    });
    await this.#closeStream();
    for (let attempt = 0; !this.#closed && this.#users > 0; attempt += 1) {
      try {
        await this.ready();
        this.#options.onReopened();
        return;
      } catch {
        const pause = RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)];
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  #enqueue(transaction: Transaction): void {
    this.#queue.push(transaction);
    if (!this.#draining) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    try {
      while (this.#queue.length > 0) {
        const batch: Transaction[] = [];
        for (let size = 0; this.#queue.length > 0 && size < BATCH_CHANGES; ) {
          const transaction = this.#queue.shift();
          if (!transaction) break;
          size += transaction.messages.length;
          batch.push(transaction);
        }
        await this.#process(batch);
      }
    } catch (error) {
      if (!this.#closed) this.#options.log.error("Changes could not be delivered.", { error: String(error) });
    } finally {
      this.#draining = false;
    }
  }

  async #process(batch: readonly Transaction[]): Promise<void> {
    const client = this.#client;
    if (!client) return;
    let changes: RowChange[] = [];
    const flush = async () => {
      if (changes.length === 0) return;
      const due = changes;
      changes = [];
      const { changeBytes, log } = this.#options;
      await deliverChanges(client, due, [...this.#subscriptions], changeBytes, log);
    };
    for (const { commitTime, messages } of batch) {
      const timestamp = commitTimestamp(commitTime);
      for (const message of messages) {
        if (message.kind === "relation") {
          this.#messages.set(message.oid, message);
          this.#relations.delete(message.oid);
          continue;
        }
        const described = this.#messages.get(message.relation);
        if (!described) continue;
        if (described.schema === "realtime" && described.table === "messages") {
          if (message.kind !== "insert" || !message.next) continue;
          const stored = storedMessage(described, message.next);
          if (!stored) continue;
          // Whatever was committed before it is delivered before it.
          await flush();
          this.#options.onStoredMessage(stored);
          continue;
        }
        if (!this.#wanted(described)) continue;
        const relation = this.#relations.get(message.relation) ?? (await describeRelation(client, described));
        this.#relations.set(message.relation, relation);
        changes.push(rowChange(message, relation, timestamp));
      }
    }
    await flush();
  }

  /** Changes that nobody listens to are dropped before anything is asked of the database. */
  #wanted({ schema, table }: RelationMessage): boolean {
    for (const subscription of this.#subscriptions) if (subscription.matches(schema, table)) return true;
    return false;
  }
}

function storedMessage(
  relation: RelationMessage,
  values: readonly (string | null | undefined)[],
): StoredMessage | undefined {
  const value = (name: string) =>
    values[relation.columns.findIndex((column) => column.name === name)] ?? undefined;
  const [id, topic, event, payload, bytes] = ["id", "topic", "event", "payload", "binary_payload"].map(value);
  if (id === undefined || topic === undefined || event === undefined) return undefined;
  if (payload === undefined && bytes === undefined) return undefined;
  return {
    id,
    topic,
    event,
    isPrivate: value("private") === "t",
    payload: bytes === undefined ? Buffer.from(payload ?? "") : Buffer.from(bytes.replace(/^\\x/, ""), "hex"),
    binary: bytes !== undefined,
  };
}
