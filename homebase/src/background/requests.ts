/**
 * Owns processing pg_net's requests: taking them from the queue, sending them, storing the responses (pg_net
 * documentation; docs/compat/platform.md 1.7).
 */
import type { Happened } from "../core/happenings.ts";
import type { Log } from "../core/log.ts";
import { withoutValuesOfQuery } from "../http/shown-values.ts";
import type { Database } from "../postgres/database.ts";
import { type Answer, exchange, targetOf } from "./outgoing-request.ts";

interface QueuedRequest {
  id: string;
  method: string;
  url: string;
  headers: Record<string, string> | null;
  body: Buffer | null;
  timeout_milliseconds: number;
}

/** Concurrent requests, as pg_net.batch_size; the others stay in the queue. */
const BATCH = 200;
/** How many of the two tables are the extension's own: a project may drop it and make others of their names. */
const OWN_TABLES = `
  select count(*)::int as count from pg_catalog.pg_depend d
  join pg_catalog.pg_extension e on e.oid = d.refobjid and e.extname = 'pg_net'
  where d.classid = 'pg_catalog.pg_class'::regclass and d.refclassid = 'pg_catalog.pg_extension'::regclass and d.deptype = 'e'
    and d.objid in (to_regclass('net.http_request_queue'), to_regclass('net._http_response'))`;
const KEEP = "6 hours";
const CLOSING_MS = 1_000;

/** Processes the queue, each time it is notified. */
export class RequestWorker {
  readonly #database: Database;
  readonly #ownApi: URL;
  readonly #log: Log;
  readonly #happened: Happened;
  #working = false;
  #reading = Promise.resolve();
  #more = false;
  #closed = false;
  readonly #running = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor(database: Database, ownUrl: string, log: Log, happened: Happened) {
    this.#database = database;
    this.#ownApi = new URL(ownUrl);
    this.#log = log;
    this.#happened = happened;
  }

  /** The queue may have new requests. */
  wake(): void {
    this.#more = true;
    if (!this.#working && !this.#closed) this.#reading = this.#work();
  }

  /**
   * Takes no more requests. Requests in flight get a moment to finish, then are aborted; the abort is stored
   * as their response.
   */
  async close(): Promise<void> {
    this.#closed = true;
    const all = () => Promise.allSettled(this.#running);
    await Promise.race([all(), new Promise((resolve) => setTimeout(resolve, CLOSING_MS).unref())]);
    this.#ending.abort();
    await all();
    await this.#reading;
  }

  async #work(): Promise<void> {
    this.#working = true;
    try {
      const own = await this.#database.query<{ count: number }>("postgres", OWN_TABLES);
      if (own.rows[0]?.count !== 2) return;
      while (this.#more && !this.#closed) {
        this.#more = false;
        const free = BATCH - this.#running.size;
        // The next request that finishes continues.
        if (free <= 0) break;
        const { rows } = await this.#database.query<QueuedRequest>(
          "postgres",
          `with taken as (
             delete from net.http_request_queue where id in (
               select id from net.http_request_queue order by id limit $1 for update skip locked
             ) returning *
           ), old as (delete from net._http_response where created < now() - $2::interval)
           select id, method, url, headers, body, timeout_milliseconds from taken order by id`,
          [free, KEEP],
        );
        if (rows.length === free) this.#more = true;
        for (const row of rows) this.#carryOut(row);
      }
    } catch (error) {
      this.#log.error("The queue of net could not be read.", { error: String(error) });
    } finally {
      this.#working = false;
    }
  }

  #carryOut(row: QueuedRequest): void {
    const began = performance.now();
    const running = this.#make(row)
      .then((answer) => this.#write(row, answer, Math.round(performance.now() - began)))
      .catch((error: unknown) =>
        this.#log.error("An answer could not be written.", { error: String(error) }),
      );
    this.#running.add(running);
    void running.finally(() => {
      const full = this.#running.size >= BATCH;
      this.#running.delete(running);
      if (full) this.wake();
    });
  }

  async #write({ id, method, url }: QueuedRequest, answer: Answer, milliseconds: number): Promise<void> {
    this.#happened({
      kind: "net",
      id,
      method,
      url: withoutValues(url),
      status: answer.status,
      failure: answer.error ?? undefined,
      milliseconds,
    });
    this.#log.debug(`net ${method} ${url} ${answer.status ?? answer.error}`, { request: id });
    await this.#database.query(
      "postgres",
      `insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [id, answer.status, answer.contentType, answer.headers, answer.content, answer.timedOut, answer.error],
    );
  }

  async #make(row: QueuedRequest): Promise<Answer> {
    const began = performance.now();
    try {
      return await exchange(
        targetOf(row.url, this.#ownApi),
        { ...row, headers: { "user-agent": "pg_net/0.19.5", ...row.headers } },
        this.#ending.signal,
      );
    } catch (error) {
      const timedOut = (error as Error).name === "TimeoutError";
      const text = this.#ending.signal.aborted
        ? "Given up, as the stack was stopped or its database replaced"
        : timedOut
          ? `Timeout of ${row.timeout_milliseconds} ms reached. Total time: ${(performance.now() - began).toFixed(6)} ms`
          : (error as Error).message;
      return { status: null, contentType: null, headers: null, content: null, timedOut, error: text };
    }
  }
}

/** Keys stand in queries, and before hosts. */
function withoutValues(url: string): string {
  const [address = "", query = ""] = url.split("?", 2);
  const shown = address.replace(/^([a-z]+:\/\/)[^/]*@/i, "$1");
  return query === "" ? shown : `${shown}?${withoutValuesOfQuery(query, undefined)}`;
}
