/**
 * Owns upgrading a database of an earlier Homebase: the numbered files in this folder, each applied once, in
 * order, in its own transaction, which also stores the new version. A change of `bootstrap/*.sql` comes with
 * a file here (docs/decisions/0023-package.md); a test compares the results. With the last file the functions of the
 * extensions of our own are replaced.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ClusterClient } from "../cluster/cluster-client.ts";
import { DataFolderError } from "../cluster/data-folder.ts";
import { renewExtensions } from "../extensions/renew.ts";
import { transactWith } from "../transaction.ts";

/** A step from one version of Homebase's own SQL to the next. Run by the superuser; safe to run twice. */
export interface Upgrade {
  /** The version that a database has after it. */
  version: number;
  file: string;
  sql: string;
}

/** The database setting with its version; databases older than versions lack it. */
export const VERSION_SETTING = "homebase.version";
/** The hash of the SQL of version 0. */
export const FIRST_BASE = "homebase_base_b87a4048bb9b";

/** The files `NNNN_what.sql` of a folder, in order. @throws when two have the same number. */
export function readUpgrades(folder: string = import.meta.dirname): Upgrade[] {
  const upgrades = readdirSync(folder)
    .filter((file) => /^\d{4}_[\w-]+\.sql$/.test(file))
    .sort()
    .map((file) => ({
      version: Number(file.slice(0, 4)),
      file,
      sql: readFileSync(join(folder, file), "utf8"),
    }));
  for (const [at, { version, file }] of upgrades.entries()) {
    if (version !== at + 1) throw new Error(`${file} should have the number ${at + 1}.`);
  }
  return upgrades;
}

/** The version of a new database. */
export function newestVersion(upgrades: readonly Upgrade[] = readUpgrades()): number {
  return upgrades.at(-1)?.version ?? 0;
}

/**
 * Applies the missing files.
 * @param settings the database's, which include its version.
 * @returns the applied files.
 * @throws DataFolderError when the database is of a newer Homebase, or when a file fails: the earlier files
 * stay applied.
 */
export async function bringUpToDate(
  cluster: ClusterClient,
  database: string,
  settings: Readonly<Record<string, string>>,
  upgrades: readonly Upgrade[] = readUpgrades(),
): Promise<string[]> {
  const version = Number(settings[VERSION_SETTING] ?? 0);
  const newest = newestVersion(upgrades);
  if (!Number.isInteger(version) || version > newest) {
    throw new DataFolderError(
      `This database was used by a newer Homebase (its version is ${settings[VERSION_SETTING]}, this Homebase knows ${newest}). ` +
        "Nothing was changed. Update homebase-stack and start again.",
    );
  }
  const applied: string[] = [];
  for (const { version: next, file, sql } of upgrades.slice(version)) {
    await cluster.admin(async (client) => {
      const name = client.escapeIdentifier(database);
      await transactWith(client, async () => {
        await client.query(sql);
        await client.query("reset all; reset role");
        if (next === newest) await renewExtensions(client);
        await client.query(`alter database ${name} set ${VERSION_SETTING} = '${next}'`);
      }).catch((error: Error) => {
        throw new DataFolderError(
          `The database could not be brought up to date: ${file} failed: ${error.message}. ` +
            "It is as it was before that file, and your rows are in it. Ways on: change what stands in the way with " +
            "the Homebase that you used before, and start again; or report this as a fault of Homebase.",
          { cause: error },
        );
      });
    }, database);
    applied.push(file);
  }
  return applied;
}
