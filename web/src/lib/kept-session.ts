/**
 * Owns: the session as this device keeps it. The auth client gives none when a token has run out and cannot be
 * renewed for want of a connection; the person is signed in all the same, and must not be shown the door.
 */
import { AuthError, isAuthRetryableFetchError, type Session } from "@supabase/supabase-js";
import { z } from "zod";
import { SESSION_KEY } from "./session-fetch.ts";
import { supabase } from "./supabase.ts";

const shape = z.looseObject({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_at: z.number(),
  user: z.looseObject({ id: z.string() }),
});

/** Null when nobody is signed in on this device. */
export function keptSession(): Session | null {
  try {
    const kept = shape.safeParse(JSON.parse(localStorage.getItem(SESSION_KEY) ?? "null"));
    return kept.success ? (kept.data as unknown as Session) : null;
  } catch {
    return null;
  }
}

/** A token with less than this left is renewed first. */
const MARGIN_S = 30;

/** Who is signed in, without waiting for a connection that is not there. */
export async function currentSession(): Promise<Session | null> {
  const kept = keptSession();
  if (kept && (!navigator.onLine || (kept.expires_at ?? 0) > Date.now() / 1000 + MARGIN_S)) return kept;
  const { data, error } = await supabase.auth.getSession();
  if (data.session) return data.session;
  return error instanceof AuthError && isAuthRetryableFetchError(error) ? keptSession() : null;
}
