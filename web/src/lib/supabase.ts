/** Owns: the one client. Everything the app keeps or does on a server goes through it. */
import { createClient } from "@supabase/supabase-js";
import type { Database } from "./database.types.ts";
import { env } from "./env.ts";

export const supabase = createClient<Database>(env.VITE_SUPABASE_URL, env.VITE_SUPABASE_PUBLISHABLE_KEY, {
  auth: { flowType: "pkce", detectSessionInUrl: true },
});
