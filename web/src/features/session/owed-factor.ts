/** Owns: telling from a session alone whether it still owes its second factor. Asks nobody. */
import type { Session } from "@supabase/supabase-js";

/**
 * Whether this session still owes its second factor: the account has a verified one, and the session was
 * made with the first alone (claim `aal` is `aal1`). Decided from what is at hand, without asking the server.
 */
export function owesSecondFactor(session: Session): boolean {
  const verified = session.user.factors?.some((factor) => factor.status === "verified") ?? false;
  return verified && levelOf(session.access_token) === "aal1";
}

/** The claim `aal` of a token that the server has made; it is read here, not believed: the server checks it. */
function levelOf(token: string): string {
  try {
    const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const claims: unknown = JSON.parse(atob(payload));
    return typeof claims === "object" && claims !== null && "aal" in claims ? String(claims.aal) : "aal1";
  } catch {
    return "aal1";
  }
}
