/**
 * Owns: calling a database function without a session, by plain HTTP. Signed-out first views use it, so that they
 * do not wait for the client library.
 */

import { toAppError } from "../errors.ts";
import { env } from "./env.ts";
import { prefetchedResponse } from "./prefetch.ts";
import { watchedFetch } from "./watched-fetch.ts";

/** The function's answer as JSON. Throws an AppError. */
export async function callAnonymously(name: string, args: object, signal?: AbortSignal): Promise<unknown> {
  const address = `${env.VITE_SUPABASE_URL}/rest/v1/rpc/${name}`;
  const init = {
    method: "POST",
    headers: { apikey: env.VITE_SUPABASE_PUBLISHABLE_KEY, "content-type": "application/json" },
    body: JSON.stringify(args),
    signal: signal ?? null,
  };
  const response = await prefetchedResponse(address, init, null)
    .then((answer) => answer ?? watchedFetch(address, init))
    .catch((cause: unknown) => {
      throw signal?.aborted ? cause : toAppError(cause);
    });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer;
  throw toAppError({ ...(typeof answer === "object" ? answer : {}), status: response.status });
}
