/**
 * Owns: using the responses to requests that the page sent before the app was loaded. An inline script sends
 * them (web/first-views.ts), so that data and code load at the same time.
 */

export interface Prefetched {
  /** The access token that was sent; null if nobody is signed in. */
  token: string | null;
  /** Responses by method, URL and, if present, body. */
  responses: Record<string, Promise<Response>>;
}

declare global {
  interface Window {
    noshPrefetched?: Prefetched;
  }
}

/** Later readers must not use a prefetched answer: it may be stale. */
const FRESH_MS = 10_000;

/**
 * The prefetched response to a request, returned once. Undefined if there is none, if it was requested with
 * another session, if it is too old, or if it failed. A request that is aborted (`init.signal`) leaves it for
 * the next one.
 * @param authorization the header that would be sent; null for none
 */
export async function prefetchedResponse(
  address: string,
  init: RequestInit | undefined,
  authorization: string | null,
): Promise<Response | undefined> {
  const prefetched = window.noshPrefetched;
  const question = `${init?.method ?? "GET"} ${address}${typeof init?.body === "string" ? ` ${init.body}` : ""}`;
  const answer = prefetched?.responses[question];
  if (!prefetched || !answer) return undefined;
  init?.signal?.throwIfAborted();
  delete prefetched.responses[question];
  const sent = prefetched.token === null ? null : `Bearer ${prefetched.token}`;
  if (authorization !== sent || performance.now() > FRESH_MS) return undefined;
  const leave = () => {
    prefetched.responses[question] = answer;
  };
  init?.signal?.addEventListener("abort", leave);
  const given = await answer.catch(() => undefined);
  init?.signal?.removeEventListener("abort", leave);
  init?.signal?.throwIfAborted();
  return given;
}
