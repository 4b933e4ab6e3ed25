/** Owns: the second step of signing in, for accounts that have one. */

import { supabase } from "../../lib/backend/supabase.ts";
import { AppError, orThrow, toAppError } from "../../lib/errors.ts";

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
