/** Owns finding and ending the processes of a stack. Linux only: processes are found in /proc. */
import { readFileSync } from "node:fs";
import { descendants } from "../cli/project.ts";

/** Sends a signal; a process that has already exited is fine. */
export function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined || pid <= 0) return;
  try {
    process.kill(pid, signal);
  } catch {
    // Already exited.
  }
}

/** The first process below `root` whose command line matches. */
export function processBelow(root: number, pattern: RegExp): number | undefined {
  return descendants(root).find((pid) => pattern.test(commandLine(pid)));
}

/** The Postgres server of a stack. */
export function postmasterBelow(root: number): number | undefined {
  return processBelow(root, /^\S*\/bin\/postgres -D/);
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
