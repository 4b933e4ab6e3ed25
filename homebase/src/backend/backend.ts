/**
 * Owns a Backend: one database, one storage folder, one inbox, keys and a clock, behind one address.
 * The developer's own is one; each test gets another.
 */
import { mkdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { type Background, startBackground } from "../background/service.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import { Happenings } from "../core/happenings.ts";
import type { Log } from "../core/log.ts";
import { Gateway } from "../gateway/gateway.ts";
import { SERVICES, type ServiceName } from "../gateway/routes.ts";
import type { Service, ServiceResponse } from "../http/exchange.ts";
import { RequestRecords } from "../http/records.ts";
import type { HttpLimits } from "../http/server-limits.ts";
import type { ClusterClient } from "../postgres/cluster/cluster-client.ts";
import type { Database } from "../postgres/database.ts";
import type { SendMail, ServiceContext } from "../service-context.ts";
import type { Keys } from "../tokens/keys.ts";
import { keysOf } from "./create-keys.ts";
import {
  disabled,
  enabled,
  type Loader,
  loadersWith,
  notBuilt,
  notServed,
  onFirstRequest,
} from "./services.ts";
import type { BackendWing } from "./wing.ts";

export interface BackendOptions {
  cluster: ClusterClient;
  /** The database to serve; the caller creates it. */
  databaseName: string;
  config: Config;
  /** Created if missing. */
  storageFolder: string;
  sendMail: SendMail;
  clock: Clock;
  log: Log;
  /** 0 lets the system choose. */
  port: number;
  host?: string;
  /** The public URL, if it differs from `http://127.0.0.1:<port>`. */
  url?: string;
  /** Further addresses that it is reached by, through a proxy. */
  proxiedUrls?: readonly string[];
  keylessAllowed?: boolean;
  /** Replaces the configuration's keys, e.g. by those of a hosted project. */
  keys?: Keys;
  /** Keeps the keys of another issuer, and the one in its place. */
  issuerFile?: string;
  /** Overrides limits of the HTTP server. */
  limits?: Partial<HttpLimits> | undefined;
  /** How many of the last requests are kept in memory. */
  recorded?: number;
  /** Where the caller has begun to note what happens; its own by default. */
  happenings?: Happenings;
  /** Leaves jobs and requests of the database alone: for one that is about to be replaced. */
  jobless?: boolean;
  /** Features that can be left out; one that is not here responds 501. */
  wings?: readonly BackendWing[];
  /** Services that only a developer's Backend has, created by their first request. Without a list `/mcp` responds 404. */
  services?: Partial<Record<ServiceName, (backend: Backend) => Promise<Service>>>;
}

/** Keeps no process alive. */
const after = (milliseconds: number) => setTimeout(milliseconds, undefined, { ref: false });
const RESTART_PATIENCE_MS = 300;
/** Every other request waits as long. */
const DRAIN_PATIENCE_MS = 5_000;
/** The services whose requests change rows and files. */
const WRITING: readonly ServiceName[] = ["rest", "auth", "storage"];

/** One database, one storage folder, one inbox, keys and a clock, behind one URL. */
export class Backend {
  readonly config: Config;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
  /** The last requests. */
  readonly requests: RequestRecords;
  /** What happened besides. */
  readonly happenings: Happenings;
  readonly #options: BackendOptions;
  readonly #gateway: Gateway;
  #services = new Map<ServiceName, Promise<Service>>();
  #ready = new Map<ServiceName, Service>();
  /** While the database is being replaced: requests wait. */
  #suspended: { promise: Promise<void>; resume: () => void } | undefined;
  #suspensions = 0;
  /** The response to every request while it is paused. */
  #closed: (() => ServiceResponse) | undefined;
  #background: Background | undefined;
  #url = "";
  #port = 0;
  #databaseName: string;
  readonly #databaseLog: Log;

  private constructor(options: BackendOptions) {
    this.#options = options;
    this.#databaseName = options.databaseName;
    this.config = options.config;
    this.keys =
      options.keys ??
      keysOf(options.config, {
        issuerFile: options.issuerFile,
        clock: options.clock,
        log: options.log.named("auth"),
      });
    this.clock = options.clock;
    this.log = options.log;
    this.#databaseLog = options.log.named("database");
    this.requests = new RequestRecords(options.recorded);
    this.happenings = options.happenings ?? new Happenings();
    this.#gateway = new Gateway({
      keys: this.keys,
      log: options.log.named("gateway"),
      service: (name) => this.#service(name),
      ...(options.keylessAllowed ? { keylessAllowed: true } : {}),
      pages: [options.config.auth.site_url, ...options.config.auth.additional_redirect_urls],
      urls: [options.url, options.config.api.external_url, ...(options.proxiedUrls ?? [])].filter(
        (url) => url !== undefined,
      ),
      limits: options.limits,
      records: this.requests,
      closed: () => this.#closed?.(),
    });
  }

  /** Opens the port and starts the services; resolves when all of them are ready. @throws PortTaken */
  static async open(options: BackendOptions): Promise<Backend> {
    const backend = new Backend(options);
    mkdirSync(options.storageFolder, { recursive: true });
    const port = await backend.#gateway.listen(options.port, options.host);
    backend.#port = port;
    backend.#url = options.url ?? options.config.api.external_url ?? `http://127.0.0.1:${port}`;
    backend.#start();
    await Promise.all(backend.#services.values()).catch(async (error: unknown) => {
      await backend.close().catch(() => undefined);
      throw error;
    });
    return backend;
  }

  /** The API's address, without trailing slash. */
  get url(): string {
    return this.#url;
  }

  /** The port that the gateway listens on. */
  get port(): number {
    return this.#port;
  }

  get database(): Database {
    const database = this.#options.cluster.database(this.#databaseName);
    database.log = this.#databaseLog;
    return database;
  }

  /** A running service, e.g. for its figures in `status`. */
  service(name: ServiceName): Service | undefined {
    return this.#ready.get(name);
  }

  /** How often the database was replaced or at rest, and whether it is now: requests wait meanwhile. */
  get suspensions(): { count: number; now: boolean } {
    return { count: this.#suspensions, now: this.#suspended !== undefined };
  }

  /** Resolves at once, or when the services run again on the database that is in place then. */
  async available(): Promise<void> {
    while (this.#suspended) await this.#suspended.promise;
    await Promise.allSettled(this.#services.values());
  }

  /** The runner of pg_cron's jobs; undefined before the first of them. */
  get jobs(): ReturnType<Background["jobs"]> {
    return this.#background?.jobs();
  }

  /** Has the services initialise a new database: buckets from config.toml and the like. */
  async prepare(): Promise<void> {
    for (const service of await Promise.all(this.#services.values())) await service.prepare?.();
  }

  /** Has the services repair the effects of a Postgres crash, once Postgres runs again. */
  async recover(): Promise<void> {
    for (const service of await Promise.all(this.#services.values())) await service.recover?.();
  }

  /**
   * Disconnects the services from the database, lets `replace` put another in its place, and restarts them.
   * Requests wait meanwhile. If `replace` fails, the old database is served again.
   * @param options.reason for clients whose sockets are closed. @param options.drain whether statements and uploads that
   * have begun may end first, for a moment
   */
  async replaceDatabase(
    replace: () => Promise<string>,
    { reason, drain }: { reason?: string | undefined; drain?: boolean } = {},
  ): Promise<void> {
    await this.#whileSuspended(async () => {
      if (drain) {
        await Promise.race([this.#gateway.handled(WRITING), after(DRAIN_PATIENCE_MS)]);
      }
      await this.#stopServices(reason);
      await this.#options.cluster.release(this.#databaseName);
      this.#databaseName = await replace();
    });
  }

  /** Stops the services and their connections; the port stays open, and every request gets `response`. */
  async pause(response: () => ServiceResponse): Promise<void> {
    this.#closed = response;
    await this.#stopServices();
    await this.#options.cluster.release(this.#databaseName);
  }

  /** Starts the services again after `pause`. */
  async resume(): Promise<void> {
    this.#start();
    await Promise.all(this.#services.values());
    this.#closed = undefined;
  }

  /**
   * Restarts the services and their connections on the same port and database, after an error that may have left
   * any of them in a state that nobody knows. Requests in progress end.
   */
  async restart(): Promise<void> {
    await this.#whileSuspended(async () => {
      const stopped = Promise.allSettled([
        this.#stopServices(),
        this.#options.cluster.release(this.#databaseName),
      ]);
      // A service that does not close in this state is abandoned.
      await Promise.race([stopped, after(RESTART_PATIENCE_MS)]);
      await this.#gateway.restart();
    });
  }

  /** Requests wait until `work` has ended and the services are started again. */
  async #whileSuspended(work: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#suspended = { promise, resume: resolve };
    this.#suspensions += 1;
    try {
      await work();
    } finally {
      this.#start();
      this.#suspended = undefined;
      resolve();
    }
    await Promise.all(this.#services.values());
  }

  /** Closes port, services and connections. The database remains. */
  async close(): Promise<void> {
    await Promise.all([this.#gateway.close(), this.#stopServices()]);
    await this.#options.cluster.release(this.#databaseName);
  }

  #service(name: ServiceName): Service | Promise<Service> {
    if (this.#suspended) return this.#suspended.promise.then(() => this.#service(name));
    const ready = this.#ready.get(name);
    if (ready) return ready;
    const coming = this.#services.get(name);
    if (!coming) throw new Error(`The ${name} service is stopped.`);
    return coming;
  }

  #start(): void {
    const context = (name: string): ServiceContext => ({
      config: this.config,
      keys: this.keys,
      database: this.database,
      clock: this.clock,
      log: this.log.named(name),
      url: this.#url,
      storageFolder: this.#options.storageFolder,
      sendMail: this.#options.sendMail,
      happened: this.happenings.happened,
    });
    if (!this.#options.jobless) this.#background = startBackground(context("background"));
    const { wings = [], services } = this.#options;
    const all: Partial<Record<ServiceName, Loader>> = loadersWith(wings);
    if (!services) all.mcp = async () => notServed;
    for (const [name, create] of Object.entries(services ?? {}))
      all[name as ServiceName] = async () => onFirstRequest(() => create(this));
    for (const name of SERVICES) {
      const own = context(name);
      const load = enabled(name, own)
        ? (all[name] ?? (async () => notBuilt(name)))
        : async () => disabled(name, own.config.file);
      const coming = load(own, this.#services.get("rest"));
      this.#services.set(name, coming);
      // `open` reports a failure; this branch only records a success.
      coming.then((service) => this.#ready.set(name, service)).catch(() => undefined);
    }
  }

  async #stopServices(reason?: string): Promise<void> {
    const coming = [...this.#services.values()];
    await this.#background?.close();
    this.#services = new Map();
    this.#ready = new Map();
    const settled = await Promise.allSettled(coming);
    await Promise.all(
      settled.map((one) => (one.status === "fulfilled" ? one.value.close(reason) : undefined)),
    );
  }
}
