/**
 * Owns: loading the client when it is first used. The screens that open the app show what is stored on the device
 * before that: the library is as large as all of them together.
 */
import type { SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "./database.types.ts";

declare global {
  interface Window {
    /** The addresses of the client's files in a build (web/first-views.ts). */
    noshClientFiles?: string[];
  }
}

let loading: Promise<SupabaseClient<Database>> | undefined;

/** The one client. Rejects like a request without a connection if it cannot be loaded; the next call tries again. */
export function loadClient(): Promise<SupabaseClient<Database>> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Fetches the client's files into the browser's cache, without running them. */
export async function fetchClient(): Promise<void> {
  await Promise.all(
    (window.noshClientFiles ?? []).map(async (file) => {
      const response = await fetch(file);
      if (!response.ok) throw new TypeError("Failed to fetch");
      await response.arrayBuffer();
    }),
  );
}

async function load(): Promise<SupabaseClient<Database>> {
  // A browser remembers a failed import until the page is closed; a failed fetch can be repeated.
  await fetchClient();
  const { supabase } = await import("./supabase.ts");
  return supabase;
}
