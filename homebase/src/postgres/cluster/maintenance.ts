/** Owns the database for administrative connections: its name, given to the database that initdb creates. */
import type pg from "pg";
import { type ClusterClient, MAINTENANCE } from "./cluster-client.ts";

/**
 * Ensures that the maintenance database exists. initdb's `postgres` is renamed to it, because the developer's
 * own `postgres` is created separately; a start may have been interrupted between initdb and here.
 */
export async function ensureMaintenanceDatabase(cluster: ClusterClient): Promise<void> {
  try {
    await cluster.admin((client) => client.query("select 1"));
    return;
  } catch (error) {
    if ((error as { code?: string }).code !== "3D000") throw error;
  }
  const rename = async (client: pg.ClientBase) => {
    const name = client.escapeIdentifier(MAINTENANCE);
    const { rows } = await client.query(
      `select 1 from pg_database d join pg_db_role_setting s on s.setdatabase = d.oid
       where d.datname = 'postgres' and s.setconfig::text like '%homebase.base=%'`,
    );
    const untouched = rows.length === 0;
    await client.query(
      untouched ? `alter database postgres rename to ${name}` : `create database ${name} template template0`,
    );
  };
  await cluster.admin(rename, "template1", { unmade: true });
}
