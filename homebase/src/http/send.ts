/**
 * Owns the way from an answer to bytes. Whatever a service puts into status, reason phrase, headers or
 * body, the client gets a whole answer or a closed connection, and the process goes on.
 */
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ServiceResponse } from "./exchange.ts";
import { cleanHeaders, cleanReason } from "./header-values.ts";

/** They belong to the connection, which is the front's alone (RFC 9110, 7.6.1). */
const CONNECTION_HEADERS = ["keep-alive", "transfer-encoding", "trailer", "upgrade"] as const;

/** Statuses without a body (RFC 9110, 6.4.1). */
const BODILESS = new Set([204, 304]);

/**
 * Writes an answer and resolves when it is handed to the connection, or the connection is gone.
 * @param method the request's: the answer to HEAD has no body but the headers of one.
 */
export function send(
  outgoing: ServerResponse,
  method: string,
  response: ServiceResponse,
): Promise<void> | undefined {
  const { body, headers } = response;
  if (outgoing.headersSent || outgoing.destroyed) {
    // The client is gone, or was answered when its body stalled.
    if (body instanceof Readable) body.on("error", () => {}).destroy();
    return undefined;
  }
  for (const name of CONNECTION_HEADERS) if (name in headers) delete headers[name];
  // A service that leaves a body unread may ask for the connection's end, and for nothing else of it.
  if (headers.connection !== undefined && headers.connection !== "close") delete headers.connection;
  const bodiless = method === "HEAD" || BODILESS.has(response.status);
  if (body instanceof Readable) {
    if (!bodiless) return sendStream(outgoing, response, body);
    body.on("error", () => {}).destroy();
    writeHead(outgoing, response);
    outgoing.end();
    return undefined;
  }
  const length = body === null ? 0 : Buffer.byteLength(body);
  // A service that counts its own bytes may err, and the client would wait for the rest.
  if (!bodiless) headers["content-length"] = String(length);
  else if (method === "HEAD" && length > 0) headers["content-length"] ??= String(length);
  writeHead(outgoing, response);
  outgoing.end(bodiless ? undefined : (body ?? undefined));
  return undefined;
}

/** Writes status and headers; what HTTP cannot carry is cleaned, and a status that is none becomes 500. */
function writeHead(outgoing: ServerResponse, { status, statusText, headers }: ServiceResponse): void {
  const known = Number.isInteger(status) && status >= 200 && status <= 599 ? status : 500;
  // Node checks every value itself: looking again before would cost each answer time.
  try {
    if (statusText) outgoing.writeHead(known, statusText, headers);
    else outgoing.writeHead(known, headers);
  } catch (error) {
    if (outgoing.headersSent) throw error;
    const clean = cleanHeaders(headers);
    if (statusText) outgoing.writeHead(known, cleanReason(statusText), clean);
    else outgoing.writeHead(known, clean);
  }
}

/** A source that breaks off, or does not keep the length it promised, closes the connection. */
async function sendStream(
  outgoing: ServerResponse,
  response: ServiceResponse,
  body: Readable,
): Promise<void> {
  // Unheard, an error that comes before the pipeline listens would end the process.
  body.on("error", () => {});
  const promised = response.headers["content-length"];
  const length = promised === undefined ? undefined : Number(promised);
  let left = length ?? 0;
  if (length !== undefined) {
    body.on("data", (chunk: string | Uint8Array) => {
      left -= Buffer.byteLength(chunk);
      if (left < 0) body.destroy(new Error("The body is longer than its content-length."));
    });
    body.pause();
  }
  try {
    writeHead(outgoing, response);
    outgoing.flushHeaders();
    await pipeline(body, outgoing, { end: false });
    if (left === 0) outgoing.end();
    else outgoing.destroy();
  } catch {
    body.destroy();
    outgoing.destroy();
  }
}
