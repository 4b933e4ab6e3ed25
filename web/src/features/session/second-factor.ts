/** Owns: the second step of signing in, for accounts that have one. */
import type { Session } from "@supabase/supabase-js";
import { AppError, orThrow, toAppError } from "../../lib/errors.ts";
import { supabase } from "../../lib/supabase.ts";

/**
 * Whether this session still owes its second factor: the account has a verified one, and the session was
 * made with the first alone (claim `aal` is `aal1`). Decided from what is at hand, without asking the server.
 */
export function owesSecondFactor(session: Session): boolean {
  const verified = session.user.factors?.some((factor) => factor.status === "verified") ?? false;
  return verified && levelOf(session.access_token) === "aal1";
}

/** Proves the account's authenticator app with six digits. Throws an AppError when they are not right. */
export async function proveSecondFactor(digits: string): Promise<void> {
  const factors = orThrow(await supabase.auth.mfa.listFactors());
  const factor = factors.totp.find((each) => each.status === "verified");
  if (!factor) throw toAppError(new Error("This account has no verified second factor"));
  const { error } = await supabase.auth.mfa.challengeAndVerify({ factorId: factor.id, code: digits });
  if (error) throw error.code === "mfa_verification_failed" ? wrongDigits(error) : toAppError(error);
}

function wrongDigits(cause: unknown): AppError {
  const known = toAppError({ code: "otp_expired" });
  return new AppError("invalid", "mfa_verification_failed", known.message, known.hint, cause);
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
