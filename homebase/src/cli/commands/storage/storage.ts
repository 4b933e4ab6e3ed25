/** Owns `homebase storage`, whose only subcommand is `check`: checks that stored files and their rows match. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../../config/config.ts";
import { DataLock } from "../../../developer/data-lock.ts";
import { ProjectDatabase } from "../../../developer/project-database.ts";
import { DATABASE } from "../../../developer/stack-databases.ts";
import { StorageFolder } from "../../../developer/storage-folder.ts";
import { Cluster } from "../../../postgres/cluster/cluster.ts";
import type { Database } from "../../../postgres/database.ts";
import { checkStorage, type StorageCheck } from "../../../storage/objects/consistency-check.ts";
import { control } from "../../kit/control.ts";
import { group } from "../../kit/group.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { databaseAt } from "../../kit/running.ts";
import { controlSocketPath, stateFolder } from "../../kit/state.ts";
import { CommandError, endProgress, paint, progress } from "../../kit/terminal.ts";

const MOST_SHOWN = 20;

const check: Command = {
  help: `Usage: homebase storage check [options]

Compares the rows of storage.objects and of unfinished S3 uploads with the files in .homebase/storage, whether
or not the stack is running, and changes nothing. Exits with 1 when an object's file is missing or damaged, or
when a file has no row. The next start removes files without a row. Files of unfinished uploads are counted, but
are not a fault.

Options:
  --hash             read all bytes and compare their hashes too, not only their lengths
${sharedHelp}

Examples:
  homebase storage check --hash`,
  run: async (args) => {
    const { values } = parseOptions(args, { hash: { type: "boolean" } });
    const config = configFor(values);
    if (!values.json) progress("Checking");
    const result = await withDatabase(config, (database) =>
      checkStorage(
        { database, storageFolder: join(stateFolder(config), "storage") },
        { hash: values.hash ?? false },
      ),
    ).finally(endProgress);
    process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : `${describe(result)}\n`);
    const faults = result.missing.length + result.damaged.length + result.orphans.length;
    if (faults > 0) throw new CommandError(`${faults} ${faults === 1 ? "fault" : "faults"} found.`);
  },
};

export const storage = group({
  name: "storage",
  about: "Looks at the stored files.",
  subcommands: {
    check: { summary: "check that stored files and their rows match", load: async () => check },
  },
  examples: ["homebase storage check"],
});

/** The project's database: the running stack's, or that of a temporary Postgres. */
async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const running = await control<{ variables: { DB_URL: string } }>(controlSocketPath(config), "status");
  if (running) {
    // The running stack reports its own address, because its ports may differ.
    const database = databaseAt(running.variables.DB_URL);
    return work(database).finally(() => database.close());
  }
  const none = new CommandError("This project has no data yet. Make some with: homebase start");
  if (!existsSync(stateFolder(config))) throw none;
  const lock = await DataLock.take(config.projectFolder, { command: "homebase storage check" });
  try {
    if (!Cluster.exists(config.projectFolder)) throw none;
    const cluster = await Cluster.start({
      projectFolder: config.projectFolder,
      port: undefined,
      durable: true,
      settings: config.db.settings,
    });
    try {
      const present = await new ProjectDatabase(cluster, config).present();
      if (!present) throw none;
      new StorageFolder(stateFolder(config)).refuseOtherThan(present.id);
      return await work(cluster.database(DATABASE));
    } finally {
      await cluster.stop();
    }
  } finally {
    lock.release();
  }
}

function describe(check: StorageCheck): string {
  const objects = (names: StorageCheck["missing"]) => names.map(({ bucket, key }) => `${bucket}/${key}`);
  const sections: [string, string[]][] = [
    ["Missing files", objects(check.missing)],
    ["Damaged files", objects(check.damaged)],
    ["Files without a row", check.orphans],
  ];
  const faults = sections
    .filter(([, names]) => names.length > 0)
    .map(([title, names]) => `${paint("red", title)} (${names.length})\n${listed(names)}`);
  const counted = `${check.objects} objects and ${check.parts} parts checked, ${check.unfinished.length} unfinished files.`;
  return faults.length === 0 ? `${paint("green", "No faults:")} ${counted}` : [...faults, counted].join("\n");
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_SHOWN).map((name) => `  ${name}`);
  return [
    ...shown,
    ...(names.length > MOST_SHOWN ? [`  and ${names.length - MOST_SHOWN} more (all with --json)`] : []),
  ].join("\n");
}
