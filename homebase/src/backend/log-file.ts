/**
 * Owns the log file of a developer's stack: JSON lines, written in batches. A file that has grown too large
 * is renamed and replaced, so that there are at most two.
 */
import { mkdirSync } from "node:fs";
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
        await rename(path, `${path}.1`);
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
