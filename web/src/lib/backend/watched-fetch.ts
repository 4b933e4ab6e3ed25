/** Owns: the `fetch` that records whether the backend can be reached. */
import { backendAnswered, backendFailed } from "../device/online.ts";
import { env } from "./env.ts";

/** A `fetch` for everything that goes to the backend. An aborted request records nothing. */
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

/** Asks the backend for anything at all; rejects where no answer comes. */
export const probe = () =>
  fetch(`${env.VITE_SUPABASE_URL}/auth/v1/health`, {
    headers: { apikey: env.VITE_SUPABASE_PUBLISHABLE_KEY },
    cache: "no-store",
    signal: AbortSignal.timeout(PROBE_WAIT_MS),
  });

const PROBE_WAIT_MS = 5_000;
