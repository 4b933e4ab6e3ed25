/**
 * Owns the HTTP front of a Backend: one port, a path prefix per service, API keys, CORS, request ids,
 * the request log, WebSocket upgrades. Services behind it never see a key they would have to translate.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Log } from "../core/log.ts";
import {
  goneSignal,
  refuseUpgrade,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from "../http/exchange.ts";
import { EXPOSED } from "../rest/standalone/cors.ts";
import type { Keys } from "../tokens/keys.ts";
import { translateKey } from "./api-key.ts";
import { isPreflight, preflightHeaders } from "./cors.ts";
import { route, type ServiceName } from "./routes.ts";

export interface GatewayOptions {
  keys: Keys;
  log: Log;
  /** The service of a name; rejects or throws while it is not there. */
  service(name: ServiceName): Service | Promise<Service>;
  /** Whether keyless requests reach the services as anonymous, as on the CLI's stack; hosted refuses. */
  keylessAllowed?: boolean;
}

/** A port is taken; `port` says which. */
export class PortTaken extends Error {
  readonly port: number;
  constructor(port: number) {
    super(`Port ${port} is taken.`);
    this.port = port;
  }
}

const NO_ROUTE = { message: "no Route matched with those values" };
const GATEWAY_VERSION = "2";

/** A request as the services see it; the abort signal is made only for those who ask. */
class GatewayRequest implements ServiceRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly authorization: string | undefined;
  readonly body: Readable;
  readonly #incoming: IncomingMessage;
  /** What closes when the exchange is over: the response, or an upgraded socket. */
  readonly #end: ServerResponse | Duplex;
  #signal: AbortSignal | undefined;

  constructor(
    incoming: IncomingMessage,
    end: ServerResponse | Duplex,
    fields: {
      path: string;
      query: string;
      authorization: string | undefined;
      extra?: Record<string, string> | undefined;
    },
  ) {
    this.id = randomUUID();
    this.method = incoming.method ?? "GET";
    this.path = fields.path;
    this.query = fields.query;
    this.headers = fields.extra ? { ...incoming.headers, ...fields.extra } : incoming.headers;
    this.rawHeaders = incoming.rawHeaders;
    this.authorization = fields.authorization;
    this.body = incoming;
    this.#incoming = incoming;
    this.#end = end;
  }

  get remoteAddress(): string {
    return this.#incoming.socket.remoteAddress ?? "127.0.0.1";
  }

  get signal(): AbortSignal {
    this.#signal ??= goneSignal(this.#end);
    return this.#signal;
  }
}

/** The HTTP front of one Backend. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #server: Server;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#server = createServer({ keepAlive: true, requestTimeout: 0 }, (incoming, outgoing) => {
      void this.#serve(incoming, outgoing);
    });
    this.#server.keepAliveTimeout = 65_000;
    this.#server.on("upgrade", (incoming, socket, head) => void this.#upgrade(incoming, socket, head));
  }

  /**
   * Opens the port; 0 lets the system choose.
   * @throws PortTaken
   */
  async listen(port: number, host = "127.0.0.1"): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (error: NodeJS.ErrnoException) =>
        reject(error.code === "EADDRINUSE" ? new PortTaken(port) : error),
      );
      this.#server.listen(port, host, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Closes the port and the connections that are idle; running requests may finish for a moment. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const patience = setTimeout(() => this.#server.closeAllConnections(), 1_000);
    await closed;
    clearTimeout(patience);
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const started = performance.now();
    const [pathname, query] = splitUrl(incoming.url ?? "/");
    const found = route(pathname);
    if (!found)
      return send(outgoing, "-", { status: 404, headers: JSON_TYPE, body: JSON.stringify(NO_ROUTE) });

    const functions = found.service === "functions";
    // On hosted a function answers its own preflight; everybody else's is the gateway's.
    if (!functions && isPreflight(incoming.method ?? "", incoming.headers)) {
      return send(outgoing, "-", { status: 200, headers: preflightHeaders(incoming.headers), body: "" });
    }
    const [serviceQuery, queryKey] = takeKey(query);
    const keyNeeded = found.keyNeeded && !this.#options.keylessAllowed;
    const key = translateKey(incoming.headers, queryKey, this.#options.keys, keyNeeded);
    const request = new GatewayRequest(incoming, outgoing, {
      path: found.path,
      query: serviceQuery,
      authorization: key.authorization,
      extra: found.headers,
    });
    let response: ServiceResponse;
    if (key.refusal) {
      incoming.resume();
      response = {
        status: key.refusal.status,
        headers: { ...JSON_TYPE },
        body: JSON.stringify(key.refusal.body),
      };
    } else {
      response = await this.#answer(found.service, request);
    }
    if (!functions) response.headers["access-control-allow-origin"] ??= "*";
    // PostgREST says this to every request with an origin, and hosted's gateway lets it through.
    if (found.service === "rest" && incoming.headers.origin !== undefined) {
      response.headers["access-control-expose-headers"] ??= EXPOSED;
    }
    await send(outgoing, request.id, response);
    this.#options.log.debug(`${request.method} ${pathname} ${response.status}`, {
      id: request.id,
      service: found.service,
      status: response.status,
      milliseconds: Math.round((performance.now() - started) * 10) / 10,
    });
  }

  async #answer(name: ServiceName, request: ServiceRequest): Promise<ServiceResponse> {
    try {
      const service = this.#options.service(name);
      return await (service instanceof Promise ? await service : service).handle(request);
    } catch (error) {
      this.#options.log.error(`${name} failed on ${request.method} ${request.path}`, {
        id: request.id,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
      return {
        status: 502,
        headers: { ...JSON_TYPE },
        body: JSON.stringify({
          message: "An invalid response was received from the upstream server",
          request_id: request.id,
        }),
      };
    }
  }

  async #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    const [pathname, query] = splitUrl(incoming.url ?? "/");
    const found = route(pathname);
    if (!found) return refuseUpgrade(socket, 404, NO_ROUTE);
    const [serviceQuery, queryKey] = takeKey(query);
    const keyNeeded = found.keyNeeded && !this.#options.keylessAllowed;
    const key = translateKey(incoming.headers, queryKey, this.#options.keys, keyNeeded);
    if (key.refusal) return refuseUpgrade(socket, key.refusal.status, key.refusal.body);
    const request = new GatewayRequest(incoming, socket, {
      path: found.path,
      query: serviceQuery,
      authorization: key.authorization,
    });
    try {
      const service = await this.#options.service(found.service);
      if (!service.upgrade)
        return refuseUpgrade(socket, 426, { message: "This service takes no WebSocket." });
      service.upgrade(request, socket, head);
    } catch (error) {
      this.#options.log.error(`${found.service} failed on an upgrade`, { error: String(error) });
      refuseUpgrade(socket, 502, { message: "An invalid response was received from the upstream server" });
    }
  }
}

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

function splitUrl(url: string): [pathname: string, query: string] {
  const mark = url.indexOf("?");
  return mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** Cuts `apikey` out of the query: it is the gateway's, and a service would take it for a parameter. */
function takeKey(query: string): [rest: string, key: string | undefined] {
  if (!query.includes("apikey=")) return [query, undefined];
  const parts = query.split("&");
  const own = parts.find((part) => part.startsWith("apikey="));
  if (own === undefined) return [query, undefined];
  const rest = parts.filter((part) => !part.startsWith("apikey=")).join("&");
  try {
    return [rest, decodeURIComponent(own.slice("apikey=".length))];
  } catch {
    return [rest, own.slice("apikey=".length)];
  }
}

async function send(outgoing: ServerResponse, id: string, response: ServiceResponse): Promise<void> {
  const { body, headers } = response;
  headers["sb-request-id"] ??= id;
  headers["sb-gateway-version"] ??= GATEWAY_VERSION;
  if (typeof body === "string") {
    if (response.status !== 204 && response.status !== 304)
      headers["content-length"] ??= String(Buffer.byteLength(body));
  } else if (body instanceof Uint8Array) headers["content-length"] ??= String(body.byteLength);
  if (response.statusText) outgoing.writeHead(response.status, response.statusText, headers);
  else outgoing.writeHead(response.status, headers);
  if (!(body instanceof Readable)) {
    outgoing.end(body ?? undefined);
    return;
  }
  outgoing.flushHeaders();
  // A client that went away, or a source that broke off: the connection is closed either way.
  await pipeline(body, outgoing).catch(() => {
    body.destroy();
    outgoing.destroy();
  });
}
