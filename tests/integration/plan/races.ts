/**
 * Owns deliberate races: calls that are blocked by a lock until all of them wait, and then released at once.
 */

import pg from "pg";
import type { TestBackend } from "../../target/integration.ts";

/**
 * Starts `calls` while another transaction holds what `hold` locks (a statement with its values), waits until
 * each has ended or waits for a lock, and releases them.
 * @returns their results, in the order of the calls
 */
export async function atOnce<Result>(
  backend: TestBackend,
  hold: string,
  values: readonly unknown[],
  calls: readonly (() => PromiseLike<Result>)[],
): Promise<Result[]> {
  const holder = new pg.Client(backend.databaseUrl);
  await holder.connect();
  let ended = 0;
  try {
    await holder.query("begin");
    await holder.query(hold, [...values]);
    const running: Promise<Result>[] = [];
    for (const call of calls) {
      running.push(
        Promise.resolve(call()).finally(() => {
          ended += 1;
        }),
      );
      const begun = running.length;
      // One after the other, so that they queue in this order.
      while ((await waiting(backend)) + ended < begun) await new Promise((resolve) => setImmediate(resolve));
    }
    await holder.query("commit");
    return await Promise.all(running);
  } finally {
    await holder.end();
  }
}

/** Number of connections to this backend's database that wait for a lock. */
async function waiting(backend: TestBackend): Promise<number> {
  const [row] = await backend.sql<{ count: number }>(
    `select count(*)::integer as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return row?.count ?? 0;
}
