/**
 * Owns the bytes of multipart uploads until they become an object: one folder for each upload, one file for
 * each part, named by number and hash, so that replacing a part does not affect readers of the old one. Files
 * are created as those of objects are.
 */
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { isMd5, isVersion } from "../kit/safe-names.ts";
import { type WrittenBody, writeBody } from "./body-writer.ts";
import { createFile, entries, placeFile, undefinedIfMissing } from "./disk.ts";

const PARTS = "parts";
const TEMPORARY = "tmp";
const READ_BYTES = 1024 * 1024;

/** A part on disk. */
export interface PartName {
  number: number;
  /** MD5 in hex. */
  md5: string;
}

/** The files of multipart uploads. */
export class PartFiles {
  readonly #root: string;
  /** Temporary files of this process. */
  readonly #pending: Set<string>;

  /** @param pending names in `tmp` that a sweep must skip. */
  constructor(root: string, pending: Set<string>) {
    this.#root = root;
    this.#pending = pending;
  }

  /**
   * Stores a part. @throws EntityTooLarge when it is longer than `limit` bytes, Aborted when it is
   * incomplete.
   */
  async write(upload: string, number: number, body: Readable, limit: number): Promise<WrittenBody> {
    const name = randomUUID();
    const temporary = join(this.#root, TEMPORARY, name);
    this.#pending.add(name);
    try {
      return await writeBody(body, await createFile(temporary), {
        limit,
        place: ({ md5 }) => placeFile(temporary, this.path(upload, { number, md5 })),
      });
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    } finally {
      this.#pending.delete(name);
    }
  }

  /** The concatenated bytes of parts. */
  read(upload: string, parts: readonly PartName[]): Readable {
    const paths = parts.map((part) => this.path(upload, part));
    async function* bytes() {
      for (const path of paths) yield* createReadStream(path, { highWaterMark: READ_BYTES });
    }
    return Readable.from(bytes(), { objectMode: false });
  }

  /** Length of a part on disk in bytes; undefined when it does not exist. */
  async size(upload: string, part: PartName): Promise<number | undefined> {
    if (!isPart(upload, part)) return undefined;
    return (await stat(this.path(upload, part)).catch(undefinedIfMissing))?.size;
  }

  /** Removes a replaced part. */
  async remove(upload: string, part: PartName): Promise<void> {
    if (!isPart(upload, part)) return;
    await unlink(this.path(upload, part)).catch(undefinedIfMissing);
  }

  /** Removes all parts of an upload. */
  async removeAll(upload: string): Promise<void> {
    if (isVersion(upload)) await rm(this.folder(upload), { recursive: true, force: true });
  }

  /** Uploads that have a folder. */
  uploads(): Promise<string[]> {
    return entries(join(this.#root, PARTS));
  }

  /** Folder of an upload's parts. */
  folder(upload: string): string {
    return join(this.#root, PARTS, upload);
  }

  /** Path of a part, which may not exist. @throws RangeError for an invalid name. */
  path(upload: string, part: PartName): string {
    if (!isPart(upload, part))
      throw new RangeError("A row's upload or part is not one that storage has given.");
    const { number, md5 } = part;
    return join(this.#root, PARTS, upload, `${number}-${md5}`);
  }
}

function isPart(upload: string, { number, md5 }: PartName): boolean {
  return isVersion(upload) && Number.isInteger(number) && isMd5(md5);
}
