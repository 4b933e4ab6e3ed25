/** Owns the Postgres that a command starts for itself and removes at its end. */
import type { Config } from "../config/config.ts";
import { Cluster } from "../postgres/cluster/cluster.ts";

/** Calls `work` with an empty Postgres of its own, beside whatever stack runs. */
export async function withTemporaryCluster<T>(
  config: Config,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const cluster = await Cluster.start({
    projectFolder: config.projectFolder,
    port: undefined,
    durable: false,
    settings: config.db.settings,
  });
  try {
    return await work(cluster);
  } finally {
    await cluster.stop();
  }
}
