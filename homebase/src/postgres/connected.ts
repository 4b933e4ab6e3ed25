/** Owns logging in, and a connection for one piece of work. */
import type pg from "pg";
import { ScramClient } from "./scram-client.ts";

/** Options for pg. */
export interface Login extends pg.ClientConfig {
  /** Makes the password of one of Supabase's roles right again, which a project has changed (database.ts). */
  restore?: () => Promise<void>;
}

/** Postgres's codes of a refused login: of the password or its time, or of the role. */
const REFUSED = new Set(["28P01", "28000"]);

/**
 * Calls `connect`; when the login is refused and can be restored, once more.
 * @throws what connecting throws.
 */
export async function withLogin<T>({ restore }: Login, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    if (!restore || !REFUSED.has((error as { code?: string }).code ?? "")) throw error;
    await restore();
    return connect();
  }
}

/** A client that has logged in. Its errors, other than of its queries, have no listener yet that does anything. */
export function logIn(login: Login): Promise<pg.Client> {
  return withLogin(login, async () => {
    const client = new ScramClient(login);
    // Without a listener a connection that the server ends would end this process.
    client.on("error", () => {});
    await client.connect();
    return client;
  });
}

/**
 * Calls `work` with a connection of its own, which is closed afterwards.
 * @throws what connecting or `work` throws.
 */
export async function connected<T>(login: Login, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await logIn(login);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Lets the process end while a connection is open. pg's types lack its method. */
export function unref(client: pg.Client): void {
  (client as unknown as { unref(): void }).unref();
}
