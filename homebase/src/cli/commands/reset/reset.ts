/** Owns `homebase reset`: rebuilds database and stored files from the project's files. */
import { mkdirSync, renameSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { Config } from "../../../config/config.ts";
import { silentLog } from "../../../core/log.ts";
import { DataLock } from "../../../developer/data-lock.ts";
import { DeveloperStack } from "../../../developer/developer-stack.ts";
import type { StackWing } from "../../../developer/stack-wing.ts";
import { Cluster } from "../../../postgres/cluster/cluster.ts";
import { DataFolderError } from "../../../postgres/cluster/data-folder.ts";
import { vaultKeyPath } from "../../../postgres/cluster/vault-key.ts";
import { readMigrations, seedFiles } from "../../../postgres/files/project-files.ts";
import { control } from "../../kit/control.ts";
import { resetFailure } from "../../kit/errors.ts";
import { type Command, configFor, parseOptions, type Refused, sharedHelp } from "../../kit/options.ts";
import { controlSocketPath, stateFolder } from "../../kit/state.ts";
import { CommandError, endProgress, progress } from "../../kit/terminal.ts";

const ONLY_HERE =
  "homebase reset rebuilds the database of this machine only. For another one use the Supabase CLI: npx supabase db reset";
/** Comes before every version: no migration is applied. */
const NO_MIGRATION = "-";
const REFUSED: Refused = {
  linked: ONLY_HERE,
  "db-url": ONLY_HERE,
  "sql-paths": "[db.seed] sql_paths in supabase/config.toml names the seed's files.",
};

export const reset: Command = {
  help: `Usage: homebase reset [options]

Builds a new database from supabase/migrations and the seed, then replaces the current one; stored files are
removed and the buckets of config.toml created again. A running stack keeps serving meanwhile. If a file fails,
nothing is changed. The old data is kept until the new data is complete.

If the current database cannot be opened, it and the stored files are moved into .homebase/aside, and stay
there.

After --version or --last the later migrations wait: neither a start nor a save applies them, also of new files, until
homebase migrate, homebase migration up or another reset. The seed runs all the same; --no-seed leaves it out.

Unlike the Supabase CLI's db reset, it works without a running stack too, and on this machine's database only: --linked
and --db-url are refused.

Options:
  --version VERSION  end with this migration
  --last N           leave out the newest N migrations
  --no-seed          leave out the seed; later starts do not run it either
  --local            this machine's database, which it is anyway
  -y, --yes          do not ask, which it never does
${sharedHelp}

Examples:
  homebase reset
  homebase reset --no-seed
  homebase reset --version 20260101000000`,
  run: async (args, wings) => {
    const options = {
      "no-seed": { type: "boolean" },
      local: { type: "boolean" },
      yes: { type: "boolean", short: "y" },
      version: { type: "string" },
      last: { type: "string" },
    } as const;
    const { values } = parseOptions(args, options, false, REFUSED);
    const seed = !values["no-seed"];
    const config = configFor(values);
    const lastMigration = lastMigrationOf(config, values);
    const began = performance.now();
    if (!values.json) progress("Rebuilding");
    let aside: string[] = [];
    try {
      const done = await control(controlSocketPath(config), "reset", { seed, lastMigration });
      if (done === undefined) aside = await resetAlone(config, { seed, lastMigration }, wings);
    } catch (error) {
      throw lastMigration !== undefined && seed ? withSeedHint(error, config) : error;
    } finally {
      endProgress();
    }
    const milliseconds = Math.round(performance.now() - began);
    const version = lastMigration === NO_MIGRATION ? null : lastMigration;
    const moved = aside.map((path) => `The previous data is in ${path}\n`).join("");
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ reset: true, version, milliseconds, ...(aside.length > 0 ? { aside } : {}) })}\n`
        : `${moved}Rebuilt${upTo(version)} in ${milliseconds} ms.${waiting(version)}\n`,
    );
    // Without a running stack, its pools have only just begun to close.
    process.exit(0);
  },
};

const upTo = (version: string | null | undefined) =>
  version === undefined ? "" : version === null ? " without migrations" : ` up to ${version}`;
const waiting = (version: string | null | undefined) =>
  version === undefined ? "" : " Later migrations wait for homebase migrate.";

/** The version to end with, by the options. @throws CommandError when no file has it */
function lastMigrationOf(
  config: Config,
  { version, last }: { version?: string | undefined; last?: string | undefined },
): string | undefined {
  if (version !== undefined && last !== undefined)
    throw new CommandError("--version and --last exclude each other.", 2);
  if (last !== undefined && !/^\d+$/.test(last))
    throw new CommandError(`--last takes a whole number, not ${last}.`, 2);
  if (version !== undefined && !/^\d+$/.test(version))
    throw new CommandError(
      `--version takes the digits at the start of a migration's name, not ${version}.`,
      2,
    );
  if (version === undefined && Number(last ?? 0) === 0) return undefined;
  const versions = readMigrations(config).map((migration) => migration.version);
  if (version === undefined) return versions.at(-1 - Number(last)) ?? NO_MIGRATION;
  if (!versions.includes(version))
    throw new CommandError(`No file of supabase/migrations has the version ${version}.`, 2);
  return version;
}

/** A seed is written for all migrations. */
function withSeedHint(error: unknown, config: Config): unknown {
  if (!(error instanceof CommandError)) return error;
  const seeds = seedFiles(config).map((file) => relative(config.projectFolder, file));
  if (!seeds.some((file) => error.message.includes(file))) return error;
  return new CommandError(`${error.message}\nThe seed may need a later migration: --no-seed leaves it out.`);
}

/** Resets without a running stack. @returns where an unusable database and its files were moved. */
async function resetAlone(
  config: Config,
  options: { seed: boolean; lastMigration: string | undefined },
  wings: readonly StackWing[],
): Promise<string[]> {
  const { seed, lastMigration } = options;
  const lock = await DataLock.take(config.projectFolder, { command: "homebase reset" });
  const start = () => DeveloperStack.start({ config, log: silentLog, lock, wings, leaveDatabase: true });
  let aside: string[] = [];
  const stack = await start()
    .catch((error: unknown) => {
      if (!(error instanceof DataFolderError)) throw new CommandError(resetFailure(error));
      aside = setAside(config);
      return start();
    })
    .catch((error: unknown) => {
      if (aside.length === 0 || !(error instanceof Error)) throw error;
      throw new CommandError(`The previous data is in ${aside.join(" and ")}.\n${error.message}`);
    });
  try {
    if (stack.cluster.created && seed && lastMigration === undefined) {
      const { failed } = stack.migrated;
      if (failed) throw new CommandError(`The database was rebuilt, but without this:\n${failed.describe()}`);
    } else {
      await stack.reset(options).catch((error: unknown) => {
        throw new CommandError(resetFailure(error));
      });
    }
  } finally {
    await stack.stop();
    lock.release();
  }
  return aside;
}

/** Moves a database that cannot be opened, and the stored files, away. */
function setAside(config: Config): string[] {
  const name = new Date().toISOString().replace(/[:.]/g, "-");
  const data = Cluster.dataFolder(config.projectFolder);
  const own = stateFolder(config);
  const moved = new Set<string>();
  for (const path of [
    data,
    vaultKeyPath(data),
    ...["storage", "storage.next", "storage.previous"].map((one) => join(own, one)),
  ]) {
    // Next to what is moved: another folder may be on another disk.
    const folder = join(dirname(path), "aside", name);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      renameSync(path, join(folder, basename(path)));
      moved.add(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return [...moved];
}
