/** Owns the CORS headers (PostgREST documentation, "CORS"). */
import type { IncomingHttpHeaders } from "node:http";
import { EXPOSED } from "../../src/http/exposed-headers.ts";

type Headers = Record<string, string>;

const METHODS = "GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD";
const MAX_AGE_SECONDS = "86400";

/** The CORS headers of a response; empty without an origin and for one that is not allowed. */
export function corsHeaders(headers: IncomingHttpHeaders, origins: readonly string[] | undefined): Headers {
  const allowed = originHeaders(headers, origins);
  return allowed ? { ...allowed, "access-control-expose-headers": EXPOSED } : {};
}

/** The response to a preflight; undefined when the request is not one. */
export function preflight(
  method: string,
  headers: IncomingHttpHeaders,
  origins: readonly string[] | undefined,
): Headers | undefined {
  if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) return undefined;
  const allowed = originHeaders(headers, origins);
  if (!allowed) return undefined;
  const asked = headers["access-control-request-headers"]?.split(",").map((one) => one.trim()) ?? [];
  const names = ["Authorization", ...asked, "Accept", "Accept-Language", "Content-Language"];
  return {
    ...allowed,
    "access-control-allow-methods": METHODS,
    "access-control-allow-headers": names.join(", "),
    "access-control-max-age": MAX_AGE_SECONDS,
  };
}

function originHeaders(
  { origin }: IncomingHttpHeaders,
  origins: readonly string[] | undefined,
): Headers | undefined {
  if (origin === undefined) return undefined;
  if (origins === undefined) return { "access-control-allow-origin": "*" };
  if (!origins.includes(origin)) return undefined;
  return { "access-control-allow-origin": origin, "access-control-allow-credentials": "true" };
}
