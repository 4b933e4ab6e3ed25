/** Owns renaming databases: all in one transaction, so that a crash renames all or none. */
import type pg from "pg";
import { transactWith } from "../transaction.ts";

const SESSIONS_PATIENCE_MS = 10_000;
const IN_USE = "55006";

/** Renames databases in order. Their sessions are terminated. */
export async function renameDatabases(
  client: pg.ClientBase,
  renames: readonly (readonly [from: string, to: string])[],
): Promise<void> {
  const deadline = Date.now() + SESSIONS_PATIENCE_MS;
  for (;;) {
    await endSessions(
      client,
      renames.map(([from]) => from),
      deadline,
    );
    try {
      return await transactWith(client, async () => {
        for (const [from, to] of renames) {
          await client.query(
            `alter database ${client.escapeIdentifier(from)} rename to ${client.escapeIdentifier(to)}`,
          );
        }
      });
    } catch (error) {
      // A client that keeps reconnecting may connect in between.
      if ((error as { code?: string }).code !== IN_USE || Date.now() > deadline) throw error;
    }
  }
}

async function endSessions(client: pg.ClientBase, names: readonly string[], deadline: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = any ($1) and pid <> pg_backend_pid()",
      [names],
    );
    if (rows.length === 0 || Date.now() > deadline) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
