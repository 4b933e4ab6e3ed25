/** Owns what a killed run left on a data folder: a server that still runs, and lock files that no server has. */
import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../core/log.ts";
import { isAlive } from "../../core/process-alive.ts";
import { gone, kill, PID_FILE, postmasterPid, readPidFile } from "./server-process.ts";

const STOP_TIMEOUT_MS = 10_000;
const CHECK_MS = 20;

/**
 * Stops the server that a killed run left on this data folder, and removes the lock files that would keep the
 * next one from starting. The caller holds the lock on the data.
 * @param socketFolder where only servers of this data folder have their sockets
 */
export async function stopOrphanedServer(folder: string, socketFolder: string, log: Log): Promise<void> {
  const pid = postmasterPid(folder) ?? runningServer(folder);
  if (pid && isAlive(pid)) {
    log.warn("Stopping a Postgres left by an earlier run.", { pid });
    kill(pid, "SIGINT");
    await gone(pid, STOP_TIMEOUT_MS).catch(async () => {
      kill(pid, "SIGQUIT");
      await gone(pid, STOP_TIMEOUT_MS);
    });
  }
  const lines = readPidFile(folder);
  const sockets = namesIn(socketFolder).filter((name) => name.startsWith(".s.PGSQL."));
  if (!lines && sockets.length === 0) return;
  const unused = await isUnused(folder);
  // Postgres does not start with a pid file that it cannot read, either.
  if (unused || !/^\d+$/.test(lines?.[0] ?? "")) rmSync(join(folder, PID_FILE), { force: true });
  if (unused) for (const name of sockets) rmSync(join(socketFolder, name), { force: true });
}

/**
 * Whether no process of a server is left on this folder. Then its lock files are stale, although Postgres would
 * refuse to start while a process of their id exists: a zombie, or a stranger's that was given the same id (in
 * containers ids repeat). The children of a killed server end on their own after a moment.
 */
async function isUnused(folder: string): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (isUsed(folder)) {
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  }
  return true;
}

/** Whether any process works in this folder: all of a Postgres server's do so in its data folder. */
function isUsed(folder: string): boolean {
  return namesIn("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readlinkSync(`/proc/${name}/cwd`) === folder;
    } catch {
      // It has ended, or is another user's.
      return false;
    }
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * The server of a folder whose pid file does not name it. Postgres would not detect it, and two servers on
 * one folder destroy it.
 */
function runningServer(folder: string): number | undefined {
  if (process.platform !== "linux") return undefined;
  for (const name of namesIn("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      if (words[0]?.endsWith("/bin/postgres") && words[1] === "-D" && words[2] === folder) return pid;
    } catch {
      // The process has exited meanwhile.
    }
  }
  return undefined;
}
