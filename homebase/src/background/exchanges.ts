/** Owns answering what statements ask and wait for (postgres/bootstrap/exchange.sql). */
import type { Log } from "../core/log.ts";
import type { Database } from "../postgres/database.ts";
import { type AskedCheck, answerCheck } from "./function-checks.ts";
import { answerRequest, type WaitingRequest } from "./synchronous.ts";

/** A question, by the extension that asks. */
type Asked =
  | { id: string; kind: "http"; question: WaitingRequest }
  | { id: string; kind: "plpgsql_check"; question: AskedCheck };

export class Exchanges {
  readonly #database: Database;
  readonly #ownApi: URL;
  readonly #log: Log;
  readonly #running = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor(database: Database, ownUrl: string, log: Log) {
    this.#database = database;
    this.#ownApi = new URL(ownUrl);
    this.#log = log;
  }

  /** There may be a new question. */
  wake(): void {
    if (this.#ending.signal.aborted) return;
    const running = this.#take()
      .catch((error: unknown) => {
        if (!this.#ending.signal.aborted)
          this.#log.error("What statements ask could not be read.", { error: String(error) });
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Aborts requests in flight; the abort is their result. */
  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled(this.#running);
  }

  async #take(): Promise<void> {
    const { rows } = await this.#database.query<Asked>(
      "supabase_admin",
      "select * from pg_catalog.homebase_exchange_take()",
    );
    await Promise.all(
      rows.map(async (row) => {
        await this.#database.query("supabase_admin", "select pg_catalog.homebase_exchange_give($1, $2)", [
          row.id,
          JSON.stringify(await this.#answer(row)),
        ]);
      }),
    );
  }

  async #answer({ kind, question }: Asked): Promise<unknown> {
    return kind === "http"
      ? answerRequest(question, this.#ownApi, this.#ending.signal)
      : answerCheck(question, this.#database, this.#ending.signal).catch((error: Error) => ({
          error: error.message,
        }));
  }
}
