/**
 * Owns processing requests of the extension http: a statement waits for each, in the table that its own
 * second connection has written to (pgsql-http documentation).
 */
import type { Log } from "../core/log.ts";
import type { Database } from "../postgres/database.ts";
import { type Answer, exchange, type Outgoing, targetOf } from "./outgoing-request.ts";

interface Waiting extends Outgoing {
  id: string;
  url: string;
}

/** Maximum number of redirects, as curl's for pgsql-http. */
const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Sends the requests that statements wait for. */
export class SynchronousRequests {
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

  /** There may be a new request. */
  wake(): void {
    if (this.#ending.signal.aborted) return;
    const running = this.#take()
      .catch((error: unknown) => {
        if (!this.#ending.signal.aborted)
          this.#log.error("The requests of http could not be read.", { error: String(error) });
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
    const { rows: made } = await this.#database.query(
      "supabase_admin",
      "select 1 from pg_extension where extname = 'http'",
    );
    if (made.length === 0) return;
    // Functions that are bound to the extension's table: its schema and names are the project's.
    const { rows } = await this.#database.query<Waiting>(
      "supabase_admin",
      "select * from pg_catalog.homebase_http_take()",
    );
    await Promise.all(
      rows.map(async (row) => {
        const answer = await this.#make(row);
        await this.#database.query("supabase_admin", "select pg_catalog.homebase_http_give($1, $2)", [
          row.id,
          JSON.stringify(answer),
        ]);
      }),
    );
  }

  async #make(row: Waiting): Promise<unknown> {
    const began = performance.now();
    try {
      const { status, contentType, headers, content } = await this.#follow(row);
      return {
        status,
        contentType,
        headers: Object.entries(headers ?? {}).map(([field, value]) => ({ field, value })),
        content,
      };
    } catch (error) {
      return { error: curlMessage(error as NodeJS.ErrnoException, row, performance.now() - began) };
    }
  }

  async #follow(row: Waiting): Promise<Answer> {
    let target = targetOf(row.url, this.#ownApi);
    let request: Outgoing = row;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await exchange(target, request, this.#ending.signal);
      const location = answer.headers?.location;
      if (!REDIRECTS.has(answer.status ?? 0) || location === undefined) return answer;
      if (redirects === MOST_REDIRECTS) throw new Error(`Maximum (${MOST_REDIRECTS}) redirects followed`);
      const next = targetOf(new URL(location, target).href, this.#ownApi);
      // As curl: a redirected POST becomes a GET, and credentials are not sent to another host.
      const repeated = answer.status === 307 || answer.status === 308;
      const headers = Object.entries(request.headers ?? {}).filter(
        ([name]) => next.host === target.host || !/^(?:authorization|cookie)$/i.test(name),
      );
      request = {
        ...request,
        headers: Object.fromEntries(headers),
        ...(repeated || row.method === "HEAD" ? {} : { method: "GET", body: null }),
      };
      target = next;
    }
  }
}

/** curl's error messages, which pgsql-http passes on. */
function curlMessage(
  error: NodeJS.ErrnoException & { port?: number; address?: string },
  row: Waiting,
  took: number,
) {
  const milliseconds = Math.round(took);
  if (error.name === "TimeoutError") {
    return `Operation timed out after ${milliseconds} milliseconds with 0 bytes received`;
  }
  const host = URL.canParse(row.url) ? new URL(row.url) : undefined;
  switch (error.code) {
    case "ERR_INVALID_URL":
      return "URL rejected: Malformed input to a URL function";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `Could not resolve host: ${host?.hostname ?? row.url}`;
    case "ECONNREFUSED": {
      const port = host?.port || (host?.protocol === "https:" ? "443" : "80");
      return `Failed to connect to ${host?.hostname ?? ""} port ${port} after ${milliseconds} ms: Couldn't connect to server`;
    }
    default:
      return error.message;
  }
}
