/**
 * Owns rejecting this Backend's secret keys from foreign web pages and host names, wherever in a request they stand.
 * Other tokens are for the service to judge, after it has verified them.
 */

import { percentDecoded } from "../core/percent.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Keys } from "../tokens/keys.ts";
import { tokenOf } from "../tokens/verify-token.ts";

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
    // Realtime decodes escapes in a token.
    const token = percentDecoded(tokenOf(given)).replace(/\s+/g, "");
    return keys.roleOfApiKey(token) === "service_role";
  });
}
