/** Owns what a killed run left on a data folder: a server that still runs, and lock files that no server has. */
import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../core/log.ts";
import { isAlive } from "../../core/process-alive.ts";
import { type ServerPlace, type ServerPlatform, socketPlatform } from "./platform.ts";
import { gone, PID_FILE, postmasterPid, readPidFile } from "./server-process.ts";

const STOP_TIMEOUT_MS = 10_000;
const CHILD_TIMEOUT_MS = 2_000;
const CHECK_MS = 20;

/**
 * Stops the server that a killed run left on this data folder, and removes the lock files that would keep the
 * next one from starting. The caller holds the lock on the data.
 * @param place its socket folder is used by servers of its data folder only
 */
export async function stopOrphanedServer(
  place: ServerPlace,
  log: Log,
  platform: ServerPlatform = socketPlatform,
): Promise<void> {
  const { folder, socketFolder } = place;
  const pid = postmasterPid(folder) ?? runningServer(folder);
  if (pid && isAlive(pid)) {
    log.warn("Stopping a Postgres left by an earlier run.", { pid });
    await platform.end(place, pid, "fast");
    await gone(pid, STOP_TIMEOUT_MS).catch(async () => {
      await platform.end(place, pid, "immediate");
      await gone(pid, STOP_TIMEOUT_MS);
    });
  }
  const lines = readPidFile(folder);
  const sockets = namesIn(socketFolder).filter((name) => name.startsWith(".s.PGSQL."));
  if (!lines && sockets.length === 0) return;
  const unused = await isUnused(place, log, platform);
  // Postgres does not start with a pid file that it cannot read, either.
  if (unused || !/^-?\d+$/.test(lines?.[0] ?? "")) rmSync(join(folder, PID_FILE), { force: true });
  if (unused) for (const name of sockets) rmSync(join(socketFolder, name), { force: true });
}

/**
 * Whether no process of a server is left on this folder. Then its lock files are stale, although Postgres would
 * refuse to start while a process of their id exists: a zombie, or a stranger's that was given the same id (in
 * containers ids repeat). The children of a killed server end on their own after a moment, but for one that waits for
 * a lock of another killed one, or computes: these are killed, as a crash would, and Postgres recovers as after one.
 */
async function isUnused(place: ServerPlace, log: Log, platform: ServerPlatform): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const { folder } = place;
  const patience = Date.now() + CHILD_TIMEOUT_MS;
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  const killed = new Set<number>();
  for (let users = usersOf(folder); users.length > 0; users = usersOf(folder)) {
    if (Date.now() > deadline) return false;
    if (Date.now() > patience)
      for (const pid of users.filter((one) => isServerChild(one) && !killed.has(one))) {
        log.warn("Killing a process of Postgres that an earlier run has left and that does not end.", {
          pid,
        });
        await platform.end(place, pid, "kill");
        killed.add(pid);
      }
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  }
  return true;
}

/** The processes that work in this folder: all of a Postgres server's do so in its data folder. */
function usersOf(folder: string): number[] {
  return namesIn("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === folder;
      } catch {
        // It has ended, or is another user's.
        return false;
      }
    });
}

/** Whether it is a server's own child, and not somebody's shell in the folder. */
function isServerChild(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("postgres: ");
  } catch {
    return false;
  }
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
