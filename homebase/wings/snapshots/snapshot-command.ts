/** Owns `homebase snapshot`: its subcommands, which ask the running stack or work under the lock on the data. */
import { control } from "../../src/cli/kit/control.ts";
import { group } from "../../src/cli/kit/group.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../src/cli/kit/options.ts";
import { controlSocketPath, stateFolder } from "../../src/cli/kit/state.ts";
import { textTable } from "../../src/cli/kit/table.ts";
import { CommandError, endProgress, progress } from "../../src/cli/kit/terminal.ts";
import type { Config } from "../../src/config/config.ts";
import type { Restored } from "./restore.ts";
import type { Saved } from "./save.ts";
import { BEFORE_RESTORE, listStates, snapshotPath } from "./snapshot-folder.ts";
import { CopyProgress } from "./tree-copy.ts";

const LOOK_MS = 300;

const save: Command = {
  help: `Usage: homebase snapshot save NAME [options]

Saves the database with its roles and settings, the files of Storage, the inbox and Vault's key, together, into
.homebase/snapshots/NAME. In a running stack Postgres is stopped meanwhile: requests wait, sockets of Realtime are closed
and connect again. Postgres's files are copied by reflink where the file system can, which takes a moment, and else
byte by byte. Stored files are shared by hard links.

Options:
${sharedHelp}

Examples:
  homebase snapshot save before-import`,
  run: async (args) => {
    const { config, name, json } = named(args, "save");
    const saved = await watched(json, config, async (copying): Promise<Saved> => {
      const done = await control<Saved>(controlSocketPath(config), "snapshotSave", name);
      return done ?? (await import("./alone.ts")).saveAlone(config, name, copying);
    });
    const { bytes, milliseconds, waited, reflink } = saved;
    const waiting = waited === undefined ? "" : ` Requests waited ${seconds(waited)}.`;
    print(json, { saved: name, ...saved }, [
      `Saved ${name} (${size(bytes)}) in ${seconds(milliseconds)}.${waiting}`,
      ...copied(reflink),
    ]);
  },
};

const restore: Command = {
  help: `Usage: homebase snapshot restore NAME [options]

Puts the saved state in place of the current one: database, stored files, inbox and Vault's key. Migrations that are
newer than the snapshot are applied. The stack's keys stay; sessions that the snapshot does not know have ended. The
replaced state is kept as the snapshot ${BEFORE_RESTORE} until the next restore. If anything fails, or the command is
killed, the current state stays. A running stack keeps its ports: requests wait meanwhile.

Options:
${sharedHelp}

Examples:
  homebase snapshot restore before-import
  homebase snapshot restore ${BEFORE_RESTORE}     # takes the last restore back`,
  run: async (args, wings) => {
    const { config, name, json } = named(args, "restore");
    const done = await watched(json, config, async (copying) => {
      const held = await control<Restored>(controlSocketPath(config), "snapshotRestore", name);
      return held ?? (await import("./alone.ts")).restoreAlone(config, name, copying, wings);
    });
    const { applied, failed, milliseconds, waited, reflink } = done;
    const waiting = waited === undefined ? "" : ` Requests waited ${seconds(waited)}.`;
    print(json, { restored: name, ...done }, [
      `Restored ${name} in ${seconds(milliseconds)}.${waiting} What it replaced: homebase snapshot restore ${BEFORE_RESTORE}`,
      ...(applied.length > 0 ? [`Applied newer migrations: ${applied.join(", ")}`] : []),
      ...copied(reflink),
    ]);
    if (failed) throw new CommandError(`The snapshot is restored, but without this:\n${failed}`);
    // Without a running stack, its pools have only just begun to close.
    process.exit(0);
  },
};

const list: Command = {
  help: `Usage: homebase snapshot list [options]

Lists the snapshots, newest first: name, date, size, newest migration, and why one cannot be restored here.

Options:
${sharedHelp}

Examples:
  homebase snapshot list --json`,
  run: async (args) => {
    const { values } = parseOptions(args, {});
    const config = configFor(values);
    stateFolder(config);
    const all = listStates(config.projectFolder);
    if (values.json) return void process.stdout.write(`${JSON.stringify(all)}\n`);
    if (all.length === 0)
      return void process.stdout.write("There is no snapshot. Save one with: homebase snapshot save NAME\n");
    const rows = all.map(({ name, made, bytes, migration, unfit }) => [
      name,
      new Date(made).toLocaleString("sv-SE"),
      size(bytes),
      migration ?? "",
      unfit ?? "",
    ]);
    process.stdout.write(textTable(["name", "saved", "size", "newest migration", "not usable"], rows));
  },
};

const remove: Command = {
  help: `Usage: homebase snapshot delete NAME [options]

Deletes a snapshot. The current state is not touched.

Options:
${sharedHelp}

Examples:
  homebase snapshot delete before-import`,
  run: async (args) => {
    const { config, name, json } = named(args, "delete");
    const done = await control(controlSocketPath(config), "snapshotDelete", name);
    if (done === undefined) await (await import("./alone.ts")).deleteAlone(config, name);
    print(json, { deleted: name }, [`Deleted ${name}.`]);
  },
};

export const snapshot = group({
  name: "snapshot",
  about:
    "Saves the state of the stack (database, stored files, inbox, Vault's key) under a name, and goes back to it.",
  subcommands: {
    save: { summary: "save the current state", load: async () => save },
    restore: { summary: "go back to a saved state", load: async () => restore },
    list: { summary: "list the saved states", load: async () => list },
    delete: { summary: "delete a saved state", load: async () => remove },
    branch: {
      summary: "keep a state for each git branch",
      load: async () => (await import("./branch-command.ts")).branch,
    },
  },
  examples: ["homebase snapshot save before-import", "homebase snapshot restore before-import"],
});

/** @throws CommandError without exactly one plain name */
function named(args: string[], what: string): { config: Config; name: string; json: boolean } {
  const { values, positionals } = parseOptions(args, {}, true);
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0)
    throw new CommandError(
      `homebase snapshot ${what} takes one name. See homebase snapshot ${what} --help.`,
      2,
    );
  const config = configFor(values);
  snapshotPath(config.projectFolder, name);
  return { config, name, json: values.json ?? false };
}

/** Shows on a terminal how far the copying is, here or in the running stack. */
async function watched<T>(
  json: boolean,
  config: Config,
  work: (copying: CopyProgress) => Promise<T>,
): Promise<T> {
  const copying = new CopyProgress();
  if (json || !process.stderr.isTTY) return work(copying);
  progress("Copying");
  const look = async () => {
    const held = await control<{ done: number; total: number }>(
      controlSocketPath(config),
      "snapshotProgress",
    );
    const { done, total } = held ?? { done: await copying.done(), total: copying.total };
    if (total > 0) progress(`Copying ${size(done)} of ${size(total)}`);
  };
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  return work(copying).finally(() => {
    clearInterval(timer);
    endProgress();
  });
}

function print(json: boolean, result: unknown, lines: readonly string[]): void {
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${lines.join("\n")}\n`);
}

const copied = (reflink: boolean) =>
  reflink ? [] : ["The database was copied byte by byte: this file system has no reflinks."];
const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

function size(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(2)} GB`;
  return bytes >= 1e6 ? `${Math.round(bytes / 1e6)} MB` : `${Math.ceil(bytes / 1e3)} KB`;
}
