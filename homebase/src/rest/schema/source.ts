/**
 * Owns the current schema cache and settings: first load, reload on NOTIFY, reconnection. During a reload the
 * previous cache is used (PostgREST documentation, "Schema Cache").
 */
import type { BatchStatement } from "../../postgres/pipeline/connection.ts";
import type { Lease } from "../../postgres/pipeline/pool.ts";
import { ConnectionRefused } from "../../postgres/pipeline/pool.ts";
import { PostgresError, type Row, type Value } from "../../postgres/pipeline/wire.ts";
import { arrayLiteral, quoteGiven } from "../../postgres/quoting.ts";
import { restErrors } from "../errors.ts";
import { fromDatabase } from "../postgres-error.ts";
import {
  type RestObserver,
  type RestOptions,
  type RestSettings,
  SETTING_NAMES,
  withDatabaseSettings,
} from "../postgrest-settings.ts";
import { buildRoles, buildSchemaCache } from "./build.ts";
import { type Catalog, CONFIG_QUERY, catalogQuery, PRE_CONFIG_QUERY, rolesQuery } from "./catalog-query.ts";
import type { SchemaCache } from "./schema-cache.ts";

/** The inputs of planning a request. */
export interface Snapshot {
  settings: RestSettings;
  cache: SchemaCache;
}

// The pool may return connections that Postgres has closed without the pool having noticed.
const ATTEMPTS = 3;
const CONCURRENT_READS = 2;
/** Maximum wait of the first read for LISTEN to be active. */
const LISTEN_PATIENCE_MS = 1_000;

export class SchemaSource {
  readonly #options: RestOptions;
  #current: Snapshot | undefined;
  /** Reads in progress by their number: a change during the first begins a second, which does not wait for it. */
  readonly #reading = new Map<number, Promise<Snapshot>>();
  /** The read after these. */
  #queued: Promise<Snapshot> | undefined;
  /** Number of the newest read. */
  #begun = 0;
  /** Number of the read that made the current cache. */
  #currentOf = 0;
  /** Whether the result of the read that ended last was dropped. */
  #dropped = false;
  #configuring: Promise<void> = Promise.resolve();
  #listening = false;
  /** Resolves when listening is active or has failed. */
  readonly #notified = Promise.withResolvers<void>();
  /** Whether the newest read began before listening was active, so that later changes were not notified. */
  #missedNotifications = false;
  /** Number of reads of the catalog. */
  reads = 0;
  #unsubscribe: (() => void) | undefined;
  #closed = false;

  constructor(options: RestOptions) {
    this.#options = options;
  }

  /** Starts loading and listening without waiting for either. */
  start(): void {
    this.#listen();
    void this.refresh().catch(() => {});
  }

  /** The current cache, if any: a synchronous access for the hot path. */
  get current(): Snapshot | undefined {
    return this.#current;
  }

  /** Whether there is a cache, and notifications of schema changes arrive. */
  get ready(): boolean {
    return this.#current !== undefined && (this.#options.channel === undefined || this.#listening);
  }

  /** The cache, loaded now if necessary. @throws RestError PGRST002 when the database cannot be queried. */
  async get(): Promise<Snapshot> {
    if (this.#current) return this.#current;
    const loading = this.#oldest ?? this.refresh();
    // An unresponsive database must not block every request.
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(restErrors.noSchemaCache()), this.#options.loadTimeout);
    try {
      return await Promise.race([loading, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * The cache with every schema change committed before this call. Reloads only after a change: a request for
   * an unknown object costs one short query.
   * @param than the cache that the request was planned against, which may have been replaced since.
   * @returns undefined when that is up to date.
   */
  async renewed(than: Snapshot): Promise<Snapshot | undefined> {
    const { channel, notifications } = this.#options;
    // Without notifications upstream uses the cache it has; a reload must be requested explicitly.
    if (channel === undefined) return undefined;
    if (!this.#listening || this.#missedNotifications || !(await notifications.caughtUp()))
      return this.refresh();
    const newest = this.#queued ?? this.#reading.get(this.#begun);
    if (newest) return newest;
    return this.#current === than ? undefined : this.#current;
  }

  /** A cache read after this call. Calls while two are read share the following read. */
  refresh(): Promise<Snapshot> {
    if (this.#queued) return this.#queued;
    if (!this.#oldest || this.#reading.size < CONCURRENT_READS) return this.#begin();
    this.#queued = this.#oldest
      .catch(() => undefined)
      .then(() => {
        this.#queued = undefined;
        return this.#begin();
      });
    return this.#queued;
  }

  get #oldest(): Promise<Snapshot> | undefined {
    return this.#reading.values().next().value;
  }

  #begin(): Promise<Snapshot> {
    this.#begun += 1;
    const number = this.#begun;
    const result = this.#load(number).finally(() => this.#reading.delete(number));
    this.#reading.set(number, result);
    return result;
  }

  /**
   * Rereads the settings but not the schema, which stays as read with the previous settings (PostgREST
   * documentation, "Configuration Reloading").
   */
  refreshSettings(): Promise<void> {
    this.#configuring = Promise.allSettled([this.#configuring, ...this.#reading.values()]).then(async () => {
      if (!this.#current) return;
      const { settings, roles } = await readConfiguration(this.#options, true);
      this.#current = { settings, cache: { ...this.#current.cache, roles } };
      // Existing sessions do not have the role's new settings.
      this.#options.pool.renew();
    });
    return this.#configuring;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#notified.resolve();
    this.#unsubscribe?.();
    await Promise.allSettled(this.#reading.values());
  }

  async #load(number: number): Promise<Snapshot> {
    const { metrics } = this.#options;
    let failure: unknown;
    await this.#notified.promise;
    this.#missedNotifications = !this.#listening;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        const began = performance.now();
        const read = await readCatalog(this.#options);
        if (this.#current && number < this.#currentOf) return this.#current;
        // A newer read is in progress, whose result replaces this one. It is used all the same if the one before was
        // dropped: changes that never end would leave the first cache in place.
        const newer = this.#reading.get(number + 1);
        this.#dropped = newer !== undefined && !this.#dropped;
        if (newer && this.#dropped) return newer;
        this.#current = build(read, this.#options.observer);
        this.#currentOf = number;
        // Statements prepared earlier may have inferred types from columns that have changed.
        if (this.reads > 0) this.#options.pool.renew();
        this.reads += 1;
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
    if (!this.#closed) this.#reportFailure(failure);
    throw restErrors.noSchemaCache();
  }

  #reportFailure(failure: unknown): void {
    const { observer, log, settings } = this.#options;
    if (!observer) {
      log.error("The schema cache could not be read.", { reason: String(failure) });
      return;
    }
    const { schemas, extraSearchPath } = this.#current?.settings ?? settings;
    observer.tell(
      failure instanceof ConnectionRefused
        ? `Failed to query the PostgreSQL version. ${textOfFailure(failure)}`
        : `Failed to load the schema cache using db-schemas=${schemas.join(",")} and ` +
            `db-extra-search-path=${extraSearchPath.join(",")}. ${textOfFailure(failure)}`,
    );
    observer.loadFailed(failure);
  }

  #listen(): void {
    const { channel, notifications, observer } = this.#options;
    const { resolve } = this.#notified;
    if (channel === undefined) {
      resolve();
      return;
    }
    setTimeout(resolve, LISTEN_PATIENCE_MS).unref();
    this.#unsubscribe = notifications.subscribe(channel, {
      notified: (payload) => {
        if (!payload || payload === "reload schema") {
          observer?.tell(`Received a schema cache reload message on the "${channel}" channel`);
          this.refresh().catch(() => {});
        } else if (payload === "reload config") {
          observer?.tell(`Received a config reload message on the "${channel}" channel`);
          this.refreshSettings().catch(() => {});
        }
      },
      listening: (query, again, place) => {
        this.#listening = true;
        if (observer) void tellOfListener(observer, channel, place, query).catch(() => {});
        resolve();
        // Notifications are lost while not listening, so the schema is reread; also after a failed read.
        const missed = again || this.#missedNotifications;
        if (missed || (!this.#current && this.#reading.size === 0)) this.refresh().catch(() => {});
      },
      lost: (reason, retryMs) => {
        this.#listening = false;
        resolve();
        if (this.#closed || !observer) return;
        observer.tell(`Failed listening for database notifications on the "${channel}" channel. ${reason}`);
        observer.listenerLost();
        observer.tell(`Retrying listening for database notifications in ${retryMs / 1_000} seconds...`);
      },
    });
  }
}

async function tellOfListener(
  observer: RestObserver,
  channel: string,
  place: string,
  query: (text: string) => Promise<{ rows: { version: string }[] }>,
): Promise<void> {
  const { rows } = await query("select version()");
  observer.tell(
    `Listener connected to ${rows[0]?.version} on "${place}" and listening for database notifications ` +
      `on the "${channel}" channel`,
  );
}

/** What a cache holds, as upstream counts it (SchemaCache.hs, showSummary). */
function summaryOf({ relations, relationships, routines, handlers }: SchemaCache): string {
  const represented = new Set(
    [...relations.values()].flatMap(({ columns }) =>
      [...columns.values()].flatMap(({ type, representation }) => (representation ? [type] : [])),
    ),
  );
  const counts = {
    Relations: relations.size,
    Relationships: relationships.size,
    Functions: routines.size,
    "Domain Representations": represented.size,
    "Media Type Handlers": handlers.size,
  };
  return Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(", ");
}

/** The failure as a response would describe it. */
function textOfFailure(failure: unknown): string {
  return fromDatabase(failure, false).body();
}

/** The options that reading needs. */
export type SnapshotOptions = Pick<
  RestOptions,
  "settings" | "databaseSettings" | "pool" | "log" | "rereadSettings" | "observer"
>;

/**
 * Reads settings and schema once.
 * @throws what the pool throws.
 */
export async function readSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  return build(await readCatalog(options), options.observer);
}

async function readCatalog(options: SnapshotOptions): Promise<{ settings: RestSettings; catalog: string }> {
  const { pool, observer } = options;
  const lease = await pool.lease();
  try {
    const { settings, version, name } = await readSettings(options, lease, options.databaseSettings);
    observer?.tell(`Successfully connected to ${name}`);
    observer?.tell(`Connection Pool initialized with a maximum size of ${pool.max} connections`);
    const { schemas, extraSearchPath } = settings;
    const began = performance.now();
    const answers = await lease.run([
      statement("begin isolation level repeatable read read only"),
      statement("set local search_path = ''"),
      statement(catalogQuery(version), [arrayLiteral(schemas), arrayLiteral(extraSearchPath)]),
      statement("commit"),
    ]);
    observer?.tell(`Schema cache queried in ${(performance.now() - began).toFixed(1)} milliseconds`);
    return { settings, catalog: String(answers[2]?.[0]?.text(0)) };
  } finally {
    lease.release();
  }
}

function build(
  { settings, catalog }: { settings: RestSettings; catalog: string },
  observer: RestObserver | undefined,
): Snapshot {
  const began = performance.now();
  const cache = buildSchemaCache(JSON.parse(catalog) as Catalog, settings.hoistedSettings);
  observer?.tell(`Schema cache loaded ${summaryOf(cache)}`);
  observer?.tell(`Schema cache loaded in ${(performance.now() - began).toFixed(1)} milliseconds`);
  return { settings, cache };
}

/** Settings, and those of roles. @param again whether to reread the configuration file. */
async function readConfiguration(
  options: SnapshotOptions,
  again: boolean,
): Promise<{ settings: RestSettings; roles: SchemaCache["roles"] }> {
  const lease = await options.pool.lease();
  try {
    const { settings, version } = await readSettings(options, lease, again);
    const [rows] = await lease.run([statement(rolesQuery(version))]);
    return { settings, roles: buildRoles(JSON.parse(String(rows?.[0]?.text(0))) as Catalog["roles"]) };
  } finally {
    lease.release();
  }
}

async function readSettings(
  { settings, databaseSettings, log, observer, rereadSettings }: SnapshotOptions,
  lease: Lease,
  again: boolean,
): Promise<{ settings: RestSettings; version: number; name: string }> {
  const base = rereadSettings?.(again) ?? settings;
  const [entry = "", ...entries] = textsOf((await lease.run([statement(CONFIG_QUERY)]))[0]);
  const blank = entry.indexOf(" ");
  const server = { version: Number(entry.slice(0, blank)), name: entry.slice(blank + 1) };
  if (!databaseSettings) return { settings: base, ...server };
  const tell = (problem: string) => {
    if (observer) observer.tell(`Failed reloading config: ${problem}`);
    else log.warn(problem);
  };
  const { preConfig } = base;
  try {
    const own = preConfig === undefined ? [] : await preConfigured(lease, preConfig);
    return { settings: withDatabaseSettings(base, [...own, ...entries], tell), ...server };
  } catch (error) {
    if (!(error instanceof PostgresError)) throw error;
    // Upstream continues without the database's settings (PostgREST, AppState/Reload.hs, readInDbConfig).
    const line = `Failed to query database settings for the config parameters. ${textOfFailure(error)}`;
    if (observer) observer.tell(line);
    else log.error(line);
    return { settings: base, ...server };
  }
}

/** The settings that the function of `db-pre-config` makes. @throws PostgresError */
async function preConfigured(lease: Lease, name: string): Promise<string[]> {
  try {
    const answers = await lease.run([
      statement("begin read only"),
      statement(`select ${quoteGiven(name)}()`),
      statement(PRE_CONFIG_QUERY, [arrayLiteral(SETTING_NAMES)]),
    ]);
    return textsOf(answers[2]);
  } finally {
    await lease.run([statement("rollback")]);
  }
}

function statement(text: string, values: Value[] = []): BatchStatement {
  return { text, values, prepare: false };
}

function textsOf(rows: Row[] = []): string[] {
  return rows.map((row) => row.text(0) ?? "");
}
