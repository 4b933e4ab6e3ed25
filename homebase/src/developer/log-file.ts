/**
 * Owns the log file of a developer's stack: JSON lines, written in batches. A file that has grown too large
 * is renamed and replaced, so that there are at most two.
 */
import { createReadStream, mkdirSync, statSync } from "node:fs";
import { appendFile, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { LogEntry, LogSink } from "../core/log.ts";

const MAX_BYTES = 10 * 1024 ** 2;
const FLUSH_MS = 50;
/** Maximum size of the queue for a slow or full disk; more is dropped. */
const MAX_PENDING = 8 * 1024 ** 2;

/**
 * A sink that writes to a file; `end` flushes it. @param onFailure called once when the file cannot be
 * written; the stack continues without it.
 */
export function logFile(
  path: string,
  {
    maxBytes = MAX_BYTES,
    onFailure = () => {},
  }: { maxBytes?: number; onFailure?: (reason: string) => void } = {},
): { sink: LogSink; end(): Promise<void> } {
  let pending = "";
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  /** Bytes in the file; undefined until known. */
  let size: number | undefined;
  let failed = false;
  const fail = (error: unknown) => {
    if (!failed) onFailure(error instanceof Error ? error.message : String(error));
    failed = true;
  };
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    fail(error);
  }
  const write = async (text: string) => {
    try {
      size ??= (await stat(path).catch(() => undefined))?.size ?? 0;
      if (size >= maxBytes) {
        await rename(path, replacedLog(path));
        size = 0;
      }
      await appendFile(path, text, { mode: 0o600 });
      size += Buffer.byteLength(text);
      failed = false;
    } catch (error) {
      // E.g. a full disk must not stop the stack; the terminal still shows important entries.
      size = undefined;
      fail(error);
    }
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(() => {
      const text = pending;
      pending = "";
      return text === "" ? undefined : write(text);
    });
    return writing;
  };
  return {
    sink: (entry: LogEntry) => {
      if (pending.length > MAX_PENDING) return;
      pending += `${JSON.stringify(entry)}\n`;
      timer ??= setTimeout(() => void flush(), FLUSH_MS);
    },
    end: flush,
  };
}

/** The name of a log file that grew too large. */
export function replacedLog(path: string): string {
  return `${path}.1`;
}

/** The last entries that are wanted, and the offset after the file's last line. */
export async function lastLogEntries(
  path: string,
  wanted: (entry: LogEntry) => boolean,
  limit: number,
): Promise<{ entries: LogEntry[]; end: number }> {
  const entries: LogEntry[] = [];
  const keep = (entry: LogEntry) => {
    if (!wanted(entry)) return;
    entries.push(entry);
    if (entries.length > limit) entries.shift();
  };
  await readLogLines(replacedLog(path), 0, keep);
  return { entries, end: await readLogLines(path, 0, keep) };
}

const NEWLINE = 0x0a;

/**
 * Reads a file's complete lines from a byte offset; an incomplete last line is left for the next read.
 * @returns the offset after the last complete line
 */
export async function readLogLines(
  path: string,
  from: number,
  each: (entry: LogEntry) => void,
): Promise<number> {
  if (from >= (statSync(path, { throwIfNoEntry: false })?.size ?? 0)) return from;
  let position = from;
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { start: from }) as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      const line = rest.toString("utf8", 0, end);
      rest = rest.subarray(end + 1);
      position += end + 1;
      try {
        each(JSON.parse(line) as LogEntry);
      } catch {
        // A line truncated when the process was killed.
      }
    }
  }
  return position;
}
