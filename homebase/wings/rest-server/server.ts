/**
 * Owns the standalone HTTP server: paths at the root, no API key, its own CORS; and the admin port (PostgREST
 * documentation, "Admin Server").
 */
import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { systemClock } from "../../src/core/clock.ts";
import type { ServiceResponse } from "../../src/http/exchange.ts";
import type { HttpRequest } from "../../src/http/request.ts";
import { HttpServer } from "../../src/http/server.ts";
import { Notifications } from "../../src/postgres/notifications.ts";
import { ConnectionLost } from "../../src/postgres/pipeline/connection.ts";
import { ConnectionRefused, type PipelinePool } from "../../src/postgres/pipeline/pool.ts";
import { adminPaths } from "../../src/rest/admin/admin.ts";
import type { RestError } from "../../src/rest/errors.ts";
import { Metrics } from "../../src/rest/metrics.ts";
import { fromDatabase } from "../../src/rest/postgres-error.ts";
import {
  BODY_LIMIT,
  LOAD_TIMEOUT_MS,
  type RestSettings,
  SettingError,
} from "../../src/rest/postgrest-settings.ts";
import { VERSION } from "../../src/rest/postgrest-version.ts";
import { openRestService, type RestService } from "../../src/rest/service.ts";
import { connectionOf, openPool } from "./connection.ts";
import { corsHeaders, preflight } from "./cors.ts";
import { hostOf, type StandaloneConfig } from "./environment.ts";
import { hostChooser } from "./hosts.ts";
import type { LogLines } from "./log-lines.ts";

/** A running service. */
export interface Standalone {
  /**
   * Starts to serve after the first attempt to load the schema cache, unless it was closed before.
   * @throws the system's error when a port is in use.
   */
  listen(): Promise<void>;
  /** Rereads schema and settings, including the file's when the database supplies settings. */
  reload(): Promise<void>;
  /** Rereads settings, including the file's. */
  reloadSettings(): Promise<void>;
  /**
   * Lets requests in flight finish, and closes.
   * @param patience their grace period in milliseconds; the configured one by default.
   */
  close(patience?: number): Promise<void>;
}

/** SQLSTATEs of login failures that a retry cannot fix. */
const REFUSED = new Set(["28P01", "28000"]);
/** The SQLSTATE of `pg_terminate_backend` and of a server that stops. */
const ADMIN_SHUTDOWN = "57P01";
/** Failures of the request or the token, which have a line of their own only in the access log. */
const NOT_OF_DATABASE = /^PGRST[1-9]/;
/** One line about the exhausted pool stands for all of this time, as upstream (Logger.hs). */
const POOL_LINE_MS = 5_000;

/**
 * @param reread rereads the configuration, for the settings that may change at run time.
 * @param onFatal called when continuing is useless: Postgres rejects the login, or is unreachable and
 * retrying is disabled. The log has the reason.
 * @throws SettingError for an invalid connection string; the system's error when a port is in use.
 */
export async function serveRest(
  config: StandaloneConfig,
  lines: LogLines,
  reread: () => StandaloneConfig,
  onFatal: () => void,
): Promise<Standalone> {
  const { log, tell } = lines;
  tell(`Starting PostgREST ${VERSION}... (as Homebase implements it)`);
  const address = connectionOf(config.databaseUri);
  const pool = openPool(config, address, log);
  // Replicas have no LISTEN: of several hosts it uses one that accepts writes (PostgREST documentation, "Read
  // Replicas").
  const notifications = new Notifications(hostChooser(address, "read-write"), log);
  const metrics = new Metrics();
  const lost = () => {
    if (config.automaticRecovery) return;
    tell("Automatic recovery disabled, exiting.");
    onFatal();
  };
  let poolLineAt = Number.NEGATIVE_INFINITY;
  const requestFailed = (error: RestError) => {
    if (error.code === ADMIN_SHUTDOWN) lost();
    if (error.status < 500 || NOT_OF_DATABASE.test(error.code)) return;
    if (error.code === "PGRST003") {
      if (performance.now() - poolLineAt < POOL_LINE_MS) return;
      poolLineAt = performance.now();
    }
    log.error(error.body());
  };
  const service = openRestService({
    settings: config.settings,
    metrics,
    observer: {
      tell,
      requestFailed,
      loadFailed: (failure) => {
        const { cause } = failure as Error;
        if (REFUSED.has((cause as { code?: string } | undefined)?.code ?? "")) {
          tell(`Failed to establish a connection. ${fromDatabase(failure, false).body()}`);
          onFatal();
        } else if (failure instanceof ConnectionRefused || failure instanceof ConnectionLost) lost();
      },
      listenerLost: lost,
    },
    rereadSettings: (again) => (again ? settingsOf(config, reread, tell) : config.settings),
    pool,
    notifications,
    checkToken: undefined,
    cachedCheck: undefined,
    clock: systemClock,
    log,
    channel: config.channelEnabled ? config.channelName : undefined,
    databaseSettings: config.databaseSettings,
    tokenCacheEntries: config.tokenCacheEntries,
    loadTimeout: LOAD_TIMEOUT_MS,
    acquireTimeout: config.acquireSeconds * 1_000,
    bodyLimit: BODY_LIMIT,
  });
  const main = new HttpServer({
    log,
    handle: (request) => serve(service, lines, config.logQuery, request),
    // It answers 405 PGRST117, as to every other unknown method.
    trace: true,
  });
  const ending = new AbortController();
  let admin: HttpServer | undefined;
  const close = async (patience = config.shutdownSeconds * 1_000) => {
    ending.abort();
    await Promise.all([main.close(patience), admin?.close()]);
    await service.close();
    await Promise.all([pool.close(), notifications.close()]);
  };
  try {
    if (config.adminPort !== undefined || config.adminSocket !== undefined) {
      const listening = () => main.listening && (config.socket === undefined || existsSync(config.socket));
      admin = adminServer(listening, service, pool, metrics, config.channelEnabled, lines);
      const adminHost = hostOf(config.adminHost ?? config.hostText);
      const { adminSocket, adminSocketMode } = config;
      const adminPort = await admin.listen({
        host: adminHost,
        port: config.adminPort ?? 0,
        socket: adminSocket,
        socketMode: adminSocketMode,
      });
      tell(`Admin server listening on ${addressOf(adminHost, adminSocket, adminPort)}`);
    }
    const reload = () => service.reload();
    const reloadSettings = () => service.reloadSettings();
    const { socket, socketMode, reusePort } = config;
    const host = hostOf(config.hostText);
    const listen = async () => {
      // No request could be served before that; with a shared port another process serves until this one can.
      if (reusePort) await untilLoaded(service, ending.signal);
      else await service.loaded().catch(() => {});
      if (ending.signal.aborted) return;
      const port = await main.listen({ host, port: config.port, socket, socketMode, reusePort });
      // A restart serves on the port that the system chose.
      if (port !== undefined) config.port = port;
      tell(`API server listening on ${addressOf(host, socket, port)}`);
    };
    return { listen, reload, reloadSettings, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 32_000;

/** Reads the schema, retrying until it succeeds. */
async function untilLoaded(service: RestService, signal: AbortSignal): Promise<void> {
  for (let delay = FIRST_RETRY_MS; ; delay = Math.min(delay * 2, LONGEST_RETRY_MS)) {
    await service.loaded().catch(() => {});
    if (service.cache || signal.aborted) return;
    await setTimeout(delay, undefined, { signal }).catch(() => {});
  }
}

/** The admin server (PostgREST documentation, "Admin Server"). */
function adminServer(
  listening: () => boolean,
  service: RestService,
  pool: PipelinePool,
  metrics: Metrics,
  listens: boolean,
  { log }: LogLines,
): HttpServer {
  const handle = adminPaths({
    service,
    listening,
    // Without a listener only a query shows whether the database is reachable.
    connected: async () => listens || pool.run([PROBE]).then(...ANSWERED),
    metrics: () => metrics.toText(pool),
  });
  return new HttpServer({ log, handle });
}

const PROBE = { text: "select 1", values: [], prepare: false };
const ANSWERED = [() => true, () => false] as const;

/** The settings after a reload; the previous ones when they cannot be read. */
function settingsOf(
  config: StandaloneConfig,
  reread: () => StandaloneConfig,
  tell: LogLines["tell"],
): RestSettings {
  try {
    const fresh = reread();
    config.settings = fresh.settings;
    config.logLevel = fresh.logLevel;
    tell("Config reloaded");
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    tell(`Failed reloading config: ${error.message}`);
  }
  return config.settings;
}

function addressOf(host: string, socket: string | undefined, port: number | undefined): string {
  return socket ?? `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function serve(
  service: RestService,
  lines: LogLines,
  withStatement: boolean,
  request: HttpRequest,
): Promise<ServiceResponse> {
  const { corsOrigins } = service.settings;
  const { method, headers } = request;
  const early = preflight(method, headers, corsOrigins);
  if (early) return { status: 200, headers: early, body: "" };
  const response = await service.handle(request);
  Object.assign(response.headers, corsHeaders(headers, corsOrigins));
  const { status, body } = response;
  const { ran, role } = request.record;
  if (withStatement && ran && lines.includes(status)) lines.tell(ran.text);
  const bytes = typeof body === "string" || body instanceof Uint8Array ? Buffer.byteLength(body) : undefined;
  lines.access(request, { status, bytes, role });
  return response;
}
