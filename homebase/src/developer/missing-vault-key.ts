/** Owns what a start and a reset do about Vault's key, which may be missing, damaged, or in its former place. */
import type { Cluster } from "../postgres/cluster/cluster.ts";
import { dropDatabase } from "../postgres/cluster/copies.ts";
import { DataFolderError } from "../postgres/cluster/data-folder.ts";
import { vaultKeyPath } from "../postgres/cluster/vault-key.ts";

/**
 * Looks at the key once the database is up to date. A lost key is replaced only if nothing was encrypted with it.
 * @returns the number of secrets that cannot be read; undefined when the key is in order
 */
export async function lookAtVaultKey(cluster: Cluster, database: string): Promise<number | undefined> {
  const { secrets, beside } = await readVault(cluster, database);
  if (beside) cluster.removeFormerVaultKey();
  if (cluster.vaultKey() === "whole") return undefined;
  if (secrets > 0) return secrets;
  try {
    cluster.makeVaultKey();
  } catch (error) {
    throw new DataFolderError(
      `The key of Vault cannot be written to ${vaultKeyPath(cluster.folder)} (${(error as Error).message}). Move the existing file aside and start again.`,
    );
  }
  await dropTemplates(cluster);
  return undefined;
}

/** For a reset: the new database's secrets need a key. */
export async function replaceLostVaultKey(cluster: Cluster): Promise<void> {
  if (cluster.vaultKey() === "whole") return;
  cluster.makeVaultKey();
  await dropTemplates(cluster);
}

/** The number of secrets, and whether the database reads the key beside the data folder. */
function readVault(cluster: Cluster, database: string): Promise<{ secrets: number; beside: boolean }> {
  return cluster.admin(async (client) => {
    const known = await client.query<{ vault: boolean; beside: boolean }>(
      // The extension's own table: a project's view of that name would run its functions.
      `select exists (
         select from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner and r.rolsuper
         where c.oid = pg_catalog.to_regclass('vault.secrets') and c.relkind = 'r') as vault, not exists (
         select from pg_catalog.pg_proc where oid = pg_catalog.to_regprocedure('vault._key(bytea,bytea)')
           and pg_catalog.strpos(prosrc, 'homebase_vault.key') > 0) as beside`,
    );
    const { vault = false, beside = false } = known.rows[0] ?? {};
    if (!vault) return { secrets: 0, beside };
    const { rows } = await client.query<{ count: number }>(
      "select pg_catalog.count(*)::int as count from vault.secrets",
    );
    return { secrets: rows[0]?.count ?? 0, beside };
  }, database);
}

/** Drops the templates, so that they are rebuilt on next use with the new key. */
async function dropTemplates(cluster: Cluster): Promise<void> {
  const { rows } = await cluster.admin((client) =>
    client.query<{ datname: string }>(
      "select datname from pg_database where datname like 'homebase\\_template\\_%'",
    ),
  );
  for (const { datname } of rows) await dropDatabase(cluster, datname);
}
