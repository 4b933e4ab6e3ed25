/** Owns: the `fetch` that records whether the backend is reachable. */
import { backendAnswered, backendFailed } from "../device/online.ts";
import { env } from "./env.ts";

/** A `fetch` for all requests to the backend. An aborted request records nothing. */
export const watchedFetch: typeof fetch = async (input, init) => {
  try {
    const answer = await fetch(input, init);
    backendAnswered();
    return answer;
  } catch (error) {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : null);
    if (!signal?.aborted) backendFailed(probe);
    throw error;
  }
};

/** Sends any request to the backend; rejects without a response. */
export const probe = () =>
  fetch(`${env.VITE_SUPABASE_URL}/auth/v1/health`, {
    headers: { apikey: env.VITE_SUPABASE_PUBLISHABLE_KEY },
    cache: "no-store",
    signal: AbortSignal.timeout(PROBE_WAIT_MS),
  });

const PROBE_WAIT_MS = 5_000;
