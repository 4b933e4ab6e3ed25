/** Owns reading what a function's process writes: entries of its console with level and request, and bare lines. */
import type { Readable } from "node:stream";
import type { LogLevel } from "../core/log.ts";

/** One thing that was written. */
export interface WorkerEntry {
  text: string;
  level: LogLevel;
  /** Id of the request that it was written for, where that is known. */
  request: string | undefined;
}

/** Characters of one message, as on hosted; the rest is dropped, however long it is. */
const MOST_TEXT = 10_000;
const CUT = "… (cut: a message has 10,000 characters at most)";

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
  let open: { text: string; empty: boolean; level: LogLevel; request: string | undefined } | undefined;
  const close = () => {
    // `console.group()` and the like write nothing.
    if (open && !open.empty) told({ text: shortened(open.text), level: open.level, request: open.request });
    open = undefined;
  };
  const take = (line: string) => {
    const head = line.startsWith(mark) ? headOf(line.slice(mark.length)) : undefined;
    if (head) {
      close();
      if (head !== "end") open = { text: "", empty: true, level: head.level, request: head.request };
    } else if (!open) told({ text: shortened(line), level, request: undefined });
    else {
      if (open.text.length <= MOST_TEXT) open.text += open.empty ? line : `\n${line}`;
      open.empty = false;
    }
  };
  let rest = "";
  output.setEncoding("utf8");
  output
    .on("data", (text: string) => {
      const lines = text.split("\n");
      for (const [index, part] of lines.entries()) {
        // A line without an end takes no more room than what is kept of it.
        if (rest.length <= MOST_TEXT) rest += part;
        if (index === lines.length - 1) break;
        take(rest.endsWith("\r") ? rest.slice(0, -1) : rest);
        rest = "";
      }
    })
    .on("close", () => {
      if (rest !== "") take(rest);
      close();
    });
}

/** What a line of the mark says: an entry's end, or the head of the next; undefined for a line that only begins so. */
function headOf(text: string): { level: LogLevel; request?: string } | "end" | undefined {
  if (text === "") return "end";
  try {
    return JSON.parse(text) as { level: LogLevel; request?: string };
  } catch {
    return undefined;
  }
}

function shortened(text: string): string {
  return text.length > MOST_TEXT ? text.slice(0, MOST_TEXT) + CUT : text;
}
