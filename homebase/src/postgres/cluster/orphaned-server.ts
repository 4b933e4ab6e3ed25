/** Owns what a killed run left on a data folder: a server that still runs, and a pid file that no server has. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../core/log.ts";
import { isAlive } from "../../core/process-alive.ts";
import { gone, kill, PID_FILE, postmasterPid, readPidFile } from "./server-process.ts";

const STOP_TIMEOUT_MS = 10_000;
const CHECK_MS = 20;

/**
 * Stops the server that a killed run left on this data folder, and removes a pid file that would keep the next
 * one from starting. The caller holds the lock on the data.
 */
export async function stopOrphanedServer(folder: string, log: Log): Promise<void> {
  const pid = postmasterPid(folder) ?? runningServer(folder);
  if (pid && isAlive(pid)) {
    log.warn("Ending a Postgres that an earlier run left behind.", { pid });
    kill(pid, "SIGINT");
    await gone(pid, STOP_TIMEOUT_MS).catch(async () => {
      kill(pid, "SIGQUIT");
      await gone(pid, STOP_TIMEOUT_MS);
    });
  }
  const lines = readPidFile(folder);
  if (lines && (!/^\d+$/.test(lines[0] ?? "") || (await isStale(lines)))) {
    rmSync(join(folder, PID_FILE), { force: true });
  }
}

/**
 * Whether no server has the pid file of these lines any more, although Postgres would take it for one and
 * refuse to start: the process of that id is a zombie, or a stranger's that was given the same id (in
 * containers ids repeat). The server's children may outlive it; the shared memory, of which the file names key
 * and id in its line 7, shows whether they have ended.
 */
async function isStale(lines: readonly string[]): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const [key, id] = lines[6]?.trim().split(/\s+/) ?? [];
  if (!key || !id) return false;
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  for (;;) {
    const attached = attachedProcesses(key, id);
    if (attached === 0) return true;
    if (attached === undefined || Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  }
}

/** How many processes use a segment of shared memory, by proc(5)'s table; undefined when it cannot be read. */
function attachedProcesses(key: string, id: string): number | undefined {
  try {
    const [head = "", ...rows] = readFileSync("/proc/sysvipc/shm", "utf8").trim().split("\n");
    const attached = head.trim().split(/\s+/).indexOf("nattch");
    if (attached === -1) return undefined;
    const row = rows.map((line) => line.trim().split(/\s+/)).find(([k, i]) => k === key && i === id);
    return Number(row?.[attached] ?? 0);
  } catch {
    return undefined;
  }
}

/**
 * The server of a folder whose pid file does not name it. Postgres would not detect it, and two servers on
 * one folder destroy it.
 */
function runningServer(folder: string): number | undefined {
  if (process.platform !== "linux") return undefined;
  for (const name of readdirSync("/proc")) {
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
