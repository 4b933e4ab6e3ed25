/** Owns: the one Supabase client, which sends all requests to the backend. */
import { createClient, isAuthRetryableFetchError } from "@supabase/supabase-js";
import { registerClient } from "./client.ts";
import type { Database } from "./database.types.ts";
import { env } from "./env.ts";
import { RealtimeClient } from "./lazy-realtime.ts";
import { sessionFetch } from "./session-fetch.ts";
import { SESSION_KEY } from "./stored-session.ts";

export const supabase = createClient<Database>(env.VITE_SUPABASE_URL, env.VITE_SUPABASE_PUBLISHABLE_KEY, {
  auth: { flowType: "pkce", detectSessionInUrl: true, storageKey: SESSION_KEY },
  // The query client decides about retries (app/queries.ts): multiplied by the library's own retries, they
  // hid a dead server for half a minute.
  db: { retry: false },
  global: { fetch: sessionFetch(renewToken) },
});

async function renewToken(): Promise<string | null> {
  const { data, error } = await supabase.auth.refreshSession();
  // The session was ended on another device: it ends here too, and the routes redirect to sign-in.
  if (error && !isAuthRetryableFetchError(error)) await supabase.auth.signOut({ scope: "local" });
  return data.session?.access_token ?? null;
}

const RETRY_MS = 3_000;

/** In a build our class replaces the library's (lean-client.ts); in development it is loaded already. */
function fetched(): Promise<void> {
  const realtime: unknown = supabase.realtime;
  return realtime instanceof RealtimeClient ? realtime.ready() : Promise.resolve();
}

/**
 * Calls `run` once channels can be created: the Realtime library is loaded on first use, and loading is
 * retried after a while if it fails. Never calls in the same tick: React mounts twice in development, and a
 * topic can be joined once.
 * @returns a function that unsubscribes
 */
export function whenRealtime(run: () => void): () => void {
  let stopped = false;
  let timer = setTimeout(attempt, 0);
  function attempt(): void {
    fetched().then(
      () => {
        if (!stopped) run();
      },
      () => {
        if (!stopped) timer = setTimeout(attempt, RETRY_MS);
      },
    );
  }
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

registerClient(supabase, whenRealtime);
