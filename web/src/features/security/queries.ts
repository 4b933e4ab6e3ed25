/** Owns: reading the active sessions and the second factor. */
import { queryOptions } from "@tanstack/react-query";
import { supabase } from "../../lib/backend/supabase.ts";
import { orThrow } from "../../lib/errors.ts";

export interface SignedInDevice {
  id: string;
  last_used_at: string;
  user_agent: string | null;
  current: boolean;
}

export async function readSessions(signal: AbortSignal): Promise<SignedInDevice[]> {
  return orThrow(await supabase.rpc("my_sessions").abortSignal(signal));
}

/** The id of the confirmed authenticator, null when there is none. */
export async function readFactor(): Promise<string | null> {
  return orThrow(await supabase.auth.mfa.listFactors()).totp[0]?.id ?? null;
}

export const securityQueries = {
  sessions: () =>
    queryOptions({
      queryKey: ["sessions"],
      queryFn: ({ signal }) => readSessions(signal),
      staleTime: 30_000,
    }),
  factor: () => queryOptions({ queryKey: ["second-factor"], queryFn: readFactor, staleTime: 60_000 }),
};
