/**
 * Owns the current schema cache and settings: first load, reload on NOTIFY, reconnection. While a new
 * one is read the old one serves (PostgREST documentation, "Schema Cache").
 */
import pg from "pg";
import type { BatchStatement } from "../../postgres/pipeline/connection.ts";
import type { Lease } from "../../postgres/pipeline/pool.ts";
import type { Row, Value } from "../../postgres/pipeline/wire.ts";
import { restErrors } from "../errors.ts";
import type { RestOptions, RestSettings } from "../options.ts";
import { SETTING_NAMES, withDatabaseSettings } from "../settings.ts";
import { arrayLiteral, functionName } from "../sql/writer.ts";
import { buildSchemaCache } from "./build.ts";
import { type Catalog, CONFIG_QUERY, catalogQuery, PRE_CONFIG_QUERY } from "./catalog.ts";
import type { SchemaCache } from "./schema.ts";

/** What a request is planned against. */
export interface Snapshot {
  settings: RestSettings;
  cache: SchemaCache;
}

const FIRST_RETRY_MS = 500;
// The pool may hand out connections that Postgres has ended without its having noticed yet.
const ATTEMPTS = 3;
const LONGEST_RETRY_MS = 32_000;

export class SchemaSource {
  readonly #options: RestOptions;
  #current: Snapshot | undefined;
  #running: Promise<Snapshot> | undefined;
  #next: Promise<Snapshot> | undefined;
  #listener: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryDelay = FIRST_RETRY_MS;
  #closed = false;

  constructor(options: RestOptions) {
    this.#options = options;
  }

  /** Begins to load and to listen, without waiting for either. */
  start(): void {
    void this.refresh().catch(() => {});
    void this.#listen();
  }

  /** The cache that serves now, if there is one: for the hot path that wants no promise. */
  get current(): Snapshot | undefined {
    return this.#current;
  }

  /** Whether there is a cache, and somebody listens for what makes it old. */
  get ready(): boolean {
    return (
      this.#current !== undefined && (this.#options.channel === undefined || this.#listener !== undefined)
    );
  }

  /** The cache that is being read now, if one is. */
  get loading(): Promise<Snapshot> | undefined {
    return this.#running;
  }

  /**
   * The cache, loaded now if it never was.
   * @throws RestError PGRST002 when the database cannot be asked.
   */
  async get(): Promise<Snapshot> {
    if (this.#current) return this.#current;
    const loading = this.#running ?? this.refresh();
    // A database that neither answers nor refuses must not hold every request up.
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(restErrors.noSchemaCache()), this.#options.loadTimeout);
    try {
      return await Promise.race([loading, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A cache read after this call. Calls during a read share the one that follows it. */
  refresh(): Promise<Snapshot> {
    if (!this.#running) {
      this.#running = this.#load().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.refresh();
      });
    return this.#next;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    const listener = this.#listener;
    this.#listener = undefined;
    await listener?.end().catch(() => {});
    await this.#running?.catch(() => {});
  }

  async #load(): Promise<Snapshot> {
    const { metrics } = this.#options;
    let failure: unknown;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        const began = performance.now();
        this.#current = await readSnapshot(this.#options);
        if (metrics) {
          metrics.schemaLoads += 1;
          metrics.schemaSeconds = (performance.now() - began) / 1_000;
        }
        return this.#current;
      } catch (error) {
        failure = error;
        if (metrics) metrics.schemaFailures += 1;
      }
    }
    if (!this.#closed) {
      this.#options.log.error("The schema cache could not be read.", { reason: String(failure) });
    }
    this.#options.onLoadFailure?.(failure);
    throw restErrors.noSchemaCache();
  }

  async #listen(): Promise<void> {
    const { channel } = this.#options;
    if (this.#closed || channel === undefined) return;
    const listener = new pg.Client({
      ...this.#options.connection,
      application_name: "homebase rest listener",
    });
    let ended = false;
    const lost = () => {
      if (ended) return;
      ended = true;
      if (this.#listener === listener) this.#listener = undefined;
      listener.end().catch(() => {});
      this.#relisten();
    };
    listener.on("error", lost);
    listener.on("end", lost);
    listener.on("notification", ({ payload }) => {
      // Settings are read together with the schema, so both payloads mean the same work.
      if (!payload || payload === "reload schema" || payload === "reload config") {
        this.refresh().catch(() => {});
      }
    });
    try {
      await listener.connect();
      await listener.query(`listen ${pg.escapeIdentifier(channel)}`);
      if (this.#closed) {
        await listener.end();
        return;
      }
      this.#listener = listener;
      // What was notified while nobody listened is lost: read anew.
      if (this.#retryDelay > FIRST_RETRY_MS) await this.refresh().catch(() => {});
      this.#retryDelay = FIRST_RETRY_MS;
    } catch {
      lost();
    }
  }

  #relisten(): void {
    if (this.#closed) return;
    this.#retry = setTimeout(() => void this.#listen(), this.#retryDelay);
    this.#retry.unref();
    this.#retryDelay = Math.min(this.#retryDelay * 2, LONGEST_RETRY_MS);
  }
}

/** What of the options reading needs. */
export type SnapshotOptions = Pick<
  RestOptions,
  "settings" | "databaseSettings" | "pool" | "log" | "rereadSettings"
>;

/**
 * Reads settings and schema once.
 * @throws what the pool throws.
 */
export async function readSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  const lease = await options.pool.lease();
  try {
    const [version = "", ...entries] = textsOf((await lease.run([statement(CONFIG_QUERY)]))[0]);
    const settings = await readSettings(options, lease, entries);
    const { schemas, extraSearchPath } = settings;
    const answers = await lease.run([
      statement("begin isolation level repeatable read read only"),
      statement("set local search_path = ''"),
      statement(catalogQuery(Number(version.split("=")[1])), [
        arrayLiteral(schemas),
        arrayLiteral(extraSearchPath),
      ]),
      statement("commit"),
    ]);
    const catalog = JSON.parse(String(answers[2]?.[0]?.text(0))) as Catalog;
    return { settings, cache: buildSchemaCache(catalog, settings.hoistedSettings) };
  } finally {
    lease.release();
  }
}

async function readSettings(
  { settings, databaseSettings, log, rereadSettings }: SnapshotOptions,
  lease: Lease,
  entries: readonly string[],
): Promise<RestSettings> {
  const base = rereadSettings?.() ?? settings;
  if (!databaseSettings) return base;
  const tell = (problem: string) => log.warn(problem);
  const { preConfig } = base;
  if (preConfig === undefined) return withDatabaseSettings(base, entries, tell);
  const answers = await lease.run([
    statement("begin read only"),
    statement(`select ${functionName(preConfig)}()`),
    statement(PRE_CONFIG_QUERY, [arrayLiteral(SETTING_NAMES)]),
    statement("rollback"),
  ]);
  return withDatabaseSettings(base, [...textsOf(answers[2]), ...entries], tell);
}

function statement(text: string, values: Value[] = []): BatchStatement {
  return { text, values, prepare: false };
}

function textsOf(rows: Row[] = []): string[] {
  return rows.map((row) => row.text(0) ?? "");
}
