/** Owns the end of work in Postgres that nobody waits for any more. */
import type pg from "pg";

/** Who waits, and the connections that end what nobody waits for. */
export interface Waiting {
  database: { query(role: "postgres", text: string, values: unknown[]): Promise<unknown> };
  signal: AbortSignal;
}

/** Calls `work`, during which the connection ends when the signal aborts. @throws what `work` throws, and the signal's reason */
export async function whileAwaited<T>(
  { database, signal }: Waiting,
  client: pg.ClientBase,
  work: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const { processID } = client as unknown as { processID: number };
  let ending: Promise<unknown> | undefined;
  // Cancelling alone would be lost between two statements.
  const end = () => {
    ending = database.query("postgres", "select pg_terminate_backend($1)", [processID]);
    ending.catch(() => {});
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", end);
    // So that the connection is not another request's by then.
    await ending?.catch(() => {});
  }
}
