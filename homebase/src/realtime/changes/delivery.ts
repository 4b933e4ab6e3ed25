/** Owns what becomes of the log's transactions: changes of rows for those who listen, in order, and messages for their channels. */
import type pg from "pg";
import type { Audiences } from "./audience.ts";
import { type StoredMessage, storedMessage } from "./message-rows.ts";
import { deliverChanges } from "./processor.ts";
import { commitTimestamp, type RelationMessage } from "./replication/pgoutput.ts";
import { describeRelation, type Relation } from "./replication/relation.ts";
import type { Transaction } from "./replication/stream.ts";
import { type RowChange, rowChange } from "./subscribers-view.ts";
import { waitForTransactions } from "./visibility.ts";

/** Number of changes processed together: enough to share round trips, few enough to deliver while more arrive. */
export const BATCH_CHANGES = 250;

type Options = Parameters<typeof deliverChanges>[3] & { onStoredMessage(message: StoredMessage): void };

export class Delivery {
  readonly #audiences: Audiences;
  readonly #options: Options;
  readonly #messages = new Map<number, RelationMessage>();
  readonly #relations = new Map<number, Relation>();

  constructor(audiences: Audiences, options: Options) {
    this.#audiences = audiences;
    this.#options = options;
  }

  /** The tables may have changed since they were described. */
  describeAnew(): void {
    this.#relations.clear();
  }

  /** Delivers transactions, and notes in each how far it has come. @throws when the connection is lost */
  async deliver(client: pg.Client, batch: readonly Transaction[]): Promise<void> {
    let changes: RowChange[] = [];
    const { onStoredMessage } = this.#options;
    let at: [transaction: Transaction, next: number][] = [];
    let ended: Promise<void> | undefined;
    const flush = async () => {
      const due = changes;
      changes = [];
      if (due.length > 0) await deliverChanges(client, due, this.#audiences, this.#options);
      for (const [transaction, next] of at) transaction.delivered = next;
      at = [];
    };
    for (const transaction of batch) {
      const timestamp = commitTimestamp(transaction.commitTime);
      for (let index = transaction.delivered ?? 0; index < transaction.messages.length; index += 1) {
        const message = transaction.messages[index];
        if (!message) continue;
        if (message.kind === "relation") {
          this.#messages.set(message.oid, message);
          this.#relations.delete(message.oid);
          continue;
        }
        const described = this.#messages.get(message.relation);
        if (!described) continue;
        if (isMessages(described.schema, described.table)) {
          const stored = message.kind === "insert" ? storedMessage(described, message.next ?? []) : undefined;
          if (!stored) continue;
          // Earlier commits are delivered first.
          at.push([transaction, index]);
          await flush();
          // A client that reads a table because of a message must see the change that the message announces.
          ended ??= waitForTransactions(client, batch);
          await ended;
          onStoredMessage(stored);
          transaction.delivered = index + 1;
          continue;
        }
        if (this.#audiences.of(described.schema, described.table).length === 0) continue;
        const relation = this.#relations.get(message.relation) ?? (await describeRelation(client, described));
        this.#relations.set(message.relation, relation);
        changes.push(rowChange(message, relation, timestamp, transaction.xid));
        if (changes.length >= BATCH_CHANGES) {
          at.push([transaction, index + 1]);
          await flush();
        }
      }
      at.push([transaction, transaction.messages.length]);
    }
    await flush();
  }
}

export function isMessages(schema: string, table: string): boolean {
  return schema === "realtime" && table === "messages";
}
