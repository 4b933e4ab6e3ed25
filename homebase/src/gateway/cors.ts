/** Owns CORS responses, the same for every service but functions (docs/compat/platform.md 2.3). */
import type { IncomingHttpHeaders } from "node:http";

const METHODS = "GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT";
const MAX_AGE_SECONDS = "3600";

/**
 * The response to a preflight: allows the requested method and headers from any origin, without credentials.
 */
export function preflightHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": METHODS,
    "access-control-allow-headers": headers["access-control-request-headers"] ?? "*",
    "access-control-max-age": MAX_AGE_SECONDS,
    vary: "Access-Control-Request-Headers",
  };
}

/** Whether a request is a preflight rather than an OPTIONS request of its own. */
export function isPreflight(method: string, headers: IncomingHttpHeaders): boolean {
  return (
    method === "OPTIONS" &&
    headers.origin !== undefined &&
    headers["access-control-request-method"] !== undefined
  );
}
