/** Owns: how requests go out for who is signed in: never as nobody by accident, and once more with a new token. */

import { env } from "./env.ts";
import { prefetchedResponse } from "./prefetch.ts";
import { SESSION_KEY } from "./stored-session.ts";
import { watchedFetch } from "./watched-fetch.ts";

const NOBODY = `Bearer ${env.VITE_SUPABASE_PUBLISHABLE_KEY}`;

/**
 * A `fetch` for the client.
 *
 * Without a valid token the library asks as nobody. To whom is signed in that would answer that their plans do
 * not exist, when in truth the token could not be renewed: then there is no connection. And a token that the
 * server calls too old, whatever this device's clock says, is renewed and the request made again.
 * @param renew gives a new access token, or null where that does not go
 */
export function sessionFetch(renew: () => Promise<string | null>): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    const address = new URL(input instanceof Request ? input.url : input);
    const token = headers.get("authorization");
    if (address.pathname.startsWith("/auth/") || token === null) return watchedFetch(input, init);
    if (token === NOBODY) {
      if (localStorage.getItem(SESSION_KEY) !== null) throw new TypeError("Failed to fetch");
      return watchedFetch(input, init);
    }
    const answer = (await prefetchedResponse(address.href, init, token)) ?? (await watchedFetch(input, init));
    // A body that is a stream is gone by now; the client sends none.
    if (answer.status !== 401 || init?.body instanceof ReadableStream) return answer;
    const renewed = await renew();
    if (renewed === null) return answer;
    headers.set("authorization", `Bearer ${renewed}`);
    return watchedFetch(input, { ...init, headers });
  };
}
