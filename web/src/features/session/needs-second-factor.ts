/** Owns: whether a session still needs its second factor, from the session alone. Sends no request. */
import type { Session } from "@supabase/supabase-js";

/**
 * Whether this session still needs its second factor: the account has a verified one, and the session was
 * made with the first alone (claim `aal` is `aal1`). Decided without a request.
 */
export function needsSecondFactor(session: Session): boolean {
  const verified = session.user.factors?.some((factor) => factor.status === "verified") ?? false;
  return verified && levelOf(session.access_token) === "aal1";
}

/** The claim `aal` of a token; unverified here, because the server verifies it. */
function levelOf(token: string): string {
  try {
    const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const claims: unknown = JSON.parse(atob(payload));
    return typeof claims === "object" && claims !== null && "aal" in claims ? String(claims.aal) : "aal1";
  } catch {
    return "aal1";
  }
}
