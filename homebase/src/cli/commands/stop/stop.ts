/** Owns `homebase stop`. */
import { type LockHolder, lockHolder } from "../../../developer/data-lock.ts";
import { control } from "../../kit/control.ts";
import { type Command, configFor, parseOptions, type Refused, sharedHelp } from "../../kit/options.ts";
import { controlSocketPath } from "../../kit/state.ts";
import { CommandError } from "../../kit/terminal.ts";

const PATIENCE_MS = 25_000;
const LOOK_MS = 50;

const REFUSED: Refused = {
  "no-backup":
    "a stop deletes nothing. homebase reset starts over from your files; for no data at all stop, then remove .homebase.",
  all: "each project is stopped by itself: homebase stop --workdir FOLDER.",
  "project-id": "a project is named by its folder: homebase stop --workdir FOLDER.",
};

export const stop: Command = {
  help: `Usage: homebase stop [options]

Stops the stack of this project, wherever it was started. Data stays in .homebase/. The Supabase CLI's --no-backup,
which deletes it, --all and --project-id are refused.

Options:
  --backup           keep the data, which happens anyway
${sharedHelp}

Examples:
  homebase stop
  homebase stop --workdir ../other-app`,
  run: async (args) => {
    const { values } = parseOptions(args, { backup: { type: "boolean" } }, false, REFUSED);
    const config = configFor(values);
    const socket = controlSocketPath(config);
    const running = await control<{ pid: number }>(socket, "status");
    const holder = lockHolder(config.projectFolder);
    if (running) await control(socket, "stop");
    // A stack that is still starting does not listen yet; a signal stops it in order too.
    else if (holder) terminate(holder);
    if (running || holder) await ended(config.projectFolder, socket);
    const stopped = Boolean(running ?? holder);
    const text = stopped ? "Stopped." : "Nothing was running.";
    process.stdout.write(values.json ? `${JSON.stringify({ stopped })}\n` : `${text}\n`);
  },
};

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
