/**
 * Owns the service by itself over HTTP: paths at the root, no API key, CORS of its own; and the admin
 * port (PostgREST documentation, "Admin Server").
 */
import { randomUUID } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { systemClock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import { goneSignal, type ServiceRequest, type ServiceResponse } from "../../http/exchange.ts";
import { Notifications } from "../../postgres/notifications.ts";
import { Metrics } from "../metrics.ts";
import { BODY_LIMIT, LOAD_TIMEOUT_MS, type RestSettings } from "../options.ts";
import { openRestService, type RestService } from "../service.ts";
import { SettingError } from "../settings.ts";
import { connectionOf, openPool } from "./connection.ts";
import { corsHeaders, preflight } from "./cors.ts";
import { dumpConfig, dumpSchema } from "./dump.ts";
import { hostOf, type StandaloneConfig } from "./environment.ts";

/** A running service. */
export interface Standalone {
  /** Where it listens: a URL, or the path of a socket. */
  address: string;
  adminAddress: string | undefined;
  /** Reads schema and settings anew, those of the file and of the environment too. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** What Postgres says to a login that it will not accept later either. */
const REFUSED = new Set(["28P01", "28000"]);

/** Statements of requests that are not answered yet, by the request. */
type Statements = Map<string, string>;

/**
 * @param reread reads the configuration anew, for the settings that may change while it runs.
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
  const servers: Server[] = [];
  const close = async () => {
    await Promise.all(servers.map(closeServer));
    await service.close();
    await Promise.all([pool.close(), notifications.close()]);
  };
  try {
    const main = createServer({ requestTimeout: 0 }, (incoming, outgoing) => {
      void serve(service, log, statements, incoming, outgoing);
    });
    const { port, socket, socketMode, reusePort } = config;
    const address = await listen(main, {
      host: hostOf(config.hostText),
      port,
      socket,
      socketMode,
      reusePort,
    });
    servers.push(main);
    let adminAddress: string | undefined;
    if (config.adminPort !== undefined || config.adminSocket !== undefined) {
      const answers = {
        "/live": () => "",
        "/ready": () => (service.ready ? "" : undefined),
        "/config": () => dumpConfig(config, service.settings),
        "/schema_cache": () => (service.cache ? dumpSchema(service.cache) : ""),
        "/metrics": () => metrics.toText(pool),
      };
      const admin = createServer((incoming, outgoing) => answerAdmin(main, answers, incoming, outgoing));
      adminAddress = await listen(admin, {
        host: hostOf(config.adminHost ?? config.hostText),
        port: config.adminPort ?? 0,
        socket: config.adminSocket,
        socketMode: config.adminSocketMode,
        reusePort,
      });
      servers.push(admin);
    }
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

type Place = Pick<StandaloneConfig, "port" | "socket" | "socketMode" | "reusePort"> & { host: string };

async function listen(server: Server, { host, port, socket, socketMode, reusePort }: Place): Promise<string> {
  // A socket that a killed run left would refuse the next one.
  if (socket !== undefined) rmSync(socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (socket === undefined) server.listen({ port, host, reusePort }, resolve);
    else server.listen(socket, resolve);
  });
  if (socket !== undefined) {
    chmodSync(socket, socketMode);
    return socket;
  }
  return `http://${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const patience = setTimeout(() => server.closeAllConnections(), 1_000);
  await closed;
  clearTimeout(patience);
}

/** A request as the service sees it; the abort signal is made only when asked for. */
class RootRequest implements ServiceRequest {
  readonly id = randomUUID();
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly authorization: string | undefined;
  readonly remoteAddress: string;
  readonly body: Readable;
  readonly #outgoing: ServerResponse;
  #signal: AbortSignal | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    const url = incoming.url ?? "/";
    const mark = url.indexOf("?");
    this.method = incoming.method ?? "GET";
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? "" : url.slice(mark + 1);
    this.headers = incoming.headers;
    this.rawHeaders = incoming.rawHeaders;
    this.authorization = incoming.headers.authorization;
    this.remoteAddress = incoming.socket.remoteAddress ?? "";
    this.body = incoming;
    this.#outgoing = outgoing;
  }

  get signal(): AbortSignal {
    this.#signal ??= goneSignal(this.#outgoing);
    return this.#signal;
  }
}

async function serve(
  service: RestService,
  log: Log,
  statements: Statements | undefined,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { corsOrigins } = service.settings;
  const early = preflight(incoming.method ?? "", incoming.headers, corsOrigins);
  if (early) {
    outgoing.writeHead(200, { ...early, "content-length": "0" }).end();
    return;
  }
  const request = new RootRequest(incoming, outgoing);
  const response = await service.handle(request);
  Object.assign(response.headers, corsHeaders(incoming.headers, corsOrigins));
  send(outgoing, response);
  const write = response.status >= 500 ? log.error : response.status >= 400 ? log.warn : log.info;
  write(`${request.method} ${incoming.url ?? "/"} ${response.status}`);
  const statement = statements?.get(request.id);
  if (statement !== undefined) write(statement);
  statements?.delete(request.id);
}

function send(outgoing: ServerResponse, { status, statusText, headers, body }: ServiceResponse): void {
  // The REST service answers texts and bytes only, and null where there is no body.
  const content = typeof body === "string" || body instanceof Uint8Array ? body : undefined;
  if (content !== undefined && status !== 204 && status !== 304) {
    headers["content-length"] ??= String(Buffer.byteLength(content));
  }
  if (statusText === undefined) outgoing.writeHead(status, headers);
  else outgoing.writeHead(status, statusText.replace(/[^\t\x20-\x7e]/g, "?"), headers);
  outgoing.end(content);
}

type AdminAnswers = Record<string, () => string | undefined>;

/** 200 with what there is to say; 503 where there is nothing yet, 500 when nobody can reach the service. */
function answerAdmin(
  main: Server,
  answers: AdminAnswers,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const path = (incoming.url ?? "").replace(/\?.*$/s, "");
  const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
  if (!answer) {
    outgoing.writeHead(404).end();
    return;
  }
  const text = answer();
  const reached = main.listening || (path !== "/live" && path !== "/ready");
  outgoing.writeHead(!reached ? 500 : text === undefined ? 503 : 200).end(text);
}
