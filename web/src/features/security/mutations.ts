/** Owns: ending sessions, and turning two-step verification on and off. Each throws an AppError. */

import { rpc } from "../../lib/backend/rpc.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { orThrow } from "../../lib/errors.ts";

export const endSession = (session: string) => rpc("end_session", { session });

export interface Enrolment {
  id: string;
  /** The QR code as a data URL. */
  picture: string;
  secret: string;
}

/** Starts enrolling an authenticator. An unconfirmed one from an earlier attempt is removed first. */
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

/** Confirms with a code from the app; this session then has both factors. */
export async function confirmFactor(factorId: string, code: string): Promise<void> {
  orThrow(await supabase.auth.mfa.challengeAndVerify({ factorId, code }));
}

/** Requires a code, so that access to an unlocked screen is not enough to turn it off. */
export async function removeFactor(factorId: string, code: string): Promise<void> {
  await confirmFactor(factorId, code);
  orThrow(await supabase.auth.mfa.unenroll({ factorId }));
}
