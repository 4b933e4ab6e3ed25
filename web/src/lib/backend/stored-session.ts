/**
 * Owns: the session as it is stored on this device. The auth client gives none if a token has expired and cannot be
 * renewed without a connection; the person is still signed in and must not be sent to the sign-in screen.
 */
import type { Session } from "@supabase/supabase-js";
import { readStored } from "../device/storage.ts";

/** The key in localStorage under which the auth client stores the session. */
export const SESSION_KEY = "nosh.session";

/** Null when nobody is signed in on this device. */
export function storedSession(): Session | null {
  try {
    const kept: unknown = JSON.parse(readStored(SESSION_KEY) ?? "null");
    return isSession(kept) ? kept : null;
  } catch {
    return null;
  }
}

/** The shape that the auth client writes; any other value under its key counts as no session. */
function isSession(kept: unknown): kept is Session {
  const { access_token, refresh_token, expires_at, user } = (kept ?? {}) as Partial<Record<string, unknown>>;
  return (
    typeof access_token === "string" &&
    typeof refresh_token === "string" &&
    typeof expires_at === "number" &&
    typeof user === "object" &&
    user !== null &&
    "id" in user &&
    typeof user.id === "string"
  );
}
