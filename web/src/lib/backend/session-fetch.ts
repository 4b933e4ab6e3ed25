/**
 * Owns: the `fetch` of signed-in people: it never sends a request without their token, and retries once after
 * a 401.
 */

import { readStored } from "../device/storage.ts";
import { env } from "./env.ts";
import { prefetchedResponse } from "./prefetch.ts";
import { SESSION_KEY } from "./stored-session.ts";
import { watchedFetch } from "./watched-fetch.ts";

const NOBODY = `Bearer ${env.VITE_SUPABASE_PUBLISHABLE_KEY}`;

/**
 * A `fetch` for the client. Without a valid token the library sends requests as anonymous; a signed-in person
 * would then see that their plans do not exist, although only the token could not be renewed. Such a request
 * therefore fails like one without a connection. A token that the server calls expired, whatever this
 * device's clock says, is renewed and the request is repeated.
 * @param renew gives a new access token, or null if it cannot be renewed
 */
export function sessionFetch(renew: () => Promise<string | null>): typeof fetch {
  return async (input, given) => {
    const init = withPatience(input, given);
    const headers = new Headers(init?.headers);
    const address = new URL(input instanceof Request ? input.url : input);
    const token = headers.get("authorization");
    if (address.pathname.startsWith("/auth/") || token === null) return watchedFetch(input, init);
    if (token === NOBODY) {
      if (readStored(SESSION_KEY) !== null) throw new TypeError("Failed to fetch");
      return watchedFetch(input, init);
    }
    const answer = (await prefetchedResponse(address.href, init, token)) ?? (await watchedFetch(input, init));
    // A stream cannot be sent twice; the client sends none.
    if (answer.status !== 401 || init?.body instanceof ReadableStream) return answer;
    const renewed = await renew();
    if (renewed === null) return answer;
    headers.set("authorization", `Bearer ${renewed}`);
    return watchedFetch(input, { ...init, headers });
  };
}

/** Timeout of a read: a server that hangs is treated like one that is down. */
const PATIENCE_MS = 8_000;

/** Limits the duration of a database read; a write may be in progress and has no timeout. */
function withPatience(
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
): RequestInit | undefined {
  const address = new URL(input instanceof Request ? input.url : input);
  if (!address.pathname.startsWith("/rest/") || !["GET", "HEAD"].includes(init?.method ?? "GET")) return init;
  const late = AbortSignal.timeout(PATIENCE_MS);
  return { ...init, signal: init?.signal ? AbortSignal.any([init.signal, late]) : late };
}
