/**
 * Owns: taking over what the page asked for before the app was there. The lines that ask are in the page itself
 * (web/first-views.ts): an answer takes as long to come as the app does, so both are fetched side by side.
 */

export interface Prefetched {
  /** The access token that was sent; null where nobody is signed in. */
  token: string | null;
  /** Answers by method, address and, where there is one, body. */
  asked: Record<string, Promise<Response>>;
}

declare global {
  interface Window {
    noshPrefetched?: Prefetched;
  }
}

/** Whoever comes later wants it newer. */
const FRESH_MS = 10_000;

/**
 * The answer to what was asked ahead, given once; undefined where nobody asked, or somebody else did, or too
 * long ago, or in vain. Who takes the question back (`init.signal`) leaves the answer for the next one.
 * @param authorization the header that would be sent; null for none
 */
export async function prefetchedResponse(
  address: string,
  init: RequestInit | undefined,
  authorization: string | null,
): Promise<Response | undefined> {
  const ahead = window.noshPrefetched;
  const question = `${init?.method ?? "GET"} ${address}${typeof init?.body === "string" ? ` ${init.body}` : ""}`;
  const answer = ahead?.asked[question];
  if (!ahead || !answer) return undefined;
  init?.signal?.throwIfAborted();
  delete ahead.asked[question];
  const sent = ahead.token === null ? null : `Bearer ${ahead.token}`;
  if (authorization !== sent || performance.now() > FRESH_MS) return undefined;
  const leave = () => {
    ahead.asked[question] = answer;
  };
  init?.signal?.addEventListener("abort", leave);
  const given = await answer.catch(() => undefined);
  init?.signal?.removeEventListener("abort", leave);
  init?.signal?.throwIfAborted();
  return given;
}
