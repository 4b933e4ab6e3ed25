/** Owns the cluster that the package brings for the platform that it is built on. Elsewhere initdb makes it. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cluster } from "../src/postgres/cluster/cluster.ts";
import { packCluster, prebuiltName } from "../src/postgres/cluster/prebuilt.ts";
import { ensureBase, prebuiltBase } from "../src/postgres/cluster/template-databases.ts";

/** Writes the archive of a cluster with the base database into `folder`. */
export async function buildPrebuiltCluster(folder: string): Promise<void> {
  const project = mkdtempSync(join(tmpdir(), "homebase-prebuilt-"));
  try {
    // As root, Postgres runs as another user, who has to get through.
    chmodSync(project, 0o755);
    const cluster = await Cluster.start({ projectFolder: project, port: undefined, durable: true });
    let segment: string;
    try {
      const base = await ensureBase(cluster);
      segment = await cluster.admin(async (client) => {
        await client.query(
          `alter database ${client.escapeIdentifier(base)} rename to ${client.escapeIdentifier(prebuiltBase())}`,
        );
        // The rest of the log is in the data files then.
        await client.query("select pg_switch_wal()");
        await client.query("checkpoint");
        const { rows } = await client.query<{ name: string }>(
          "select pg_walfile_name(pg_current_wal_insert_lsn()) as name",
        );
        return rows[0]?.name ?? "";
      });
    } finally {
      await cluster.stop();
    }
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, prebuiltName(cluster.version, prebuiltBase())),
      packCluster(cluster.folder, segment),
    );
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}
