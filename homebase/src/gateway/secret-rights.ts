/**
 * Owns which requests ask for secret rights, by whichever way a service accepts them, and their refusal to
 * web pages and host names that are not the developer's own.
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
 * Whether a request asks for secret rights.
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
    // S3 keys have the service's rights; a session token has those of its user.
    return session === undefined || hasSecretRights(session);
  }
  return [authorization, headers.apikey, headers["x-api-key"], queryKey].some((given) => {
    if (typeof given !== "string") return false;
    const token = decoded(given.replace(/^bearer\s+/i, "")).replace(/\s+/g, "");
    return keys.roleOfApiKey(token) === "service_role" || hasSecretRights(token);
  });
}

/** The refusal of secret rights. */
export function refuseForeign({ message, hint }: Foreign): ServiceResponse {
  return jsonResponse(403, { message, hint });
}

/** The session token that storage would look at; a form's is in its body and cannot be known here. */
function sessionToken(headers: IncomingHttpHeaders, query: string): string | undefined {
  if (/^multipart\/form-data/i.test(headers["content-type"] ?? "")) return undefined;
  if (!headers.authorization?.startsWith(`${S3_ALGORITHM} `)) {
    return new Map(new URLSearchParams(query)).get("X-Amz-Security-Token");
  }
  const token = headers["x-amz-security-token"];
  return Array.isArray(token) ? undefined : token;
}

/** Realtime reads escapes in a token; what it would read must be judged. */
function decoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
