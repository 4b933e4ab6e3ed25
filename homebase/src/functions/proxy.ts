/** Owns passing a request on to a worker and its answer back, streamed both ways, headers untouched. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import type { ServiceRequest, ServiceResponse } from "../service/exchange.ts";
import { FunctionError } from "./errors.ts";
import type { Worker } from "./worker.ts";

const RESPONSE_PATIENCE_MS = 150_000;
/** Headers of one connection, not of the message (RFC 9110, 7.6.1). */
const HOP = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "proxy-connection",
]);

/** Sends the request to the worker; resolves when the answer's headers are there. */
export function forward(
  request: ServiceRequest,
  worker: Worker,
  publicUrl: string,
): Promise<ServiceResponse> {
  return new Promise((resolve, reject) => {
    const leave = worker.enter();
    const outgoing = httpRequest({
      socketPath: worker.socket,
      agent: worker.agent,
      method: request.method,
      path: target(request),
      headers: headersFor(request, publicUrl, false),
    });
    const patience = setTimeout(() => {
      outgoing.destroy(new FunctionError("IDLE_TIMEOUT"));
    }, RESPONSE_PATIENCE_MS);
    const done = () => {
      clearTimeout(patience);
      leave();
    };
    outgoing.on("response", (incoming: IncomingMessage) => {
      clearTimeout(patience);
      incoming.once("close", leave);
      resolve({
        status: incoming.statusCode ?? 502,
        statusText: incoming.statusMessage || undefined,
        headers: responseHeaders(incoming),
        body: incoming,
      } as ServiceResponse);
    });
    outgoing.on("error", (error) => {
      done();
      if (error instanceof FunctionError) return reject(error);
      // The process died under the request: wait for its end, which knows why.
      const verdict = () => reject(worker.killedFor ?? new FunctionError("WORKER_ERROR"));
      if (worker.ended || worker.killedFor) verdict();
      else void Promise.race([worker.gone, new Promise((later) => setTimeout(later, 500))]).then(verdict);
    });
    request.signal.addEventListener("abort", () => outgoing.destroy(), { once: true });
    request.body.on("error", () => outgoing.destroy());
    request.body.pipe(outgoing);
  });
}

/** Joins the client's socket with the worker's for a WebSocket; frames pass untouched. */
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

/** Inside a function the path keeps the function's name. */
function target(request: ServiceRequest): string {
  return request.query ? `${request.path}?${request.query}` : request.path;
}

function headersFor(request: ServiceRequest, publicUrl: string, upgrade: boolean): string[] {
  const outside = new URL(publicUrl);
  const headers: string[] = [];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] ?? "";
    const lower = name.toLowerCase();
    if (lower === "authorization" || lower.startsWith("x-forwarded-")) continue;
    if (HOP.has(lower) && !upgrade) continue;
    headers.push(name, request.rawHeaders[index + 1] ?? "");
  }
  if (request.authorization) headers.push("authorization", request.authorization);
  headers.push("x-forwarded-for", request.remoteAddress);
  headers.push("x-forwarded-proto", outside.protocol.slice(0, -1));
  headers.push("x-forwarded-host", request.headers.host ?? outside.host);
  headers.push("x-forwarded-port", outside.port || (outside.protocol === "https:" ? "443" : "80"));
  return headers;
}

function responseHeaders(incoming: IncomingMessage): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    const name = (incoming.rawHeaders[index] ?? "").toLowerCase();
    const value = incoming.rawHeaders[index + 1] ?? "";
    if (HOP.has(name)) continue;
    const present = headers[name];
    headers[name] =
      present === undefined ? value : Array.isArray(present) ? [...present, value] : [present, value];
  }
  return headers;
}
