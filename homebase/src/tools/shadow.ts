/** Owns databases that are made of migrations to be compared with others, several at once in one cluster. */
import type { Config } from "../config/config.ts";
import type { ClusterClient } from "../postgres/cluster/cluster-client.ts";
import { cloneDatabase, dropDatabase } from "../postgres/cluster/copies.ts";
import { ensureBase, prepareProject } from "../postgres/cluster/template-databases.ts";
import type { Database } from "../postgres/database.ts";
import type { Migration } from "../postgres/files/project-files.ts";

/** Calls `work` with a database of the project's settings, its roles.sql and these migrations; dropped afterwards. */
export function withShadow<T>(
  cluster: ClusterClient,
  config: Config,
  label: string,
  migrations: readonly Migration[],
  work: (database: Database) => Promise<T>,
): Promise<T> {
  return withBareProject(
    cluster,
    async (database) => {
      await prepareProject(database, config, migrations, { fresh: true });
      return work(database);
    },
    label,
  );
}

/** Calls `work` with a database as Supabase makes a new project; dropped afterwards. */
export async function withBareProject<T>(
  cluster: ClusterClient,
  work: (database: Database) => Promise<T>,
  label = "bare",
): Promise<T> {
  const name = `shadow_${process.pid}_${label}`;
  await dropDatabase(cluster, name);
  try {
    await cloneDatabase(cluster, await ensureBase(cluster), name);
    return await work(cluster.database(name));
  } finally {
    await dropDatabase(cluster, name);
  }
}
