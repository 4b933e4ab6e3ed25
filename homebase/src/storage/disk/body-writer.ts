/**
 * Owns writing a body from a stream to a file: counted, hashed, synced. One batch of chunks is hashed while
 * the previous one is written; a stream faster than the disk is paused.
 */
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import { syncFile } from "../../core/sync-file.ts";
import { requestAborted, tooLarge } from "../kit/errors.ts";

/** Maximum number of bytes in memory that are not yet written. */
const HELD_BYTES = 4 * 1024 * 1024;

export interface WrittenBody {
  /** Bytes written. */
  size: number;
  /** Their MD5 in hex. */
  md5: string;
}

export interface WriteOptions {
  /** Maximum size of the body in bytes. */
  limit: number;
  /**
   * Resolves to the body's size limit, or rejects when it is not allowed; the body arrives meanwhile. Its
   * rejection takes precedence over errors in the body.
   */
  admission?: Promise<number>;
  /** Renames the written file while its bytes are synced, so that both share a journal commit. */
  place: (written: WrittenBody) => Promise<void>;
}

/**
 * Writes a whole body to an open file, syncs, renames and closes it. The rest of a failed body is discarded,
 * so that the error response can be sent; the caller then removes the file, under either name.
 * @throws EntityTooLarge, Aborted when the body was incomplete, and what `admission` rejects with.
 */
export async function writeBody(
  body: Readable,
  file: FileHandle,
  { limit, admission, place }: WriteOptions,
): Promise<WrittenBody> {
  try {
    const written = await pump(body, file, limit, admission);
    const admitted = await admission;
    if (admitted !== undefined && written.size > admitted) throw tooLarge();
    await Promise.all([syncFile(file), place(written)]);
    return written;
  } catch (error) {
    if (!body.destroyed) body.resume();
    await admission;
    throw error;
  } finally {
    await file.close();
  }
}

function pump(
  body: Readable,
  file: FileHandle,
  most: number,
  admission?: Promise<number>,
): Promise<WrittenBody> {
  return new Promise((resolve, reject) => {
    let limit = most;
    const hash = createHash("md5");
    let size = 0;
    let held: Buffer[] = [];
    let heldBytes = 0;
    let writing = false;
    let ended = false;
    let failed = false;

    const fail = (error: unknown) => {
      if (failed) return;
      failed = true;
      held = [];
      body.off("data", onData);
      reject(error);
    };
    const flush = () => {
      const batch = held;
      held = [];
      heldBytes = 0;
      writing = true;
      writeAll(file, batch).then(
        () => {
          writing = false;
          if (failed) return;
          if (held.length > 0) flush();
          else if (ended) resolve({ size, md5: hash.digest("hex") });
          if (!ended && body.isPaused()) body.resume();
        },
        (error: unknown) => fail(error),
      );
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return fail(tooLarge());
      hash.update(chunk);
      held.push(chunk);
      heldBytes += chunk.length;
      if (!writing) flush();
      else if (heldBytes >= HELD_BYTES) body.pause();
    };
    admission?.then((admitted) => {
      limit = Math.min(most, admitted);
      if (size > limit) fail(tooLarge());
    }, fail);
    if (body.destroyed && !body.readableEnded) return fail(body.errored ?? requestAborted());
    body.on("data", onData);
    body.once("end", () => {
      ended = true;
      if (!writing && !failed) resolve({ size, md5: hash.digest("hex") });
    });
    body.once("error", (error) => fail(isStreamLoss(error) ? requestAborted() : error));
    body.once("close", () => {
      if (!ended) fail(requestAborted());
    });
  });
}

/** Writes buffers in order; the system may accept fewer bytes than given. */
async function writeAll(file: FileHandle, batch: Buffer[]): Promise<void> {
  let rest = batch;
  while (rest.length > 0) {
    let { bytesWritten } = await file.writev(rest);
    const next: Buffer[] = [];
    for (const buffer of rest) {
      if (bytesWritten >= buffer.length) bytesWritten -= buffer.length;
      else {
        next.push(buffer.subarray(bytesWritten));
        bytesWritten = 0;
      }
    }
    rest = next;
  }
}

function isStreamLoss(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ECONNRESET";
}
