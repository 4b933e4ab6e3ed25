/** Owns: reading the active sessions and the second factor. */
import { supabase } from "../../lib/backend/supabase.ts";
import { orThrow } from "../../lib/errors.ts";
import { reading } from "../../lib/reading.ts";

export interface SignedInDevice {
  id: string;
  last_used_at: string;
  user_agent: string | null;
  current: boolean;
}

export const securityQueries = {
  sessions: () =>
    reading(
      ["sessions"],
      async (signal): Promise<SignedInDevice[]> =>
        orThrow(await supabase.rpc("my_sessions").abortSignal(signal)),
      30_000,
    ),
  /** The id of the confirmed authenticator, null when there is none. */
  factor: () =>
    reading(
      ["second-factor"],
      async () => orThrow(await supabase.auth.mfa.listFactors()).totp[0]?.id ?? null,
      60_000,
    ),
};
