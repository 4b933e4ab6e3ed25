/** Owns: the session of who is signed in, renewed when it has to be and there is a connection. */
import type { Session } from "@supabase/supabase-js";
import { storedSession } from "./stored-session.ts";

/** A token with less than this left is renewed first. */
const MARGIN_S = 30;

/** Who is signed in, without waiting for a connection that is not there, and without the client where nobody is. */
export async function currentSession(): Promise<Session | null> {
  const kept = storedSession();
  if (!kept) return null;
  if (!navigator.onLine || (kept.expires_at ?? 0) > Date.now() / 1000 + MARGIN_S) return kept;
  const { supabase } = await import("./supabase.ts");
  const { data, error } = await supabase.auth.getSession();
  if (data.session) return data.session;
  return error?.name === "AuthRetryableFetchError" ? storedSession() : null;
}
