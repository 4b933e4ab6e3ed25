/**
 * Owns: the session as this device keeps it. The auth client gives none when a token has run out and cannot be
 * renewed for want of a connection; the person is signed in all the same, and must not be shown the door.
 */
import type { Session } from "@supabase/supabase-js";

/** Under which the auth client keeps the session on this device. */
export const SESSION_KEY = "nosh.session";

/** Null when nobody is signed in on this device. */
export function storedSession(): Session | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(SESSION_KEY) ?? "null");
    return isSession(kept) ? kept : null;
  } catch {
    return null;
  }
}

/** What the auth client writes; anything else under its key is nobody's session. */
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
