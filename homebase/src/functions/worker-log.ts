/** Owns parsing a function's output: console entries with level and request, and other lines. */
import type { Readable } from "node:stream";
import type { LogLevel } from "../core/log.ts";
import { isRecord } from "../core/record.ts";

/** One entry or line. */
export interface WorkerEntry {
  text: string;
  level: LogLevel;
  /** Id of its request, if known. */
  request: string | undefined;
}

const LEVELS: ReadonlySet<LogLevel> = new Set(["debug", "info", "warn", "error"]);
/** Maximum length of a message in characters, as on hosted; the rest is dropped. */
const MOST_TEXT = 10_000;
const CUT = "… (cut: a message has 10,000 characters at most)";

/** A line of an error's stack, with the address that it is from. Deno's own modules have `ext:`. */
const FRAME = /^\s+at (?:.*\()?(?:async )?([a-z]+:[^\s)]+)/;

/**
 * Reads a process's output to its end.
 * @param mark begins the lines before and after a console entry.
 * @param level of output other than console entries.
 * @param own the address of the folder of Homebase's own modules, whose frames help nobody in an error's stack.
 */
export function readEntries(
  output: Readable,
  { mark, level, own }: { mark: string; level: LogLevel; own: string },
  write: (entry: WorkerEntry) => void,
): void {
  let open: { text: string; empty: boolean; level: LogLevel; request: string | undefined } | undefined;
  const close = () => {
    // `console.group()` and the like write nothing.
    if (open && !open.empty) write({ text: shortened(open.text), level: open.level, request: open.request });
    open = undefined;
  };
  const take = (line: string) => {
    const [, from] = FRAME.exec(line) ?? [];
    if (from?.startsWith("ext:") || from?.startsWith(own)) return;
    const head = line.startsWith(mark) ? headOf(line.slice(mark.length)) : undefined;
    if (head) {
      close();
      if (head !== "end") open = { text: "", empty: true, level: head.level, request: head.request };
    } else if (!open) write({ text: shortened(line), level, request: undefined });
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
        // A line without an end uses no more memory than its kept part.
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

/** Parses a line with the mark: an entry's end, or the head of the next; undefined for other lines. */
function headOf(text: string): { level: LogLevel; request?: string } | "end" | undefined {
  if (text === "") return "end";
  try {
    const head: unknown = JSON.parse(text);
    if (!isRecord(head) || !LEVELS.has(head.level as LogLevel)) return undefined;
    const { level, request } = head as { level: LogLevel; request?: unknown };
    return typeof request === "string" ? { level, request } : { level };
  } catch {
    return undefined;
  }
}

function shortened(text: string): string {
  return text.length > MOST_TEXT ? text.slice(0, MOST_TEXT) + CUT : text;
}
