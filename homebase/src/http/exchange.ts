/**
 * Owns the types between the gateway and a service: a request with its prefix removed and its key translated,
 * and the response. Plain objects and Node streams rather than the web's `Request` and `Response`, whose
 * construction costs more time than a by-key read (docs/decisions/0004-exchange.md).
 */
import { type IncomingHttpHeaders, type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex, Readable, Writable } from "node:stream";
import type { RequestRecord } from "./records.ts";

/** An HTTP request as a service sees it. */
export interface ServiceRequest {
  /** Unique per request, also in the log and in the `sb-request-id` response header. */
  readonly id: string;
  readonly method: string;
  /** Begins with "/", without the service's prefix, still percent-encoded. */
  readonly path: string;
  /** The raw query without "?", "" when there is none. */
  readonly query: string;
  /** Lower-case names, as Node folds them. */
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternating, as received, with duplicates. */
  readonly rawHeaders: readonly string[];
  /**
   * The `Authorization` value after key translation (docs/compat/platform.md 2.2): opaque keys are replaced
   * by their JWT. Undefined without one.
   */
  readonly authorization: string | undefined;
  readonly remoteAddress: string;
  /**
   * Why this request may not use secret rights: it comes from a foreign web page or under a foreign host
   * name. Undefined when it may. The gateway rejects secret keys accordingly; a service checks the role of
   * each token that it has verified (secret-rights.ts).
   */
  readonly foreign?: Foreign;
  /** Where a service notes what it ran, for whoever asks later. */
  readonly record?: RequestRecord;
  /** The body, unread. */
  readonly body: Readable;
  /** Aborted when the client disconnects before the response is complete. Created on first use. */
  readonly signal: AbortSignal;
}

export type ServiceBody = string | Uint8Array | Readable | null;

/** A service's response. Header names in lower case; `content-length` is set for strings and bytes. */
export interface ServiceResponse {
  status: number;
  /** Reason phrase, if it differs from the standard one. */
  statusText?: string;
  headers: Record<string, string | string[]>;
  body: ServiceBody;
}

/** Why a request may not use secret rights, as a message to the client. */
export interface Foreign {
  /** What is foreign: the Host, or else the page. */
  by: "host" | "page";
  message: string;
  hint: string;
}

/** One of the services behind the gateway. */
export interface Service {
  handle(request: ServiceRequest): Promise<ServiceResponse>;
  /** Takes over an upgrade, e.g. to WebSocket; must respond or destroy the socket. */
  upgrade?(request: ServiceRequest, socket: Duplex, head: Buffer): void;
  /** Initialises a new database, e.g. storage creates the buckets of config.toml. */
  prepare?(): Promise<void>;
  /** Repairs the effects of a Postgres crash, e.g. files whose rows were never committed. */
  recover?(): Promise<void>;
  /**
   * Closes the service's connections, timers and child processes. In-flight requests may finish.
   * @param reason for clients that stay connected, in at most 123 bytes
   */
  close(reason?: string): Promise<void>;
}

/**
 * A signal that aborts when the client disconnects. @param end the object that closes at the end of the
 * exchange: the response, or an upgraded socket.
 */
export function disconnectSignal(end: Writable): AbortSignal {
  const controller = new AbortController();
  // Closed before everything was written: the client disconnected, perhaps before this call.
  const gone = () => {
    if (!end.writableFinished) controller.abort();
  };
  if (end.closed) gone();
  else end.once("close", gone);
  return controller.signal;
}

/** Thrown by `readBody` when the body is longer than allowed. */
export class BodyTooLarge extends Error {
  readonly limit: number;
  constructor(limit: number) {
    super(`The request body is larger than ${limit} bytes.`);
    this.limit = limit;
  }
}

/** Thrown by `readBody` when the body ended early: usually the client has disconnected. */
export class BodyBroken extends Error {
  constructor() {
    super("The request body broke off.");
  }
}

/** Thrown by `readBody` when a large body arrived slowly while others waited for its memory. */
export class BodyTooSlow extends Error {
  constructor() {
    super("The request body arrived too slowly while other large ones waited.");
  }
}

/**
 * Waits until there is memory for a large body of so many bytes.
 * @param end breaks the body off.
 */
export type AdmitBody = (bytes: number, end: () => void) => Promise<void>;

/**
 * Reads a whole body into memory. @param limit maximum size in bytes; beyond it the rest is discarded and
 * BodyTooLarge is thrown. @param admit is awaited before a large body takes memory.
 */
export async function readBody(request: ServiceRequest, limit: number, admit?: AdmitBody): Promise<Buffer> {
  const declared = Number(request.headers["content-length"]);
  if (declared > limit) {
    request.body.resume();
    throw new BodyTooLarge(limit);
  }
  let stop: (error: Error) => void = () => {};
  const tooSlow = () => {
    stop(new BodyTooSlow());
    request.body.resume();
  };
  if (declared >= LARGE_BYTES) await admit?.(declared, tooSlow);
  // Listeners rather than an async iterator, which costs more time than parsing a small body.
  return new Promise((resolve, reject) => {
    const { body } = request;
    // A large body of known length is read in place: a list of its parts would need its memory twice.
    const whole = declared >= LARGE_BYTES ? Buffer.allocUnsafeSlow(declared) : undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (error?: Error) => {
      body.off("data", take).off("end", end).off("error", cut).off("close", cut);
      if (error) reject(error);
      else if (whole) resolve(whole.subarray(0, size));
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size));
    };
    let admitted = declared >= 0 || !admit;
    stop = finish;
    const take = (chunk: Buffer) => {
      if (whole) chunk.copy(whole, size);
      else chunks.push(chunk);
      size += chunk.length;
      if (!admitted && size >= LARGE_BYTES && admit) {
        admitted = true;
        body.pause();
        admit(limit, tooSlow).then(() => body.resume(), finish);
      }
      if (size <= limit) return;
      finish(new BodyTooLarge(limit));
      body.resume();
    };
    const end = () => finish();
    const cut = () => finish(new BodyBroken());
    body.on("data", take).on("end", end).on("error", cut).on("close", cut);
    // A stream that has already ended emits no more events.
    if (body.readableEnded || body.destroyed) cut();
  });
}

const LARGE_BYTES = 1024 * 1024;

/** Whether the rest of a body is still to come. */
export function isArriving(body: Readable): boolean {
  return !body.destroyed && (body as Partial<IncomingMessage>).complete === false;
}

/** A JSON response. */
export function jsonResponse(
  status: number,
  value: unknown,
  headers: Record<string, string | string[]> = {},
): ServiceResponse {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(value),
  };
}

/** Responds to an upgrade with an HTTP error, JSON when there is a body, and closes the connection. */
export function refuseUpgrade(socket: Duplex, status: number, body?: unknown): void {
  const text = body === undefined ? "" : JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Refused"}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(text)}`,
    "connection: close",
  ];
  // A client that never closes its side would keep the connection open.
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`, () => socket.destroy());
}
