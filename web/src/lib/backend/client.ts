/**
 * Owns: access to the client for modules that must not load it. The library is one of the largest parts of the app,
 * and a signed-out first view needs none of it; the first module that uses the client loads it and registers it here.
 */
import type { SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "./database.types.ts";

type Client = SupabaseClient<Database>;

let client: Client | undefined;
const waiting = new Set<(client: Client) => void>();

/** Called by lib/backend/supabase.ts, once. */
export function registerClient(made: Client): void {
  client = made;
  for (const hear of waiting) hear(made);
  waiting.clear();
}

/** Calls `hear` with the client, now or once it is loaded. Returns a function that unsubscribes. */
export function whenClient(hear: (client: Client) => void): () => void {
  if (client) hear(client);
  else waiting.add(hear);
  return () => void waiting.delete(hear);
}
