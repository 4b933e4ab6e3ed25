/**
 * Owns rejecting this Backend's secret keys from foreign web pages and host names, wherever in a request they stand.
 * Other tokens are for the service to judge, after it has verified them.
 */
import type { HttpRequest } from "../http/request.ts";
import type { Keys } from "../tokens/keys.ts";

/**
 * Whether a request carries a secret key.
 * @param authorization the header after key translation.
 * @param queryKey the `apikey` query parameter.
 */
export function carriesSecretKey(
  { headers }: HttpRequest,
  authorization: string | undefined,
  queryKey: string | undefined,
  keys: Keys,
): boolean {
  return [authorization, headers.apikey, headers["x-api-key"], queryKey].some((given) => {
    if (typeof given !== "string") return false;
    const token = decoded(given.replace(/^bearer\s+/i, "")).replace(/\s+/g, "");
    return keys.roleOfApiKey(token) === "service_role";
  });
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
