/** Owns: requests to the backend that tell whether there is a connection. */
import { backendAnswered, backendFailed } from "../device/online.ts";
import { env } from "./env.ts";

/** A `fetch` for everything that goes to the backend. A request that the app itself gave up says nothing. */
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

const probe = () =>
  fetch(`${env.VITE_SUPABASE_URL}/auth/v1/health`, {
    headers: { apikey: env.VITE_SUPABASE_PUBLISHABLE_KEY },
    cache: "no-store",
  });
