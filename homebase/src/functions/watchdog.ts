/**
 * Owns stopping the functions of a killed stack. A function exits by itself when its input closes, but not
 * while it loops; a small shell that outlives this process kills the remaining ones.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";

// Reads "+ pid" and "- pid"; at the end of its input, which comes however this process ends, it kills the
// remaining ones.
const SCRIPT = `pids=" "
while read -r what pid; do
  case "$what" in
    +) pids="$pids$pid " ;;
    -) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
for pid in $pids; do kill -KILL "-$pid" 2>/dev/null; done`;

/** Kills functions when this process ends. Started by the first worker. */
export class Watchdog {
  #shell: ChildProcess | undefined;

  /** Watches a process group until `forget`. */
  watch(pid: number): void {
    if (!this.#shell) {
      // A separate process group: Ctrl+C in a terminal must not stop it before the functions.
      const shell = spawn("/bin/sh", ["-c", SCRIPT], {
        stdio: ["pipe", "ignore", "ignore"],
        cwd: "/",
        detached: true,
        env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
      });
      shell.on("error", () => {});
      shell.stdin.on("error", () => {});
      shell.unref();
      (shell.stdin as Socket).unref();
      this.#shell = shell;
    }
    this.#shell.stdin?.write(`+ ${pid}\n`);
  }

  forget(pid: number): void {
    this.#shell?.stdin?.write(`- ${pid}\n`);
  }

  /** Whether every watched process has exited. */
  close(): void {
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }
}
