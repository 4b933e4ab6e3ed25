/** Owns reading what a function's process writes: entries of its console with level and request, and bare lines. */
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { LogLevel } from "../core/log.ts";

/** One thing that was written. */
export interface WorkerEntry {
  text: string;
  level: LogLevel;
  /** Id of the request that it was written for, where that is known. */
  request: string | undefined;
}

/**
 * Reads a process's output to its end.
 * @param mark begins the lines that stand before and after an entry of the console.
 * @param level of what is written past the console.
 */
export function readEntries(
  output: Readable,
  mark: string,
  level: LogLevel,
  told: (entry: WorkerEntry) => void,
): void {
  let open: { lines: string[]; level: LogLevel; request: string | undefined } | undefined;
  const close = () => {
    // `console.group()` and the like write nothing.
    if (open && open.lines.length > 0) told({ ...open, text: open.lines.join("\n") });
    open = undefined;
  };
  createInterface({ input: output })
    .on("line", (line) => {
      if (!line.startsWith(mark)) {
        if (open) open.lines.push(line);
        else told({ text: line, level, request: undefined });
        return;
      }
      close();
      if (line.length === mark.length) return;
      const head = JSON.parse(line.slice(mark.length)) as { level: LogLevel; request?: string };
      open = { lines: [], level: head.level, request: head.request };
    })
    .on("close", close);
}
