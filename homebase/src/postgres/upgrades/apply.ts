/**
 * Owns which databases this Homebase takes, and bringing one of an earlier release up to date: numbered steps, each once,
 * in order, in a transaction that also stores the release. Until the first release there is none, and a database of a
 * development version is refused (docs/decisions/0023-package.md). With the last step the functions of the extensions of
 * our own are replaced.
 */
import type { ClusterClient } from "../cluster/cluster-client.ts";
import { DataFolderError } from "../cluster/data-folder.ts";
import { baseSetting, renewPowers } from "../cluster/template-databases.ts";
import { renewExtensions } from "../extensions/renew.ts";
import { transactWith } from "../transaction.ts";

/** A step from one release of Homebase's own SQL to the next. Run by the superuser; safe to run twice. */
export interface Upgrade {
  /** The release that a database has after it. */
  release: number;
  name: string;
  sql: string;
}

/** The database setting with its release. Development versions had another. */
export const RELEASE_SETTING = "homebase.release";
const FIRST_RELEASE = 1;
const UPGRADES: readonly Upgrade[] = [];

type Settings = Readonly<Record<string, string>>;

/** The release of a new database. */
export function newestRelease(upgrades: readonly Upgrade[] = UPGRADES): number {
  return upgrades.at(-1)?.release ?? FIRST_RELEASE;
}

/**
 * Changes nothing. @param settings the database's. @throws DataFolderError for a database that this Homebase cannot
 * bring up to date
 */
export function refuseOtherVersions(settings: Settings, upgrades: readonly Upgrade[] = UPGRADES): void {
  const given = settings[RELEASE_SETTING];
  const release = Number(given);
  const newest = newestRelease(upgrades);
  if (given !== undefined && (!Number.isInteger(release) || release > newest)) {
    throw new DataFolderError(
      `This database was used by a newer Homebase (its release is ${given}, this Homebase knows ${newest}). ` +
        "Nothing was changed. Update homebase-stack and start again.",
    );
  }
  const base = baseSetting();
  if (given === undefined || (release === newest && settings[base.name] !== base.value)) {
    throw new DataFolderError(
      "This database was made by a development version of Homebase, which no other version brings up to date. " +
        "Nothing was changed. Start it with the version that made it; or run homebase reset, which moves the database and " +
        "the stored files into .homebase/aside and builds new ones from your files.",
    );
  }
}

/**
 * Applies the missing steps. @param settings as `refuseOtherVersions` has taken them.
 * @returns the names of the applied steps.
 * @throws DataFolderError when a step fails: the earlier ones stay applied.
 */
export async function bringUpToDate(
  cluster: ClusterClient,
  database: string,
  settings: Settings,
  upgrades: readonly Upgrade[] = UPGRADES,
): Promise<string[]> {
  const missing = upgrades.filter(({ release }) => release > Number(settings[RELEASE_SETTING]));
  if (missing.length === 0) return [];
  await renewPowers(cluster, database);
  for (const step of missing) {
    await cluster.admin(async (client) => {
      const set = (name: string, value: string) =>
        client.query(
          `alter database ${client.escapeIdentifier(database)} set ${client.escapeIdentifier(name)} = ${client.escapeLiteral(value)}`,
        );
      await transactWith(client, async () => {
        await client.query(step.sql);
        await client.query("reset all; reset role");
        if (step === missing.at(-1)) {
          await renewExtensions(client);
          const base = baseSetting();
          await set(base.name, base.value);
        }
        await set(RELEASE_SETTING, String(step.release));
      }).catch((error: Error) => {
        throw new DataFolderError(
          `The database could not be brought up to date: ${step.name} failed: ${error.message}. ` +
            "It is as it was before that step, and your rows are in it. Ways on: change what stands in the way with " +
            "the Homebase that you used before, and start again; or report this as a fault of Homebase.",
          { cause: error },
        );
      });
    }, database);
  }
  return missing.map(({ name }) => name);
}
