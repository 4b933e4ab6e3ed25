/**
 * Owns the gateway in front of a Backend's services: a path prefix per service, API keys, rejecting secret
 * keys from foreign pages, CORS, WebSocket upgrades. Services never see an opaque key.
 */
import type { Duplex } from "node:stream";
import type { Log } from "../core/log.ts";
import { isUuid } from "../core/uuid.ts";
import { jsonResponse, refuseUpgrade, type Service, type ServiceResponse } from "../http/exchange.ts";
import { EXPOSED } from "../http/exposed-headers.ts";
import { OwnOrigins } from "../http/origins.ts";
import type { RequestRecords } from "../http/records.ts";
import type { HttpRequest } from "../http/request.ts";
import { refuseForeign } from "../http/secret-rights.ts";
import { failureResponse, HttpServer } from "../http/server.ts";
import type { HttpLimits } from "../http/server-limits.ts";
import type { Keys } from "../tokens/keys.ts";
import { type Refusal, refuseWithoutSecretKey, translateKey } from "./api-key.ts";
import { isPreflight, preflightHeaders } from "./cors.ts";
import { carriesSecretKey } from "./foreign-secrets.ts";
import { NO_ROUTE, type Route, route, type ServiceName } from "./routes.ts";

export interface GatewayOptions {
  keys: Keys;
  log: Log;
  /** The service by name; rejects or throws while it is not available. */
  service(name: ServiceName): Service | Promise<Service>;
  /**
   * Behave as the gateway of the CLI's stack: requests without a key reach the services as anonymous (hosted
   * rejects them), and the gateway answers the preflights of functions (on hosted the function does).
   */
  keylessAllowed?: boolean;
  /** Origins of the app, which may use secret keys as loopback origins may. */
  pages?: readonly string[];
  /** The API's public URLs besides loopback. */
  urls?: readonly string[];
  limits?: Partial<HttpLimits>;
  records?: RequestRecords;
  /** The response to every request while no service runs; undefined while they do. */
  closed?(): ServiceResponse | undefined;
}

const ID_HEADER = "sb-request-id";
/** Set by functions for their calls (functions/runtime/identity.ts). */
const PARENT_HEADER = "sb-parent-request-id";
const GATEWAY_VERSION = "2";
/** What the record has as claims where a request has only a key: the key's role. */
const CLAIMS = { anon: '{"role":"anon"}', service_role: '{"role":"service_role"}' } as const;
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The HTTP server of one Backend. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #server: HttpServer;
  #origins: OwnOrigins;
  /** Requests that a service is handling. */
  readonly #handling = new Map<Promise<ServiceResponse>, ServiceName>();

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#origins = this.#originsAt("127.0.0.1");
    this.#server = new HttpServer({
      log: options.log,
      limits: options.limits,
      records: options.records,
      handle: (request) => this.#handle(request),
      upgrade: (request, socket, head) => this.#upgrade(request, socket, head),
      headers: ({ id }) => ({
        [ID_HEADER]: id,
        "sb-gateway-version": GATEWAY_VERSION,
      }),
    });
  }

  /** Opens the port; 0 lets the system choose. @throws PortTaken */
  async listen(port: number, host = "127.0.0.1"): Promise<number> {
    this.#origins = this.#originsAt(host);
    return (await this.#server.listen({ port, host })) ?? port;
  }

  /** Closes the port and idle connections; requests in flight get a moment to finish. */
  close(): Promise<void> {
    return this.#server.close();
  }

  /** Ends every connection and listens again on the same port. */
  restart(): Promise<void> {
    return this.#server.restart();
  }

  /** Resolves when no request to these services is being handled any more; requests that wait for a service do not count. */
  async handled(names: readonly ServiceName[]): Promise<void> {
    const of = () =>
      [...this.#handling].filter(([, name]) => names.includes(name)).map(([handling]) => handling);
    for (let all = of(); all.length > 0; all = of()) await Promise.allSettled(all);
  }

  #originsAt(boundTo: string): OwnOrigins {
    const { pages = [], urls = [] } = this.#options;
    return new OwnOrigins({ pages, urls, boundTo });
  }

  async #handle(request: HttpRequest): Promise<ServiceResponse> {
    const { method, path, query } = request;
    const closed = this.#options.closed?.();
    if (closed) return closed;
    const found = route(path);
    if (!found) return jsonResponse(404, NO_ROUTE);
    request.record.service = found.service;
    takeParent(request);
    // On hosted a function handles CORS itself; the gateway of the CLI's stack handles it for every service.
    const own = found.ownPagesOnly || (found.service === "functions" && !this.#options.keylessAllowed);
    if (!own && isPreflight(method, request.headers)) {
      return { status: 200, headers: preflightHeaders(request.headers), body: "" };
    }
    const refusal = this.#admit(request, found, query);
    const response = refusal ?? (await this.#answer(found.service, request));
    // A function may pass on the response of another request, with that one's id.
    response.headers[ID_HEADER] = request.id;
    if (!own) response.headers["access-control-allow-origin"] ??= "*";
    // PostgREST sends this header for every request with an Origin, and hosted's gateway passes it on.
    if (found.service === "rest" && request.headers.origin !== undefined) {
      response.headers["access-control-expose-headers"] ??= EXPOSED;
    }
    if (!own && request.headers.origin !== undefined) exposeId(response);
    return response;
  }

  /** Prepares a request for its service, or returns the error. */
  #admit(request: HttpRequest, found: Route, query: string): ServiceResponse | undefined {
    const { keys, keylessAllowed } = this.#options;
    const [serviceQuery, queryKey] = takeKey(query);
    request.record.query = serviceQuery;
    const unfit = found.secretKeyNeeded && refuseWithoutSecretKey(request.headers, queryKey, keys);
    if (unfit) return keyRefused(request, unfit);
    // A secret key may also be the bearer alone.
    const keyNeeded = found.keyNeeded && !found.secretKeyNeeded && !keylessAllowed;
    const { refusal, authorization, role } = translateKey(
      request.headers,
      queryKey,
      keys,
      keyNeeded,
      found.service,
    );
    if (role) request.record.claims = CLAIMS[role];
    if (refusal) return keyRefused(request, refusal);
    // REST and functions have their own error messages for this.
    if (!METHODS.has(request.method) && found.service !== "rest" && found.service !== "functions") {
      return jsonResponse(405, { message: `Method ${request.method} is not allowed` }, { allow: ALLOW });
    }
    request.foreign = this.#origins.foreign(request.headers);
    if (request.foreign && carriesSecretKey(request, authorization, queryKey, keys)) {
      return refuseForeign(request.foreign);
    }
    request.route({ path: found.path, query: serviceQuery, authorization, headers: found.headers });
    return undefined;
  }

  async #answer(name: ServiceName, request: HttpRequest): Promise<ServiceResponse> {
    try {
      const service = this.#options.service(name);
      const handling = (service instanceof Promise ? await service : service).handle(request);
      this.#handling.set(handling, name);
      return await handling.finally(() => this.#handling.delete(handling));
    } catch (error) {
      return failureResponse(error, request, this.#options.log);
    }
  }

  async #upgrade(request: HttpRequest, socket: Duplex, head: Buffer): Promise<void> {
    const found = route(request.path);
    const refuse = (status: number, body: unknown) => {
      request.record.status = status;
      refuseUpgrade(socket, status, body);
    };
    const closed = this.#options.closed?.();
    if (closed) return refuse(closed.status, { message: String(closed.body) });
    if (!found) return refuse(404, NO_ROUTE);
    request.record.service = found.service;
    const refusal = this.#admit(request, found, request.query);
    if (refusal) return refuse(refusal.status, JSON.parse(String(refusal.body)));
    const service = await this.#options.service(found.service);
    if (!service.upgrade) return refuse(426, { message: "This service takes no WebSocket." });
    service.upgrade(request, socket, head);
  }
}

function keyRefused({ record }: HttpRequest, { status, code, body }: Refusal): ServiceResponse {
  record.code = code;
  return jsonResponse(status, body);
}

/** A page's developer asks about a request by this id, so its code may read it. */
function exposeId({ headers }: ServiceResponse): void {
  const exposed = headers["access-control-expose-headers"];
  headers["access-control-expose-headers"] = exposed ? `${exposed}, ${ID_HEADER}` : ID_HEADER;
}

/** Notes which request a function was answering when it made this one; the services do not see it. */
function takeParent({ headers, record }: HttpRequest): void {
  const parent = headers[PARENT_HEADER];
  if (parent === undefined) return;
  delete headers[PARENT_HEADER];
  if (typeof parent === "string" && isUuid(parent)) record.parent = parent;
}

const ALLOW = [...METHODS].join(", ");
/** Removes `apikey` from the query, because a service would read it as a parameter. */
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
