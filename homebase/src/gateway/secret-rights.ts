/**
 * Owns detecting requests that use secret rights, in every form that a service accepts, and rejecting them
 * from foreign web pages and host names.
 */
import type { IncomingHttpHeaders } from "node:http";
import { type Foreign, jsonResponse, type ServiceResponse } from "../http/exchange.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Keys } from "../tokens/keys.ts";
import { hasSecretRights } from "../tokens/secret-rights.ts";
import type { Route } from "./routes.ts";

const S3 = /^\/s3(?:\/|$)/;
const S3_ALGORITHM = "AWS4-HMAC-SHA256";

/**
 * Whether a request uses secret rights.
 * @param authorization the header after key translation.
 * @param queryKey the `apikey` query parameter.
 */
export function usesSecretRights(
  { headers, query }: HttpRequest,
  { service, path }: Route,
  authorization: string | undefined,
  queryKey: string | undefined,
  keys: Keys,
): boolean {
  if (service === "storage" && S3.test(path)) {
    const session = sessionToken(headers, query);
    // S3 keys have the service's rights; a session token has its user's.
    return session === undefined || hasSecretRights(session);
  }
  return [authorization, headers.apikey, headers["x-api-key"], queryKey].some((given) => {
    if (typeof given !== "string") return false;
    const token = decoded(given.replace(/^bearer\s+/i, "")).replace(/\s+/g, "");
    return keys.roleOfApiKey(token) === "service_role" || hasSecretRights(token);
  });
}

/** The error for secret rights. */
export function refuseForeign({ message, hint }: Foreign): ServiceResponse {
  return jsonResponse(403, { message, hint });
}

/** The session token that storage would read; one in a form's body is not known here. */
function sessionToken(headers: IncomingHttpHeaders, query: string): string | undefined {
  if (/^multipart\/form-data/i.test(headers["content-type"] ?? "")) return undefined;
  if (!headers.authorization?.startsWith(`${S3_ALGORITHM} `)) {
    return new Map(new URLSearchParams(query)).get("X-Amz-Security-Token");
  }
  const token = headers["x-amz-security-token"];
  return Array.isArray(token) ? undefined : token;
}

/** Realtime decodes escapes in a token, so the decoded token must be checked. */
function decoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
