/**
 * Owns the API key of a request: finding and validating it, and translating opaque keys to the JWT that the
 * services understand (docs/compat/platform.md 2.2 and 2.3).
 */

import type { IncomingHttpHeaders } from "node:http";
import type { Keys } from "../tokens/keys.ts";
import type { ApiKeyRole } from "../tokens/legacy-keys.ts";
import { bearerToken, tokenOf } from "../tokens/verify-token.ts";
import type { ServiceName } from "./routes.ts";

export interface Refusal {
  status: 401 | 403;
  /** For the request's record; hosted's responses have none. */
  code: string;
  body: { message: string; hint?: string };
}

export interface KeyResult {
  /** The `Authorization` header for the service. */
  authorization: string | undefined;
  /** The role of a valid key without a token beside it, which a service has yet to verify. */
  role?: ApiKeyRole | undefined;
  refusal?: Refusal;
}

const MISSING: Refusal = {
  status: 401,
  code: "no_api_key",
  body: {
    message: "No API key found in request",
    hint: "No `apikey` request header or url param was found.",
  },
};
const WRONG: Refusal = {
  status: 401,
  code: "invalid_api_key",
  body: {
    message: "Invalid API key",
    hint: "Double check your Supabase `anon` or `service_role` API key.",
  },
};
/** As Kong's access list of a self-hosted stack. */
const SECRET_NEEDED: Refusal = {
  status: 403,
  code: "secret_key_needed",
  body: { message: "You cannot consume this service" },
};
const SECRET_IN_BROWSER: Refusal = {
  status: 401,
  code: "secret_key_in_browser",
  body: {
    message: "Forbidden use of secret API key in browser",
    hint: "Secret API keys can only be used in a protected environment and should never be used in a browser. Delete this secret API key immediately.",
  },
};

/**
 * The error of a request to a service for secret keys only, if its key is another; a user's token does not count.
 * @param queryKey the `apikey` query parameter.
 */
export function refuseWithoutSecretKey(
  headers: IncomingHttpHeaders,
  queryKey: string | undefined,
  keys: Keys,
): Refusal | undefined {
  const header = headers.apikey;
  const key =
    (Array.isArray(header) ? header[0] : header) ?? queryKey ?? tokenOf(headers.authorization ?? "");
  if (key === "") return MISSING;
  const role = keys.roleOfApiKey(key);
  if (role === undefined) return WRONG;
  return role === "service_role" ? undefined : SECRET_NEEDED;
}

/**
 * Translates a request's key.
 * @param queryKey the `apikey` query parameter, which WebSocket clients use.
 * @param keyNeeded whether a request without a valid key is rejected.
 */
export function translateKey(
  headers: IncomingHttpHeaders,
  queryKey: string | undefined,
  keys: Keys,
  keyNeeded: boolean,
  service: ServiceName,
): KeyResult {
  const header = headers.apikey;
  const key = (Array.isArray(header) ? header[0] : header) ?? queryKey;
  const role = key === undefined ? undefined : keys.roleOfApiKey(key);
  const given = headers.authorization || undefined;

  if (keyNeeded) {
    if (key === undefined) return { authorization: given, refusal: MISSING };
    if (role === undefined) return { authorization: given, refusal: WRONG };
  }
  if (key === keys.secretKey && /^Mozilla\//.test(headers["user-agent"] ?? "")) {
    return { authorization: given, role, refusal: SECRET_IN_BROWSER };
  }
  // A user's token is passed on, and takes precedence over the key's role.
  const bearer = bearerToken(given);
  if (given && !bearer?.startsWith("sb_"))
    return { authorization: given, role: bearer === key ? role : undefined };
  if (role && key !== undefined) {
    if (keys.isOpaque(key)) return { authorization: `Bearer ${keys.jwtOfRole(role)}`, role };
    // A JWT key sent as `apikey` does not become a bearer token; the other services read it from there.
    return { authorization: service === "rest" || service === "auth" ? undefined : `Bearer ${key}`, role };
  }
  // An opaque key in Authorization alone is translated only where no key is required.
  const bearerRole = bearer === undefined ? undefined : keys.roleOfApiKey(bearer);
  if (bearerRole) return { authorization: `Bearer ${keys.jwtOfRole(bearerRole)}`, role: bearerRole };
  return { authorization: key };
}
