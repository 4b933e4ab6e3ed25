/**
 * Owns the bytes. Each stored body is a file of its own, named by bucket, key and version: written to a
 * temporary name, synced, renamed, so that a crash leaves it whole or not there at all. Names are hashed:
 * `a` and `a/b` live side by side, and no key is too long or too odd for a disk.
 */
import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { copyFile, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StorageError, tooLarge } from "./errors.ts";

/** A body that is on disk. */
export interface StoredBody {
  version: string;
  size: number;
  /** MD5 in hex. */
  md5: string;
}

const TEMPORARY = "tmp";
const OBJECTS = "objects";

/** See the file's head. */
export class ObjectFiles {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Stores a body as a new version; the versions before it are untouched.
   * @throws EntityTooLarge when it is longer than `limit` bytes; nothing is left behind then.
   */
  async write(bucket: string, key: string, body: Readable, limit: number): Promise<StoredBody> {
    const version = randomUUID();
    const temporary = join(this.#root, TEMPORARY, version);
    await mkdir(dirname(temporary), { recursive: true });
    const hash = createHash("md5");
    let size = 0;
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        size += chunk.length;
        hash.update(chunk);
        done(size > limit ? tooLarge() : null, chunk);
      },
    });
    try {
      await pipeline(body, meter, createWriteStream(temporary, { flush: true }));
      await this.#place(temporary, this.#path(bucket, key, version));
    } catch (error) {
      await rm(temporary, { force: true });
      throw diskError(error);
    }
    return { version, size, md5: hash.digest("hex") };
  }

  /** Copies a body to another key as a new version. */
  async copy(bucket: string, key: string, version: string, toBucket: string, toKey: string): Promise<string> {
    const next = randomUUID();
    const temporary = join(this.#root, TEMPORARY, next);
    await mkdir(dirname(temporary), { recursive: true });
    try {
      await copyFile(this.#path(bucket, key, version), temporary);
      const file = await open(temporary, "r+");
      await file.sync().finally(() => file.close());
      await this.#place(temporary, this.#path(toBucket, toKey, next));
    } catch (error) {
      await rm(temporary, { force: true });
      throw diskError(error);
    }
    return next;
  }

  /** Opens a body, or part of it (`end` inclusive). Undefined when the bytes are gone. */
  async read(
    bucket: string,
    key: string,
    version: string,
    range?: { start: number; end: number },
  ): Promise<{ size: number; stream: Readable } | undefined> {
    const path = this.#path(bucket, key, version);
    const found = await stat(path).catch(() => undefined);
    return found && { size: found.size, stream: createReadStream(path, range) };
  }

  /** Removes a body. One that is not there is no error. */
  async remove(bucket: string, key: string, version: string | null): Promise<void> {
    if (!version) return;
    const path = this.#path(bucket, key, version);
    await rm(path, { force: true });
    // Folders that became empty go too; one that did not refuses.
    await rmdir(dirname(path)).catch(() => undefined);
  }

  /** Versions on disk that `known` does not have, and whatever a crash left half-written: removed. */
  async sweep(known: (versions: string[]) => Promise<ReadonlySet<string>>): Promise<number> {
    let removed = 0;
    for (const name of await readdir(join(this.#root, TEMPORARY)).catch(() => [])) {
      await rm(join(this.#root, TEMPORARY, name), { force: true });
      removed += 1;
    }
    const objects = join(this.#root, OBJECTS);
    for (const shelf of await readdir(objects).catch(() => [])) {
      for (const object of await readdir(join(objects, shelf))) {
        const versions = await readdir(join(objects, shelf, object));
        const alive = await known(versions);
        for (const version of versions.filter((one) => !alive.has(one))) {
          await rm(join(objects, shelf, object, version), { force: true });
          removed += 1;
        }
        await rmdir(join(objects, shelf, object)).catch(() => undefined);
      }
    }
    return removed;
  }

  async #place(temporary: string, path: string): Promise<void> {
    const folder = dirname(path);
    await mkdir(folder, { recursive: true });
    await rename(temporary, path);
    // The file is on disk; its name is only once the folder is.
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  }

  #path(bucket: string, key: string, version: string): string {
    const name = createHash("sha256").update(bucket).update("\0").update(key).digest("hex");
    return join(this.#root, OBJECTS, name.slice(0, 2), name, version);
  }
}

function diskError(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new StorageError(
      "InternalError",
      "The disk is full: the object was not stored, and nothing was changed.",
    );
  }
  if (code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ECONNRESET") {
    return new StorageError("InternalError", "The request ended before the whole body had come.");
  }
  return error;
}
