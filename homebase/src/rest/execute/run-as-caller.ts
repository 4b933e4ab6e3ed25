/**
 * Owns running a statement as the caller: the transaction's settings and statement are sent in one round
 * trip; a second is needed only when the result decides between COMMIT and ROLLBACK (PostgREST documentation,
 * "Transactions").
 */
import type { BatchRows, BatchStatement } from "../../postgres/pipeline/connection.ts";
import type { Value } from "../../postgres/pipeline/wire.ts";
import { fromDatabase } from "../postgres-error.ts";
import type { RestOptions } from "../postgrest-settings.ts";
import type { Prelude } from "./transaction-settings.ts";

export interface Transaction extends Prelude {
  isolation: string;
  readOnly: boolean;
  statements: readonly { text: string; values: readonly Value[] }[];
  end: "commit" | "rollback";
  /** Checks the results before the transaction ends; an exception rolls back. Costs a round trip. */
  check?: (answers: BatchRows) => void;
  anonymous: boolean;
  /** True for statements that only read relations: they may share a connection with others. */
  shareable: boolean;
  prepared: boolean;
  signal: () => AbortSignal;
}

const READ_ONLY = ["transaction_read_only", "on"] as const;

/** Runs transactions on a pool. */
export class Executor {
  readonly #options: RestOptions;

  constructor(options: RestOptions) {
    this.#options = options;
  }

  /**
   * @returns the rows of each statement.
   * @throws RestError PGRST000, 001, 003, or the translated Postgres error.
   */
  async run(transaction: Transaction): Promise<BatchRows> {
    try {
      return await (transaction.check ? this.#checked(transaction) : this.#send(transaction));
    } catch (error) {
      throw fromDatabase(error, transaction.anonymous);
    }
  }

  async #send(transaction: Transaction): Promise<BatchRows> {
    const { statements, signal } = transaction;
    const plain =
      transaction.end === "commit" && transaction.isolation === "read committed" && transaction.prepared;
    const opening = plain ? [] : [begin(transaction)];
    const sent = [...opening, ...work(transaction, plain && transaction.readOnly)];
    if (!plain) sent.push(...ending(transaction.end));
    const shape = transaction.shareable && plain ? statements[0]?.text : undefined;
    const rows = await this.#options.pool.run(sent, {
      shape,
      signal,
      patience: this.#options.acquireTimeout,
    });
    const first = opening.length + 1 + transaction.before.length;
    return rows.slice(first, first + statements.length);
  }

  async #checked(transaction: Transaction): Promise<BatchRows> {
    const { before, end, signal, check } = transaction;
    const lease = await this.#options.pool.lease(this.#options.acquireTimeout);
    try {
      const rows = (await lease.run([begin(transaction), ...work(transaction, false)], signal)).slice(
        2 + before.length,
      );
      check?.(rows);
      await lease.run(ending(end));
      return rows;
    } finally {
      // The failed statement rolls the transaction back.
      lease.release();
    }
  }
}

function begin({ isolation, readOnly }: Transaction): BatchStatement {
  return plainStatement(`begin isolation level ${isolation} ${readOnly ? "read only" : "read write"}`);
}

function ending(end: Transaction["end"]): BatchStatement[] {
  if (end === "commit") return [plainStatement("commit")];
  return [plainStatement("set constraints all immediate"), plainStatement("rollback")];
}

function plainStatement(text: string): BatchStatement {
  return { text, values: [], prepare: false };
}

/**
 * @param readOnly whether the settings must make the transaction read-only, because no `begin read only`
 * precedes them.
 */
function work({ settings, before, statements, prepared }: Transaction, readOnly: boolean): BatchStatement[] {
  const values: string[] = readOnly ? [...READ_ONLY] : [];
  for (const [name, value] of settings) values.push(name, value);
  return [
    { text: settingsText(values.length / 2), values, prepare: prepared },
    ...before.map(plainStatement),
    ...statements.map(({ text, values }) => ({ text, values, prepare: prepared })),
  ];
}

const settingsTexts: string[] = [];

function settingsText(count: number): string {
  let text = settingsTexts[count];
  if (text === undefined) {
    const calls = Array.from(
      { length: count },
      (_, at) => `pg_catalog.set_config($${2 * at + 1}, $${2 * at + 2}, true)`,
    );
    text = `select ${calls.join(", ")}`;
    settingsTexts[count] = text;
  }
  return text;
}
