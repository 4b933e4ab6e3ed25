/**
 * Owns the people of the integration tests: clients of Nosh's backend, each with its own session, and the
 * seed's fixed ids.
 */
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { demoPassword } from "../../scripts/demo-accounts.ts";
import type { Database } from "../../web/src/lib/backend/database.types.ts";
import type { TestBackend } from "../target/integration.ts";

export type NoshClient = SupabaseClient<Database>;

/** The people of the seed, by their first names. */
export const people = {
  ana: "00000000-0000-4000-8000-0000000000a1",
  ben: "00000000-0000-4000-8000-0000000000a2",
  chiara: "00000000-0000-4000-8000-0000000000a3",
  dev: "00000000-0000-4000-8000-0000000000a4",
  emre: "00000000-0000-4000-8000-0000000000a5",
  fatou: "00000000-0000-4000-8000-0000000000a6",
} as const;
export type Name = keyof typeof people;

/** Plans of the seed: Dev sits at `dinner` and not at `noodles` (Ben, Ana, Fatou) or `lunch`. */
export const plans = {
  dinner: "00000000-0000-4000-8000-0000000000b1",
  noodles: "00000000-0000-4000-8000-0000000000b2",
  lunch: "00000000-0000-4000-8000-0000000000b4",
  dumplings: "00000000-0000-4000-8000-0000000000b5",
} as const;

/** A place of the seed by its number: `place(4)` is Momo Sete. */
export const place = (number: number): string =>
  `00000000-0000-4000-8000-000000000d${String(number).padStart(2, "0")}`;

/** A signed-out client; with `key`, with that key's rights. */
export function clientOf(backend: TestBackend, key: string = backend.publishableKey): NoshClient {
  return createClient<Database>(backend.url, key, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
  });
}

/** A client signed in as a person of the seed with the demo password. */
export async function signedIn(backend: TestBackend, name: Name): Promise<NoshClient> {
  const client = clientOf(backend);
  const { error } = await client.auth.signInWithPassword({
    email: `${name}@nosh.test`,
    password: demoPassword,
  });
  if (error) throw error;
  return client;
}

/** The clients of several people, in this order. */
export function signedInEach<const Names extends readonly Name[]>(backend: TestBackend, ...names: Names) {
  const clients = names.map((name) => signedIn(backend, name));
  return Promise.all(clients as { [Index in keyof Names]: Promise<NoshClient> });
}

/** A client of a guest without an account, and their id. */
export async function guest(
  backend: TestBackend,
  displayName: string,
): Promise<{ client: NoshClient; id: string }> {
  const client = clientOf(backend);
  const { data, error } = await client.auth.signInAnonymously({
    options: { data: { display_name: displayName, time_zone: "Europe/Lisbon" } },
  });
  if (error || !data.user) throw error ?? new Error("No user came back.");
  return { client, id: data.user.id };
}

/**
 * The data of a result.
 * @throws its error
 */
export function dataOf<Answer extends { data: unknown; error: unknown }>(
  answer: Answer,
): NonNullable<Extract<Answer, { error: null }>["data"]> {
  if (answer.error) throw answer.error;
  if (answer.data === null || answer.data === undefined) throw new Error("The answer has no data.");
  // Without an error it is the member of the union whose error is null.
  return answer.data as NonNullable<Extract<Answer, { error: null }>["data"]>;
}
