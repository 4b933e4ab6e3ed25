/** Owns `homebase reset`: rebuilds database and stored files from the project's files. */
import { mkdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Config } from "../../../config/config.ts";
import { silentLog } from "../../../core/log.ts";
import { DataLock } from "../../../developer/data-lock.ts";
import { DeveloperStack } from "../../../developer/developer-stack.ts";
import type { StackWing } from "../../../developer/stack-wing.ts";
import { Cluster } from "../../../postgres/cluster/cluster.ts";
import { DataFolderError } from "../../../postgres/cluster/data-folder.ts";
import { vaultKeyPath } from "../../../postgres/cluster/vault-key.ts";
import { control } from "../../kit/control.ts";
import { resetFailure } from "../../kit/errors.ts";
import { type Command, configFor, parseOptions, type Refused, sharedHelp } from "../../kit/options.ts";
import { controlSocketPath, stateFolder } from "../../kit/state.ts";
import { CommandError, endProgress, progress } from "../../kit/terminal.ts";

const ONLY_HERE =
  "homebase reset rebuilds the database of this machine only. For another one use the Supabase CLI: npx supabase db reset";
const EVERY_FILE =
  "the running stack applies every file that its database lacks. Move the later files out of supabase/migrations, then run homebase reset.";
const REFUSED: Refused = {
  linked: ONLY_HERE,
  "db-url": ONLY_HERE,
  version: EVERY_FILE,
  last: EVERY_FILE,
  "sql-paths": "[db.seed] sql_paths in supabase/config.toml names the seed's files.",
};

export const reset: Command = {
  help: `Usage: homebase reset [options]

Builds a new database from supabase/migrations and the seed, then replaces the current one; stored files are
removed and the buckets of config.toml created again. A running stack keeps serving meanwhile. If a file fails,
nothing is changed. The old data is kept until the new data is complete.

If the current database cannot be opened, it and the stored files are moved into .homebase/aside, and stay
there.

Unlike the Supabase CLI's db reset, it works without a running stack too, on this machine's database only, and always
with every migration: --version, --last, --linked and --db-url are refused.

Options:
  --no-seed          leave out the seed; later starts do not run it either
  --local            this machine's database, which it is anyway
  -y, --yes          do not ask, which it never does
${sharedHelp}

Examples:
  homebase reset
  homebase reset --no-seed`,
  run: async (args, wings) => {
    const options = {
      "no-seed": { type: "boolean" },
      local: { type: "boolean" },
      yes: { type: "boolean", short: "y" },
    } as const;
    const { values } = parseOptions(args, options, false, REFUSED);
    const seed = !values["no-seed"];
    const config = configFor(values);
    const began = performance.now();
    if (!values.json) progress("Rebuilding");
    let aside: string[] = [];
    try {
      const done = await control(controlSocketPath(config), "reset", { seed });
      if (done === undefined) aside = await resetAlone(config, seed, wings);
    } finally {
      endProgress();
    }
    const milliseconds = Math.round(performance.now() - began);
    const moved = aside.map((path) => `The previous data is in ${path}\n`).join("");
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ reset: true, milliseconds, ...(aside.length > 0 ? { aside } : {}) })}\n`
        : `${moved}Rebuilt in ${milliseconds} ms.\n`,
    );
    // Without a running stack, its pools have only just begun to close.
    process.exit(0);
  },
};

/** Resets without a running stack. @returns where an unusable database and its files were moved. */
async function resetAlone(config: Config, seed: boolean, wings: readonly StackWing[]): Promise<string[]> {
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
    if (stack.cluster.created && seed) {
      const { failed } = stack.migrated;
      if (failed) throw new CommandError(`The database was rebuilt, but without this:\n${failed.describe()}`);
    } else {
      await stack.reset({ seed }).catch((error: unknown) => {
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
