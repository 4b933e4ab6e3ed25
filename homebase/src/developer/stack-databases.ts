/** Owns the names and settings of the databases that a stack has at a time: its own, the next one and the replaced one. */
import type { ClusterClient } from "../postgres/cluster/cluster-client.ts";
import { renameDatabases } from "../postgres/cluster/rename.ts";

/** Its name, as everywhere in Supabase. */
export const DATABASE = "postgres";
/** Where a new database, or a reset's, is built. A database with this name is incomplete. */
export const NEXT = `${DATABASE}_next`;
/** The database that a reset replaces, until the new one is complete. */
export const PREVIOUS = `${DATABASE}_before_reset`;

export class StackDatabases {
  readonly #cluster: ClusterClient;

  constructor(cluster: ClusterClient) {
    this.#cluster = cluster;
  }

  /** Those that exist, with their settings. */
  async read(): Promise<Map<string, Record<string, string>>> {
    const { rows } = await this.#cluster.admin((client) =>
      client.query<{ datname: string; setconfig: string[] | null }>(
        `select d.datname, s.setconfig from pg_database d
         left join pg_db_role_setting s on s.setdatabase = d.oid and s.setrole = 0
         where d.datname = any ($1)`,
        [[DATABASE, NEXT, PREVIOUS]],
      ),
    );
    return new Map(
      rows.map(({ datname, setconfig }) => [
        datname,
        Object.fromEntries(
          (setconfig ?? []).map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]),
        ),
      ]),
    );
  }

  /** Sets a setting of the stack's own database. */
  async set(name: string, value: string): Promise<void> {
    await this.#cluster.admin((client) =>
      client.query(
        `alter database ${DATABASE} set ${client.escapeIdentifier(name)} = ${client.escapeLiteral(value)}`,
      ),
    );
  }

  async reset(name: string): Promise<void> {
    await this.#cluster.admin((client) =>
      client.query(`alter database ${DATABASE} reset ${client.escapeIdentifier(name)}`),
    );
  }

  async rename(renames: readonly (readonly [string, string])[]): Promise<void> {
    for (const [from] of renames) await this.#cluster.release(from);
    await this.#cluster.admin((client) => renameDatabases(client, renames));
  }
}
