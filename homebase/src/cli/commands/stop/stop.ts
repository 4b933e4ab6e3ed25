/** Owns `homebase stop`. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../../config/config.ts";
import { DataLock, type LockHolder, lockHolder } from "../../../developer/data-lock.ts";
import { Cluster } from "../../../postgres/cluster/cluster.ts";
import { vaultKeyPath } from "../../../postgres/cluster/vault-key.ts";
import { control } from "../../kit/control.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { controlSocketPath, stateFolder } from "../../kit/state.ts";
import { CommandError } from "../../kit/terminal.ts";

const PATIENCE_MS = 25_000;
const LOOK_MS = 50;

const OTHERS = "Stacks of other projects, if there are any, run on: homebase stop --workdir FOLDER.\n";

export const stop: Command = {
  help: `Usage: homebase stop [options]

Stops the stack of this project, wherever it was started. Data stays in .homebase/, unless --no-backup deletes it.

Options:
  --backup           keep the data, which happens anyway
  --no-backup        delete the database and the stored files; the next start makes new ones of the project's files
  --all              this project's stack, as without it: those of other projects are not known here
  --project-id ID    this project's, by project_id of config.toml
${sharedHelp}

Examples:
  homebase stop
  homebase stop --workdir ../other-app`,
  run: async (args) => {
    const { values } = parseOptions(args, {
      backup: { type: "boolean" },
      "no-backup": { type: "boolean" },
      all: { type: "boolean" },
      "project-id": { type: "string" },
    });
    const config = configFor(values);
    const id = values["project-id"];
    if (id !== undefined && id !== config.project_id) {
      throw new CommandError(
        `This project's id is ${config.project_id}. A project is named by its folder: homebase stop --workdir FOLDER.`,
        2,
      );
    }
    const socket = controlSocketPath(config);
    const running = await control<{ pid: number }>(socket, "status");
    const holder = lockHolder(config.projectFolder);
    if (running) await control(socket, "stop");
    // A stack that is still starting does not listen yet; a signal stops it in order too.
    else if (holder) terminate(holder);
    if (running || holder) await ended(config.projectFolder, socket);
    const stopped = Boolean(running ?? holder);
    if (values["no-backup"]) await removeData(config);
    if (values.all) process.stderr.write(OTHERS);
    const text = `${stopped ? "Stopped." : "Nothing was running."}${values["no-backup"] ? " The data is deleted." : ""}`;
    process.stdout.write(values.json ? `${JSON.stringify({ stopped })}\n` : `${text}\n`);
  },
};

/** Deletes a project's data, but not while a command works on it. @throws DataLocked */
async function removeData(config: Config): Promise<void> {
  const { projectFolder } = config;
  const folder = stateFolder(config);
  if (!existsSync(folder)) return;
  const lock = await DataLock.take(projectFolder, { command: "homebase stop" });
  const data = Cluster.dataFolder(projectFolder);
  try {
    for (const path of [
      data,
      vaultKeyPath(data),
      ...["storage", "storage.next", "storage.previous", "branch"].map((name) => join(folder, name)),
    ])
      rmSync(path, { recursive: true, force: true });
  } finally {
    lock.release();
  }
}

function terminate({ pid, command }: LockHolder): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return;
    throw new CommandError(`${command} (pid ${pid}) belongs to another user, who has to stop it.`);
  }
}

/** Resolves once no process listens or holds the lock. */
async function ended(projectFolder: string, socket: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const holder = lockHolder(projectFolder);
    if (!holder && !(await control(socket, "status").catch(() => undefined))) return;
    if (Date.now() > deadline) {
      const who = holder ? `${holder.command} (pid ${holder.pid})` : "The stack";
      throw new CommandError(`${who} has not stopped after ${PATIENCE_MS / 1000} s.`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
