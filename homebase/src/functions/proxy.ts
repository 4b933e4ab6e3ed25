/**
 * Owns forwarding a request to a worker and its response back, streamed in both directions, with unchanged
 * headers.
 */
import { isAscii } from "node:buffer";
import { connect } from "node:net";
import { type Duplex, Readable } from "node:stream";
import { isArriving, type ServiceRequest, type ServiceResponse } from "../http/exchange.ts";
import { NotReached, type OutgoingRequest } from "./connections.ts";
import { FunctionError } from "./errors.ts";
import type { Worker } from "./worker.ts";

const RESPONSE_PATIENCE_MS = 150_000;
/** Longer responses are streamed to the client. */
const SHORT_BODY = 16 * 1024;
/** Hop-by-hop headers (RFC 9110, 7.6.1). */
const HOP = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "proxy-connection",
  // The server has already sent 100 Continue.
  "expect",
]);

/**
 * Sends the request to the worker; resolves when the response's headers have arrived.
 * @throws NotReached when the worker has just ended; FunctionError
 */
export function forward(
  request: ServiceRequest,
  worker: Worker,
  publicUrl: string,
): Promise<ServiceResponse> {
  return new Promise((resolve, reject) => {
    const leave = worker.enter();
    const patience = setTimeout(() => {
      // A function that waits for the rest of the body is not the one that is late.
      const unsent = isArriving(request.body);
      reject(new FunctionError(unsent ? "REQUEST_TIMEOUT" : "IDLE_TIMEOUT"));
      exchange.abort();
    }, RESPONSE_PATIENCE_MS);
    // A short response of known length is buffered; others are streamed.
    let short: { response: ServiceResponse; chunks: Buffer[] } | undefined;
    let body: Readable | undefined;
    const abort = () => exchange.abort();
    const done = () => {
      clearTimeout(patience);
      request.signal.removeEventListener("abort", abort);
      leave();
    };
    const exchange = worker.connections.exchange(outgoing(request, publicUrl), {
      head: ({ status, statusText, headers, length }) => {
        clearTimeout(patience);
        for (const name of HOP) delete headers[name];
        const response: ServiceResponse = { status, headers, body: null };
        if (statusText) response.statusText = statusText;
        if (length !== undefined && length <= SHORT_BODY) {
          short = { response, chunks: [] };
          return;
        }
        body = new Readable({
          read: () => exchange.resume(),
          destroy: (error, closed) => {
            exchange.abort();
            closed(error);
          },
        });
        resolve({ ...response, body });
      },
      data: (bytes) => {
        if (short) short.chunks.push(bytes);
        else if (body?.push(bytes) === false) exchange.pause();
      },
      end: () => {
        done();
        body?.push(null);
        if (!short) return;
        const { response, chunks } = short;
        response.body = bodyOf(chunks);
        resolve(response);
      },
      error: (error) => {
        done();
        if (body) {
          body.destroy(error);
          return;
        }
        if (error instanceof NotReached) {
          reject(error);
          return;
        }
        // The process exited during the request: wait for its exit handler, which knows the reason.
        const verdict = () => reject(worker.killedFor ?? new FunctionError("WORKER_ERROR"));
        if (worker.ended || worker.killedFor) verdict();
        else void Promise.race([worker.gone, new Promise((later) => setTimeout(later, 500))]).then(verdict);
      },
    });
    if (request.signal.aborted) abort();
    else request.signal.addEventListener("abort", abort, { once: true });
  });
}

/** ASCII as a string: head and body are then sent in one write. */
function bodyOf(chunks: readonly Buffer[]): ServiceResponse["body"] {
  const [first] = chunks;
  if (!first) return null;
  const whole = chunks.length === 1 ? first : Buffer.concat(chunks);
  return isAscii(whole) ? whole.toString("latin1") : whole;
}

function outgoing(request: ServiceRequest, publicUrl: string): OutgoingRequest {
  return {
    method: request.method,
    target: target(request),
    headers: headersFor(request, publicUrl, false),
    body: hasBody(request) ? request.body : null,
    length: request.headers["content-length"],
  };
}

function hasBody({ headers }: ServiceRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Connects the client's socket with the worker's for a WebSocket; frames are not changed. */
export function forwardUpgrade(
  request: ServiceRequest,
  socket: Duplex,
  head: Buffer,
  worker: Worker,
  publicUrl: string,
): void {
  const leave = worker.enter();
  const upstream = connect(worker.socket, () => {
    const headers = headersFor(request, publicUrl, true);
    const lines = [`${request.method} ${target(request)} HTTP/1.1`];
    for (let index = 0; index < headers.length; index += 2)
      lines.push(`${headers[index]}: ${headers[index + 1]}`);
    upstream.write(`${lines.join("\r\n")}\r\n\r\n`);
    if (head.length > 0) upstream.write(head);
    upstream.pipe(socket);
    socket.pipe(upstream);
  });
  const end = () => {
    leave();
    upstream.destroy();
    socket.destroy();
  };
  for (const side of [upstream, socket]) side.on("error", end).on("close", end);
}

/** A function sees its own name in the path. */
function target(request: ServiceRequest): string {
  return request.query ? `${request.path}?${request.query}` : request.path;
}

function headersFor(request: ServiceRequest, publicUrl: string, upgrade: boolean): string[] {
  const outside = new URL(publicUrl);
  const headers: string[] = [];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] ?? "";
    const lower = name.toLowerCase();
    if (lower === "authorization" || lower === "sb-request-id") continue;
    if (lower.startsWith("x-forwarded-")) continue;
    if (HOP.has(lower) && !upgrade) continue;
    headers.push(name, request.rawHeaders[index + 1] ?? "");
  }
  if (request.authorization) headers.push("authorization", request.authorization);
  // The id associates the function's console output with the request.
  headers.push("sb-request-id", request.id);
  headers.push("x-forwarded-for", request.remoteAddress);
  headers.push("x-forwarded-proto", outside.protocol.slice(0, -1));
  headers.push("x-forwarded-host", request.headers.host ?? outside.host);
  headers.push("x-forwarded-port", outside.port || (outside.protocol === "https:" ? "443" : "80"));
  return headers;
}
