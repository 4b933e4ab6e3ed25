/**
 * Owns the HTTP server for the gateway, the standalone REST service and the inbox. An error anywhere in a
 * request ends that request with a 500 and its id; slow and malformed requests get an error response; the
 * process continues.
 */
import { chmodSync, rmSync } from "node:fs";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo } from "node:net";
import { type Duplex, Readable } from "node:stream";
import { errorBoundary, errorText } from "../core/error-boundary.ts";
import type { Log } from "../core/log.ts";
import { keepsAlive, released } from "../core/process-life.ts";
import { databaseOutage } from "../postgres/trouble.ts";
import {
  BodyBroken,
  jsonResponse,
  refuseUpgrade,
  type ServiceRequest,
  type ServiceResponse,
} from "./exchange.ts";
import { PortTaken } from "./port-taken.ts";
import type { RequestRecord, RequestRecords } from "./records.ts";
import { HttpRequest } from "./request.ts";
import { ForeignRefused } from "./secret-rights.ts";
import { send } from "./send.ts";
import { DEFAULT_LIMITS, type HttpLimits } from "./server-limits.ts";
import { StallWatch } from "./stalls.ts";

export interface HttpServerOptions {
  log: Log;
  /** Handles a request. An exception becomes a 500, or 503 when the database is unavailable. */
  handle(request: HttpRequest): ServiceResponse | Promise<ServiceResponse>;
  /** Takes over a WebSocket upgrade; without it such requests are handled as plain ones. */
  upgrade?(request: HttpRequest, socket: Duplex, head: Buffer): void | Promise<void>;
  /** Default headers of every response, including the server's own errors. */
  headers?(request: HttpRequest): Record<string, string>;
  limits?: Partial<HttpLimits>;
  /** Keeps each request, those that are refused before the handler included. */
  records?: RequestRecords;
  /** Whether the handler answers TRACE itself. Otherwise it is refused, because it would repeat a request's secrets. */
  trace?: boolean;
}

/** Where to listen: a port (0 lets the system choose), or the path of a Unix socket. */
export interface ListenAddress {
  port?: number;
  host?: string;
  reusePort?: boolean;
  socket?: string;
  socketMode?: number;
}

/** Errors of a connection's parser and timeouts, with their responses. */
const CLIENT_ERRORS: Record<string, readonly [status: number, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request's headers did not arrive in time."],
  HPE_HEADER_OVERFLOW: [431, "The request's headers are too large."],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "The chunk extensions are too large."],
};
const MALFORMED = [400, "The request is not valid HTTP."] as const;

/** An HTTP server. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #limits: HttpLimits;
  readonly #server: Server;
  readonly #stalls: StallWatch;
  /** Sockets that a service has taken over: Node's server no longer ends them. */
  readonly #upgraded = new Set<Duplex>();
  /** One for all of them: of ten thousand idle sockets, what each holds is what counts. */
  readonly #leave: (this: Duplex) => void;
  #closing = false;
  /** The address that it listens on, once it does. */
  #address: ListenAddress | undefined;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const upgraded = this.#upgraded;
    this.#leave = errorBoundary(options.log, "the end of an upgraded socket", function (this: Duplex) {
      upgraded.delete(this);
    });
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#limits = limits;
    this.#stalls = new StallWatch(limits, options.log);
    const { upgrade } = options;
    this.#server = createServer(
      {
        keepAlive: true,
        headersTimeout: limits.headersMs,
        // Uploads may take any time while bytes arrive, which the stall watch checks.
        requestTimeout: 0,
        keepAliveTimeout: limits.keepAliveMs,
        connectionsCheckingInterval: limits.checkMs,
        maxHeaderSize: limits.headerBytes,
        // Some clients offer h2c with every request; it is ignored.
        shouldUpgradeCallback: ({ headers }) =>
          upgrade !== undefined && headers.upgrade?.toLowerCase() === "websocket",
      },
      errorBoundary(options.log, "a request", (incoming: IncomingMessage, outgoing: ServerResponse) =>
        this.#serve(incoming, outgoing),
      ),
    );
    this.#server.maxConnections = limits.sockets;
    if (!keepsAlive()) {
      this.#server.unref();
      this.#server.on("connection", released);
    }
    const { log } = options;
    this.#server.on("clientError", errorBoundary(log, "a broken request", refuseClient));
    const refuseTunnel = (_request: IncomingMessage, socket: Duplex) => {
      socket.on("error", destroySelf);
      refuseUpgrade(socket, 405, { message: "CONNECT is not supported: this is no proxy." });
    };
    this.#server.on("connect", errorBoundary(log, "a CONNECT request", refuseTunnel));
    if (upgrade) {
      const take = (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
        socket.on("error", destroySelf);
        return this.#upgrade(upgrade, new HttpRequest(incoming, socket), socket, head);
      };
      this.#server.on("upgrade", errorBoundary(log, "an upgrade", take));
    }
  }

  get listening(): boolean {
    return this.#server.listening;
  }

  /**
   * Starts to listen.
   * @returns the port, or undefined for a Unix socket.
   * @throws PortTaken, or the system's error.
   */
  async listen(address: ListenAddress): Promise<number | undefined> {
    const { port = 0, host = "127.0.0.1", reusePort, socket, socketMode } = address;
    // A socket left by a killed run would block the next one.
    if (socket !== undefined) rmSync(socket, { force: true });
    await new Promise<void>((resolve, reject) => {
      const refused = (error: NodeJS.ErrnoException) =>
        reject(error.code === "EADDRINUSE" && port !== 0 ? new PortTaken(port) : error);
      this.#server.once("error", refused);
      const ready = () => {
        this.#server.off("error", refused);
        // The system may fail to accept a connection, e.g. without free file descriptors; the next may
        // succeed.
        this.#server.on("error", (error) =>
          this.#options.log.error("A connection could not be accepted.", { error: String(error) }),
        );
        resolve();
      };
      if (socket !== undefined) this.#server.listen(socket, ready);
      else this.#server.listen({ port, host, reusePort }, ready);
    });
    this.#stalls.start();
    this.#address = address;
    if (socket === undefined) {
      const taken = (this.#server.address() as AddressInfo).port;
      this.#address = { ...address, port: taken };
      return taken;
    }
    if (socketMode !== undefined) chmodSync(socket, socketMode);
    return undefined;
  }

  /**
   * Stops listening and closes idle connections. @param patienceMs grace period of running requests and of WebSockets,
   * whose services have told their clients; Infinity for no limit.
   */
  async close(patienceMs: number = this.#limits.closeMs): Promise<void> {
    this.#stalls.stop();
    if (!this.#server.listening) return;
    this.#closing = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const patience =
      patienceMs === Number.POSITIVE_INFINITY
        ? undefined
        : setTimeout(() => {
            this.#server.closeAllConnections();
            for (const socket of this.#upgraded) socket.destroy();
          }, patienceMs);
    await closed;
    clearTimeout(patience);
  }

  /** Ends every connection and listens again on the same address. */
  async restart(): Promise<void> {
    const address = this.#address;
    if (!address) return;
    await this.close(0);
    this.#closing = false;
    await this.listen(address);
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = new HttpRequest(incoming, outgoing);
    // Reading or writing may fail at any time, and each reports its own failure.
    incoming.on("error", ignore);
    outgoing.on("error", ignore);
    if (hasBody(incoming)) this.#stalls.add(incoming, outgoing);
    let response: ServiceResponse;
    try {
      const given = this.#refusal(request) ?? this.#options.handle(request);
      response = given instanceof Promise ? await given : given;
    } catch (error) {
      response = failureResponse(error, request, this.#options.log);
    }
    this.#options.records?.add(answered(request.record, response));
    try {
      const defaults = this.#options.headers?.(request);
      for (const name in defaults) response.headers[name] ??= defaults[name] ?? "";
      // The connection would otherwise stay open for a next request, which is not accepted any more.
      if (this.#closing) response.headers.connection ??= "close";
      // An unread rest of the body would block the connection's next request.
      if (!incoming.readableEnded && !(response.body instanceof Readable)) incoming.resume();
      const sent = send(outgoing, request.method, response);
      if (sent) await sent;
    } catch (error) {
      this.#options.log.error(`${request.method} ${request.path} could not be answered.`, {
        id: request.id,
        error: errorText(error),
      });
      outgoing.destroy();
    }
  }

  #refusal(request: HttpRequest): ServiceResponse | undefined {
    const most = this.#limits.headerCount;
    if (request.rawHeaders.length > most * 2) {
      return jsonResponse(
        431,
        { message: `The request has more than ${most} headers.` },
        { connection: "close" },
      );
    }
    if (request.method === "TRACE" && !this.#options.trace) {
      return jsonResponse(405, { message: "TRACE is not supported." }, { allow: ALLOWED });
    }
    return undefined;
  }

  async #upgrade(
    upgrade: NonNullable<HttpServerOptions["upgrade"]>,
    request: HttpRequest,
    socket: Duplex,
    head: Buffer,
  ): Promise<void> {
    this.#upgraded.add(socket);
    socket.on("close", this.#leave);
    const { record } = request;
    try {
      await upgrade(request, socket, head);
      record.status ||= SWITCHING_PROTOCOLS;
    } catch (error) {
      const { status, body } = failureResponse(error, request, this.#options.log);
      refuseUpgrade(socket, status, JSON.parse(String(body)));
      record.status = status;
    }
    this.#options.records?.add(record);
  }
}

const SWITCHING_PROTOCOLS = 101;

function destroySelf(this: Duplex): void {
  this.destroy();
}

const FAILED = 400;

/** Notes a response in its request's record. */
function answered(record: RequestRecord, { status, body }: ServiceResponse): RequestRecord {
  record.status = status;
  if (status >= FAILED && (typeof body === "string" || Buffer.isBuffer(body))) record.failure = body;
  if (body === null) record.bytes = 0;
  else if (typeof body === "string") record.bytes = Buffer.byteLength(body);
  else if (!(body instanceof Readable)) record.bytes = body.byteLength;
  return record;
}

const ALLOWED = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/**
 * Responds to an exception of a handler: 403 for secret rights of a foreign page, 400 for an incomplete body. Others
 * are logged: 503 when the database is
 * unavailable, 500 with the request's id for everything else.
 */
export function failureResponse(error: unknown, request: ServiceRequest, log: Log): ServiceResponse {
  if (error instanceof ForeignRefused) return error.response();
  if (error instanceof BodyBroken) return jsonResponse(400, { message: error.message });
  const { id, method, path } = request;
  const trouble = databaseOutage(error);
  (trouble ? log.warn : log.error)(`${method} ${path} failed`, { id, error: errorText(error) });
  if (trouble) {
    return jsonResponse(
      503,
      { message: trouble.message, request_id: id },
      { "retry-after": trouble.retryAfter },
    );
  }
  return jsonResponse(500, {
    message: "An unexpected error happened; the log has it under this request_id.",
    request_id: id,
  });
}

/** Responds to an unparsable request, unless a response is in progress on the connection. */
function refuseClient(error: NodeJS.ErrnoException, socket: Duplex): void {
  const { _httpMessage: pending } = socket as Duplex & { _httpMessage?: ServerResponse | null };
  if (!socket.writable || error.code === "ECONNRESET" || pending?.headersSent) {
    socket.destroy();
    return;
  }
  const [status, message] = CLIENT_ERRORS[error.code ?? ""] ?? MALFORMED;
  const body = JSON.stringify({ message });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return (length !== undefined && length !== "0") || headers["transfer-encoding"] !== undefined;
}

function ignore(): void {}
