/**
 * Owns the service by itself over HTTP: paths at the root, no API key, CORS of its own; and the admin
 * port (PostgREST documentation, "Admin Server").
 */
import { systemClock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { ServiceResponse } from "../../http/exchange.ts";
import type { HttpRequest } from "../../http/request.ts";
import { Router } from "../../http/router.ts";
import { HttpServer } from "../../http/server.ts";
import { Notifications } from "../../postgres/notifications.ts";
import { Metrics } from "../metrics.ts";
import { BODY_LIMIT, LOAD_TIMEOUT_MS, type RestSettings } from "../options.ts";
import { openRestService, type RestService } from "../service.ts";
import { SettingError } from "../settings.ts";
import { connectionOf, openPool } from "./connection.ts";
import { corsHeaders, preflight } from "./cors.ts";
import { dumpSchema } from "./dump.ts";
import { hostOf, type StandaloneConfig } from "./environment.ts";

/** A running service. */
export interface Standalone {
  /** Where it listens: a URL, or the path of a socket. */
  address: string;
  adminAddress: string | undefined;
  /** Reads schema and settings again, also those of the file and of the environment. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** What Postgres says to a login that it will not accept later either. */
const REFUSED = new Set(["28P01", "28000"]);

/** Statements of requests that are not answered yet, by the request. */
type Statements = Map<string, string>;

/**
 * @param reread reads the configuration again, for the settings that may change while it runs.
 * @param onRefused is called when Postgres refuses the login: asking again would not help.
 * @throws SettingError for an unreadable database address; the system's error when a port is taken.
 */
export async function serveRest(
  config: StandaloneConfig,
  log: Log,
  reread: () => StandaloneConfig,
  onRefused?: (reason: Error) => void,
): Promise<Standalone> {
  const connection = connectionOf(config.databaseUri);
  const pool = openPool(config, connection);
  const notifications = new Notifications(connection);
  const metrics = new Metrics();
  const statements: Statements | undefined = config.logQuery ? new Map() : undefined;
  const service = openRestService({
    settings: config.settings,
    metrics,
    onLoadFailure: (failure) => {
      const { cause } = failure as Error;
      if (REFUSED.has((cause as { code?: string } | undefined)?.code ?? "")) onRefused?.(failure as Error);
    },
    rereadSettings: () => settingsOf(config, reread, log),
    ...(statements ? { onStatement: (id, text) => void statements.set(id, text) } : {}),
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
    acquireTimeout: config.acquireTimeout,
    bodyLimit: BODY_LIMIT,
  });
  const servers: HttpServer[] = [];
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()));
    await service.close();
    await Promise.all([pool.close(), notifications.close()]);
  };
  try {
    const main = new HttpServer({ log, handle: (request) => serve(service, log, statements, request) });
    const { socket, socketMode, reusePort } = config;
    const host = hostOf(config.hostText);
    const port = await main.listen({ host, port: config.port, socket, socketMode, reusePort });
    servers.push(main);
    let adminAddress: string | undefined;
    if (config.adminPort !== undefined || config.adminSocket !== undefined) {
      const router = new Router<AdminAnswer>([
        ["*", "/live", reachable(main, () => "")],
        ["*", "/ready", reachable(main, () => (service.ready ? "" : undefined))],
        ["*", "/schema_cache", () => adminText(service.cache ? dumpSchema(service.cache) : "")],
        ["*", "/metrics", () => ({ ...adminText(metrics.toText(pool)), headers: METRICS_HEADERS })],
      ]);
      const admin = new HttpServer({
        log,
        handle: ({ method, path }) =>
          router.match(method, path)?.handler() ?? { status: 404, headers: {}, body: "" },
      });
      const adminHost = hostOf(config.adminHost ?? config.hostText);
      const { adminSocket } = config;
      const adminPort = await admin.listen({
        host: adminHost,
        port: config.adminPort ?? 0,
        socket: adminSocket,
        socketMode: config.adminSocketMode,
        reusePort,
      });
      adminAddress = addressOf(adminHost, adminSocket, adminPort);
      servers.push(admin);
    }
    const address = addressOf(host, socket, port);
    return { address, adminAddress, reload: () => service.reload(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The settings that hold after a reload; those of before when they cannot be read any more. */
function settingsOf(config: StandaloneConfig, reread: () => StandaloneConfig, log: Log): RestSettings {
  try {
    const fresh = reread();
    config.settings = fresh.settings;
    config.logLevel = fresh.logLevel;
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    log.error(`Failed reloading config: ${error.message}`);
  }
  return config.settings;
}

function addressOf(host: string, socket: string | undefined, port: number | undefined): string {
  return socket ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function serve(
  service: RestService,
  log: Log,
  statements: Statements | undefined,
  request: HttpRequest,
): Promise<ServiceResponse> {
  const { corsOrigins } = service.settings;
  const { method, headers, path, query } = request;
  const early = preflight(method, headers, corsOrigins);
  if (early) return { status: 200, headers: early, body: "" };
  const response = await service.handle(request);
  Object.assign(response.headers, corsHeaders(headers, corsOrigins));
  const write = response.status >= 500 ? log.error : response.status >= 400 ? log.warn : log.info;
  write(`${method} ${path}${query ? `?${query}` : ""} ${response.status}`);
  const statement = statements?.get(request.id);
  if (statement !== undefined) write(statement);
  statements?.delete(request.id);
  return response;
}

type AdminAnswer = () => ServiceResponse;

/** Prometheus refuses an answer without a content type. */
const METRICS_HEADERS = { "content-type": "text/plain; charset=utf-8" };

/** @param text undefined while the answer is not known yet. */
function adminText(text: string | undefined): ServiceResponse {
  return { status: text === undefined ? 503 : 200, headers: {}, body: text ?? "" };
}

/** An answer that is 500 while no client can reach the service. */
function reachable(main: HttpServer, text: () => string | undefined): AdminAnswer {
  return () => (main.listening ? adminText(text()) : { ...adminText(text()), status: 500 });
}
