/** Owns what a snapshot needs to be opened: the versions that it was saved with, and why others refuse it. */

import { CommandError } from "../../src/cli/kit/terminal.ts";
import { DATABASE, StackDatabases } from "../../src/developer/stack-databases.ts";
import { postgresVersion } from "../../src/postgres/cluster/binaries.ts";
import type { ClusterClient } from "../../src/postgres/cluster/cluster-client.ts";
import { baseSetting } from "../../src/postgres/cluster/template-databases.ts";
import { extensionEntry } from "../../src/postgres/extensions/classes.ts";
import { installedExtensions } from "../../src/postgres/extensions/installed.ts";
import { systemExtensions } from "../../src/postgres/extensions/system.ts";
import { newestRelease, RELEASE_SETTING } from "../../src/postgres/upgrades/apply.ts";

/** The versions of a state's database. */
export interface Versions {
  /** e.g. "17.10" */
  postgres: string;
  /** e.g. "linux-x64": the files of another kind of machine cannot be read. */
  machine: string;
  /** Of Homebase's own SQL. */
  release: string;
  base: string;
  /** By name, whether its code is real or a stand-in. */
  extensions: Record<string, string>;
  /** The newest migration that was applied; null without one. */
  migration: string | null;
}

const machine = () => `${process.platform}-${process.arch}`;

/** @throws CommandError when the database is not complete */
export async function versionsOf(cluster: ClusterClient): Promise<Versions> {
  const settings = (await new StackDatabases(cluster).read()).get(DATABASE);
  const release = settings?.[RELEASE_SETTING];
  if (!settings || release === undefined || settings["homebase.stage"] !== undefined)
    throw new CommandError(
      "The database is not complete yet, so there is nothing to save. Run homebase start first.",
    );
  const database = cluster.database(DATABASE);
  const extensions = await installedExtensions(database);
  return {
    postgres: postgresVersion(),
    machine: machine(),
    release,
    base: settings[baseSetting().name] ?? "",
    extensions: Object.fromEntries(extensions.map(({ name, class: kind }) => [name, kind])),
    migration: await newestMigration(database),
  };
}

async function newestMigration(database: ReturnType<ClusterClient["database"]>): Promise<string | null> {
  const table = "supabase_migrations.schema_migrations";
  const found = await database.query<{ table: string | null }>(
    "postgres",
    "select to_regclass($1) as table",
    [table],
  );
  if (!found.rows[0]?.table) return null;
  const { rows } = await database.query<{ newest: string | null }>(
    "postgres",
    `select max(version) as newest from ${table}`,
  );
  return rows[0]?.newest ?? null;
}

/** Why a state of these versions cannot be opened here, in words; undefined when it can. */
export function unfitReason({
  postgres,
  machine: other,
  release,
  base,
  extensions,
}: Versions): string | undefined {
  const [major] = postgresVersion().split(".");
  if (postgres.split(".")[0] !== major)
    return `it was saved with Postgres ${postgres}, and this version of Homebase runs ${postgresVersion()}`;
  if (other !== machine()) return `it was saved on ${other}, and this machine is ${machine()}`;
  const newest = newestRelease();
  if (Number(release) > newest)
    return `it was saved with a newer Homebase (its release is ${release}, this one knows ${newest}); update homebase-stack`;
  if (Number(release) === newest && base !== baseSetting().value)
    return "it was saved with a development version of Homebase, which no other version reads";
  const system = new Set(systemExtensions().names);
  for (const [name, kind] of Object.entries(extensions)) {
    const here = system.has(name) ? "real" : (extensionEntry(name)?.class ?? "real");
    if (here !== kind)
      return `it has the extension ${name} as ${WORDS[kind] ?? kind}, and here it is ${WORDS[here]}; HOMEBASE_EXTENSIONS names the folder of real ones`;
  }
  return undefined;
}

const WORDS: Record<string, string> = {
  real: "the real one",
  "stand-in": "emulated by Homebase",
  inert: "inert",
  refused: "not available",
};
