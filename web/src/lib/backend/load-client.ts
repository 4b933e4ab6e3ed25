/**
 * Owns: loading the client when it is first used. Modules of the first signed-in view use this instead of importing
 * supabase.ts: that view shows what the device has stored before the library, which is larger than its own code.
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

let fetching: Promise<unknown> | undefined;

/** Fetches the client's files into the browser's cache, without running them. After a failure the next call repeats it. */
export function fetchClient(): Promise<unknown> {
  fetching ??= Promise.all((window.noshClientFiles ?? []).map(fetchFile)).catch((error: unknown) => {
    fetching = undefined;
    throw error;
  });
  return fetching;
}

async function fetchFile(file: string): Promise<void> {
  const response = await fetch(file);
  if (!response.ok) throw new TypeError("Failed to fetch");
  await response.arrayBuffer();
}

async function load(): Promise<SupabaseClient<Database>> {
  // A browser remembers a failed import until the page is closed; a failed fetch can be repeated.
  await fetchClient();
  const { supabase } = await import("./supabase.ts");
  return supabase;
}
