/** Owns: the current session, renewed when it is about to expire and there is a connection. */
import type { Session } from "@supabase/supabase-js";
import { loadClient } from "./load-client.ts";
import { storedSession } from "./stored-session.ts";

/** A token with less than this left is renewed first. */
const MARGIN_S = 30;

/** The session, or null. Does not wait for a missing connection, and does not load the client if nobody is signed in. */
export async function currentSession(): Promise<Session | null> {
  const kept = storedSession();
  if (!kept) return null;
  if (!navigator.onLine || (kept.expires_at ?? 0) > Date.now() / 1000 + MARGIN_S) return kept;
  const supabase = await loadClient();
  const { data, error } = await supabase.auth.getSession();
  if (data.session) return data.session;
  return error?.name === "AuthRetryableFetchError" ? storedSession() : null;
}
