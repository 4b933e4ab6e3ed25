/**
 * Owns the current schema cache and settings: first load, reload on NOTIFY, reconnection. During a reload the
 * previous cache is used (PostgREST documentation, "Schema Cache").
 */
import type { BatchStatement } from "../../postgres/pipeline/connection.ts";
import type { Lease } from "../../postgres/pipeline/pool.ts";
import { PostgresError, type Row, type Value } from "../../postgres/pipeline/wire.ts";
import { arrayLiteral, functionName } from "../../postgres/quoting.ts";
import { restErrors } from "../errors.ts";
import { type RestOptions, type RestSettings, SETTING_NAMES, withDatabaseSettings } from "../settings.ts";
import { buildRoles, buildSchemaCache } from "./build.ts";
import { type Catalog, CONFIG_QUERY, catalogQuery, PRE_CONFIG_QUERY, rolesQuery } from "./catalog.ts";
import type { SchemaCache } from "./schema.ts";

/** The inputs of planning a request. */
export interface Snapshot {
  settings: RestSettings;
  cache: SchemaCache;
}

// The pool may return connections that Postgres has closed without the pool having noticed.
const ATTEMPTS = 3;
/** Maximum wait of the first read for LISTEN to be active. */
const LISTEN_PATIENCE_MS = 1_000;

export class SchemaSource {
  readonly #options: RestOptions;
  #current: Snapshot | undefined;
  #running: Promise<Snapshot> | undefined;
  #next: Promise<Snapshot> | undefined;
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
    const loading = this.#running ?? this.refresh();
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
    if (this.#running) return this.#next ?? this.#running;
    return this.#current === than ? undefined : this.#current;
  }

  /** A cache read after this call. Calls during a read share the following read. */
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

  /**
   * Rereads the settings but not the schema, which stays as read with the previous settings (PostgREST
   * documentation, "Configuration Reloading").
   */
  refreshSettings(): Promise<void> {
    this.#configuring = Promise.allSettled([this.#configuring, this.#running]).then(async () => {
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
    await this.#running?.catch(() => {});
  }

  async #load(): Promise<Snapshot> {
    const { metrics } = this.#options;
    let failure: unknown;
    await this.#notified.promise;
    this.#missedNotifications = !this.#listening;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        const began = performance.now();
        this.#current = await readSnapshot(this.#options);
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
    if (!this.#closed) {
      this.#options.log.error("The schema cache could not be read.", { reason: String(failure) });
    }
    this.#options.onLoadFailure?.(failure);
    throw restErrors.noSchemaCache();
  }

  #listen(): void {
    const { channel, notifications } = this.#options;
    const { resolve } = this.#notified;
    if (channel === undefined) {
      resolve();
      return;
    }
    setTimeout(resolve, LISTEN_PATIENCE_MS).unref();
    this.#unsubscribe = notifications.subscribe(channel, {
      notified: (payload) => {
        if (!payload || payload === "reload schema") this.refresh().catch(() => {});
        else if (payload === "reload config") this.refreshSettings().catch(() => {});
      },
      listening: (_query, again) => {
        this.#listening = true;
        resolve();
        // Notifications are lost while not listening, so the schema is reread; also after a failed read.
        const missed = again || this.#missedNotifications;
        if (missed || (!this.#current && !this.#running)) this.refresh().catch(() => {});
      },
      lost: () => {
        this.#listening = false;
        resolve();
        if (!this.#closed) this.#options.onListenerLost?.();
      },
    });
  }
}

/** The options that reading needs. */
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
    const { settings, version } = await readSettings(options, lease, options.databaseSettings);
    const { schemas, extraSearchPath } = settings;
    const answers = await lease.run([
      statement("begin isolation level repeatable read read only"),
      statement("set local search_path = ''"),
      statement(catalogQuery(version), [arrayLiteral(schemas), arrayLiteral(extraSearchPath)]),
      statement("commit"),
    ]);
    const catalog = JSON.parse(String(answers[2]?.[0]?.text(0))) as Catalog;
    return { settings, cache: buildSchemaCache(catalog, settings.hoistedSettings) };
  } finally {
    lease.release();
  }
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
  { settings, databaseSettings, log, rereadSettings }: SnapshotOptions,
  lease: Lease,
  again: boolean,
): Promise<{ settings: RestSettings; version: number }> {
  const base = rereadSettings?.(again) ?? settings;
  const [entry = "", ...entries] = textsOf((await lease.run([statement(CONFIG_QUERY)]))[0]);
  const version = Number(entry.split("=")[1]);
  if (!databaseSettings) return { settings: base, version };
  const tell = (problem: string) => log.warn(problem);
  const { preConfig } = base;
  try {
    const own = preConfig === undefined ? [] : await preConfigured(lease, preConfig);
    return { settings: withDatabaseSettings(base, [...own, ...entries], tell), version };
  } catch (error) {
    if (!(error instanceof PostgresError)) throw error;
    // Upstream continues without the database's settings (PostgREST, AppState/Reload.hs, readInDbConfig).
    log.error(`Failed to query database settings for the config parameters. ${error.message}`);
    return { settings: base, version };
  }
}

/** The settings that the function of `db-pre-config` makes. @throws PostgresError */
async function preConfigured(lease: Lease, name: string): Promise<string[]> {
  try {
    const answers = await lease.run([
      statement("begin read only"),
      statement(`select ${functionName(name)}()`),
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
