/** Owns: ending sessions, and turning the second step on and off. Each throws an AppError. */

import { supabase } from "../../lib/backend/supabase.ts";
import { orThrow, toAppError } from "../../lib/errors.ts";

export async function endSession(session: string): Promise<void> {
  const { error } = await supabase.rpc("end_session", { session });
  if (error) throw toAppError(error);
}

export interface Enrolment {
  id: string;
  /** The square code as an image address. */
  picture: string;
  secret: string;
}

/** Begins with an authenticator. One that was begun and never confirmed is thrown away first. */
export async function beginFactor(): Promise<Enrolment> {
  const { all } = orThrow(await supabase.auth.mfa.listFactors());
  for (const factor of all.filter(({ status }) => status === "unverified")) {
    orThrow(await supabase.auth.mfa.unenroll({ factorId: factor.id }));
  }
  const { id, totp } = orThrow(
    await supabase.auth.mfa.enroll({ factorType: "totp", issuer: "Nosh", friendlyName: "Nosh" }),
  );
  return { id, picture: totp.qr_code, secret: totp.secret };
}

/** Confirms with what the app shows; from then on this session is one of two steps. */
export async function confirmFactor(factorId: string, code: string): Promise<void> {
  orThrow(await supabase.auth.mfa.challengeAndVerify({ factorId, code }));
}

/** Asks for the digits once more, so that an open screen alone cannot turn it off. */
export async function removeFactor(factorId: string, code: string): Promise<void> {
  await confirmFactor(factorId, code);
  orThrow(await supabase.auth.mfa.unenroll({ factorId }));
}
