/** Owns a connection for one piece of work. */
import pg from "pg";

/**
 * Calls `work` with a connection of its own, which is closed afterwards.
 * @throws what connecting or `work` throws.
 */
export async function connected<T>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config);
  // Without a listener a connection that the server ends would end this process.
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
