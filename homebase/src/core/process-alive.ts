/** Owns asking whether a process runs, and where its id is unique. Loaded on Node 20 too. */
import { readFileSync, readlinkSync } from "node:fs";

/**
 * Whether a process with this id runs, whoever it belongs to. One that has ended and that its parent has not
 * waited for (a zombie: in a container whose first process does not reap, it stays) does not run.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return process.platform !== "linux" || !/^[ZX]/.test(processState(pid));
}

/** The state in proc(5)'s `stat`: the field after the program's name, which may itself contain parentheses. */
function processState(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1) ?? "";
  } catch {
    return "";
  }
}

/** Process ids are unique within a namespace only; containers may share the folder (`docker run --ipc=host`). */
export function processSpace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}
