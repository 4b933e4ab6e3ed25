/**
 * Owns sending a response. Whatever a service returns as status, reason phrase, headers or body, the client
 * gets a complete response or a closed connection, and the process continues.
 */
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ServiceResponse } from "./exchange.ts";
import { cleanHeaders, cleanReason } from "./header-values.ts";

/** Hop-by-hop headers, which only the server sets (RFC 9110, 7.6.1). */
const CONNECTION_HEADERS = ["keep-alive", "transfer-encoding", "trailer", "upgrade"] as const;

/** Statuses without a body (RFC 9110, 6.4.1). */
const BODILESS = new Set([204, 304]);

/**
 * Sends a response and resolves when it is written, or the connection is closed. @param method the request's:
 * a response to HEAD has no body, but a body's headers.
 */
export function send(
  outgoing: ServerResponse,
  method: string,
  response: ServiceResponse,
): Promise<void> | undefined {
  const { body, headers } = response;
  if (outgoing.headersSent || outgoing.destroyed) {
    // The client has disconnected, or got a response when its body stalled.
    if (body instanceof Readable) body.on("error", () => {}).destroy();
    return undefined;
  }
  for (const name of CONNECTION_HEADERS) if (name in headers) delete headers[name];
  // A service that does not read a body may request closing the connection, but set no other such header.
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
  // A wrong length by a service would make the client wait for the rest.
  if (!bodiless) headers["content-length"] = String(length);
  else if (method === "HEAD" && length > 0) headers["content-length"] ??= String(length);
  writeHead(outgoing, response);
  outgoing.end(bodiless ? undefined : (body ?? undefined));
  return undefined;
}

/** Writes status and headers; invalid characters are cleaned, and an invalid status becomes 500. */
function writeHead(outgoing: ServerResponse, { status, statusText, headers }: ServiceResponse): void {
  const known = Number.isInteger(status) && status >= 200 && status <= 599 ? status : 500;
  // Node validates every value itself; checking first would cost time in each response.
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

/** A source that fails, or has another length than declared, closes the connection. */
async function sendStream(
  outgoing: ServerResponse,
  response: ServiceResponse,
  body: Readable,
): Promise<void> {
  // An error before the pipeline attaches its listener would crash the process.
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
