/** Owns helpers of Auth's integration tests: clients of a Backend, and the code and link in a mail. */

import { join } from "node:path";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { createBackend, type TestBackend, type TestBackendOptions } from "../../src/testing/index.ts";

/** A project that has only defaults. */
export const PROJECT = join(import.meta.dirname, "project");
export const PASSWORD = "correct horse battery";

/** A Backend of a default project with changes of its section `auth`. */
export function authBackend(
  auth: NonNullable<TestBackendOptions["config"]>["auth"] = {},
  wings?: TestBackendOptions["wings"],
): Promise<TestBackend> {
  return createBackend({ projectFolder: PROJECT, bare: true, config: { auth }, wings });
}

/** A client with its own storage, as each browser has. */
export function clientOf(
  backend: TestBackend,
  options: { pkce?: boolean; key?: string; passkey?: boolean } = {},
): SupabaseClient {
  const memory = new Map<string, string>();
  return createClient(backend.url, options.key ?? backend.publishableKey, {
    auth: {
      autoRefreshToken: false,
      persistSession: true,
      detectSessionInUrl: false,
      ...(options.passkey ? { experimental: { passkey: true } } : {}),
      flowType: options.pkce ? "pkce" : "implicit",
      storage: {
        getItem: (key) => memory.get(key) ?? null,
        setItem: (key, value) => void memory.set(key, value),
        removeItem: (key) => void memory.delete(key),
      },
    },
  });
}

export const adminOf = (backend: TestBackend) => clientOf(backend, { key: backend.secretKey });

/** The newest mail to an address. */
export function mailTo(backend: TestBackend, address: string) {
  const mail = backend.mails.findLast((one) => one.to.some((to) => to.address === address));
  if (!mail) throw new Error(`No mail to ${address}.`);
  const html = mail.html ?? "";
  const link = /href="([^"]*\/verify\?[^"]*)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const code = />(\d{6,10})</.exec(html)?.[1] ?? "";
  return { ...mail, html, link, code };
}

/** Follows a link of a mail as far as the redirect. */
export async function follow(link: string): Promise<URL> {
  const response = await fetch(link, { redirect: "manual" });
  if (response.status !== 303) throw new Error(`${response.status} ${await response.text()}`);
  return new URL(response.headers.get("location") ?? "");
}

export function fragmentOf(url: URL): URLSearchParams {
  return new URLSearchParams(url.hash.slice(1));
}
