/**
 * Owns the end of functions whose stack was killed. A function ends by itself when its input closes, but
 * not while it loops; a small shell that outlives us kills those that are left.
 */
import { type ChildProcess, spawn } from "node:child_process";

// Reads "+ pid" and "- pid"; at the end of its input, which comes however we end, it kills what is left.
const SCRIPT = `pids=" "
while read -r what pid; do
  case "$what" in
    +) pids="$pids$pid " ;;
    -) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
for pid in $pids; do kill -KILL "-$pid" 2>/dev/null; done`;

/** See the file's head. Started by the first worker. */
export class Watchdog {
  #shell: ChildProcess | undefined;

  /** Watches a process group until it is forgotten. */
  watch(pid: number): void {
    if (!this.#shell) {
      // A group of its own: a terminal's Ctrl+C must not end it before what it watches.
      const shell = spawn("/bin/sh", ["-c", SCRIPT], {
        stdio: ["pipe", "ignore", "ignore"],
        cwd: "/",
        detached: true,
        env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
      });
      shell.on("error", () => {});
      shell.stdin.on("error", () => {});
      shell.unref();
      this.#shell = shell;
    }
    this.#shell.stdin?.write(`+ ${pid}\n`);
  }

  forget(pid: number): void {
    this.#shell?.stdin?.write(`- ${pid}\n`);
  }

  /** Everything that was watched has ended. */
  close(): void {
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }
}
