/** Owns the log file of a developer's stack: JSON lines, written in batches, kept to a bounded size. */
import { createWriteStream, existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { LogEntry, LogSink } from "../core/log.ts";

const MAX_BYTES = 10 * 1024 ** 2;
const FLUSH_MS = 50;

/** A sink into a file; call `end` to write what is left. A file that has grown too large is set aside. */
export function logFile(path: string): { sink: LogSink; end(): Promise<void> } {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path) && statSync(path).size > MAX_BYTES) renameSync(path, `${path}.1`);
  const stream = createWriteStream(path, { flags: "a" });
  // A disk that is full must not end the stack; the terminal still shows what matters.
  stream.on("error", () => {});
  let pending = "";
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    stream.write(pending);
    pending = "";
  };
  return {
    sink: (entry: LogEntry) => {
      pending += `${JSON.stringify(entry)}\n`;
      timer ??= setTimeout(flush, FLUSH_MS);
    },
    end: () => {
      clearTimeout(timer);
      return new Promise((resolve) => stream.end(pending, () => resolve()));
    },
  };
}
