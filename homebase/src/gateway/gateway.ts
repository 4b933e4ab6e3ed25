/**
 * Owns what a Backend's requests meet before a service: a path prefix per service, API keys, the refusal
 * of secret keys to foreign pages, CORS, the request log, WebSocket upgrades. Services behind it never see
 * a key they would have to translate.
 */
import type { Duplex } from "node:stream";
import type { Log } from "../core/log.ts";
import { jsonResponse, refuseUpgrade, type Service, type ServiceResponse } from "../http/exchange.ts";
import type { HttpLimits } from "../http/limits.ts";
import { OwnOrigins } from "../http/origins.ts";
import type { HttpRequest } from "../http/request.ts";
import { failureResponse, HttpServer } from "../http/server.ts";
import { EXPOSED } from "../rest/standalone/cors.ts";
import type { Keys } from "../tokens/keys.ts";
import { translateKey } from "./api-key.ts";
import { isPreflight, preflightHeaders } from "./cors.ts";
import { type Route, route, type ServiceName } from "./routes.ts";
import { refuseForeign, usesSecretRights } from "./secret-rights.ts";

export interface GatewayOptions {
  keys: Keys;
  log: Log;
  /** The service of a name; rejects or throws while it is not there. */
  service(name: ServiceName): Service | Promise<Service>;
  /** Whether keyless requests reach the services as anonymous, as on the CLI's stack; hosted refuses. */
  keylessAllowed?: boolean;
  /** Addresses of the app's pages, which may use secret keys as pages on loopback may. */
  pages?: readonly string[];
  /** The API's public addresses beside loopback. */
  urls?: readonly string[];
  limits?: Partial<HttpLimits> | undefined;
}

const NO_ROUTE = { message: "no Route matched with those values" };
const GATEWAY_VERSION = "2";
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The HTTP front of one Backend. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #server: HttpServer;
  #origins: OwnOrigins;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#origins = this.#originsAt("127.0.0.1");
    this.#server = new HttpServer({
      log: options.log,
      limits: options.limits,
      handle: (request) => this.#handle(request),
      upgrade: (request, socket, head) => this.#upgrade(request, socket, head),
      headers: ({ id }) => ({
        "sb-request-id": id,
        "sb-gateway-version": GATEWAY_VERSION,
      }),
    });
  }

  /**
   * Opens the port; 0 lets the system choose.
   * @throws PortTaken
   */
  async listen(port: number, host = "127.0.0.1"): Promise<number> {
    this.#origins = this.#originsAt(host);
    return (await this.#server.listen({ port, host })) ?? port;
  }

  /** Closes the port and the connections that are idle; running requests may finish for a moment. */
  close(): Promise<void> {
    return this.#server.close();
  }

  #originsAt(boundTo: string): OwnOrigins {
    const { pages = [], urls = [] } = this.#options;
    return new OwnOrigins({ pages, urls, boundTo });
  }

  async #handle(request: HttpRequest): Promise<ServiceResponse> {
    const started = performance.now();
    const { method, path, query } = request;
    const found = route(path);
    if (!found) return jsonResponse(404, NO_ROUTE);
    const functions = found.service === "functions";
    // On hosted a function answers its own preflight; everybody else's is the gateway's.
    if (!functions && isPreflight(method, request.headers)) {
      return { status: 200, headers: preflightHeaders(request.headers), body: "" };
    }
    const refusal = this.#admit(request, found, query);
    const response = refusal ?? (await this.#answer(found.service, request));
    if (!functions) response.headers["access-control-allow-origin"] ??= "*";
    // PostgREST says this to every request with an origin, and hosted's gateway lets it through.
    if (found.service === "rest" && request.headers.origin !== undefined) {
      response.headers["access-control-expose-headers"] ??= EXPOSED;
    }
    this.#options.log.debug(`${method} ${path} ${response.status}`, {
      id: request.id,
      service: found.service,
      status: response.status,
      milliseconds: Math.round((performance.now() - started) * 10) / 10,
    });
    return response;
  }

  /** Makes a request the service's own, or says why it may not reach it. */
  #admit(request: HttpRequest, found: Route, query: string): ServiceResponse | undefined {
    const { keys, keylessAllowed } = this.#options;
    const [serviceQuery, queryKey] = takeKey(query);
    const keyNeeded = found.keyNeeded && !keylessAllowed;
    const { refusal, authorization } = translateKey(
      request.headers,
      queryKey,
      keys,
      keyNeeded,
      found.service,
    );
    if (refusal) return jsonResponse(refusal.status, refusal.body);
    // REST and functions have words of their own for it.
    if (!METHODS.has(request.method) && found.service !== "rest" && found.service !== "functions") {
      return jsonResponse(405, { message: `Method ${request.method} is not allowed` }, { allow: ALLOW });
    }
    request.foreign = this.#origins.foreign(request.headers);
    if (request.foreign && usesSecretRights(request, found, authorization, queryKey, keys)) {
      return refuseForeign(request.foreign);
    }
    request.route({ path: found.path, query: serviceQuery, authorization, headers: found.headers });
    return undefined;
  }

  async #answer(name: ServiceName, request: HttpRequest): Promise<ServiceResponse> {
    try {
      const service = this.#options.service(name);
      return await (service instanceof Promise ? await service : service).handle(request);
    } catch (error) {
      return failureResponse(error, request, this.#options.log);
    }
  }

  async #upgrade(request: HttpRequest, socket: Duplex, head: Buffer): Promise<void> {
    const found = route(request.path);
    if (!found) return refuseUpgrade(socket, 404, NO_ROUTE);
    const refusal = this.#admit(request, found, request.query);
    if (refusal) return refuseUpgrade(socket, refusal.status, JSON.parse(String(refusal.body)));
    const service = await this.#options.service(found.service);
    if (!service.upgrade) return refuseUpgrade(socket, 426, { message: "This service takes no WebSocket." });
    service.upgrade(request, socket, head);
  }
}

const ALLOW = [...METHODS].join(", ");
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
