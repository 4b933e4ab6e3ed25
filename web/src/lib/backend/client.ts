/**
 * Owns: hearing of the client without fetching it. A signed-out first view needs none, and it is among the
 * largest things that the app brings along; the first module that uses it fetches it, and says so here.
 */
import type { SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "./database.types.ts";

type Client = SupabaseClient<Database>;

let client: Client | undefined;
const waiting = new Set<(client: Client) => void>();

/** Called by lib/backend/supabase.ts, once. */
export function clientIsHere(made: Client): void {
  client = made;
  for (const hear of waiting) hear(made);
  waiting.clear();
}

/** Calls `hear` with the client, now or when something has fetched it. Returns a function that stops waiting. */
export function whenClient(hear: (client: Client) => void): () => void {
  if (client) hear(client);
  else waiting.add(hear);
  return () => void waiting.delete(hear);
}
