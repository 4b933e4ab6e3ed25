/**
 * Owns: access to the client for modules that must not load it. The library is one of the largest parts of the app,
 * and a signed-out first view needs none of it; the first module that uses the client loads it and registers it here.
 */
import type { SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "./database.types.ts";

type Client = SupabaseClient<Database>;
/** Calls `run` once channels can be created (lib/backend/supabase.ts). Returns a function that unsubscribes. */
type WhenRealtime = (run: () => void) => () => void;
type Listener = (client: Client, whenRealtime: WhenRealtime) => void;

let loaded: Parameters<Listener> | undefined;
const waiting = new Set<Listener>();

/** Called by lib/backend/supabase.ts, once. */
export function registerClient(...made: Parameters<Listener>): void {
  loaded = made;
  for (const listener of waiting) listener(...made);
  waiting.clear();
}

/** Calls `listener` with the client, now or once it is loaded. Returns a function that unsubscribes. */
export function whenClient(listener: Listener): () => void {
  if (loaded) listener(...loaded);
  else waiting.add(listener);
  return () => void waiting.delete(listener);
}
