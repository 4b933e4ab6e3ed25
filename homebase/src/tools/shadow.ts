/** Owns databases that are made of migrations to be compared with others, several at once in one cluster. */
import type { Config } from "../config/config.ts";
import type { ClusterClient } from "../postgres/cluster/cluster-client.ts";
import { cloneDatabase, dropDatabase } from "../postgres/cluster/copies.ts";
import { ensureBase, prepareProject } from "../postgres/cluster/template.ts";
import type { Database } from "../postgres/database.ts";
import type { Migration } from "../postgres/files/read.ts";

/** Calls `work` with a database of these migrations (of none: as Supabase makes a new project); dropped afterwards. */
export async function withShadow<T>(
  cluster: ClusterClient,
  config: Config,
  label: string,
  migrations: readonly Migration[],
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const name = `shadow_${process.pid}_${label}`;
  await dropDatabase(cluster, name);
  try {
    await cloneDatabase(cluster, await ensureBase(cluster), name);
    const database = cluster.database(name);
    await prepareProject(database, config, migrations, { fresh: true });
    return await work(database);
  } finally {
    await dropDatabase(cluster, name);
  }
}
