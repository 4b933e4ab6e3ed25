/**
 * Owns the bytes. Each stored body is a file of its own, named by bucket, key and version: written under a
 * temporary name, then renamed; its row is written only after its bytes and its name are synced, so that
 * after a crash every row has a complete file, and a file without a row is garbage. It never changes
 * afterwards. Names are hashed, so that `a` and `a/b` can coexist, and a key of any length and characters is
 * valid on disk.
 */
import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm, rmdir, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { isVersion } from "../kit/safe-names.ts";
import { writeBody } from "./body-writer.ts";
import { createFile, entries, makeFolder, placeFile, share, undefinedIfMissing } from "./disk.ts";
import { PartFiles } from "./part-files.ts";

/** A stored body. */
export interface StoredBody {
  version: string;
  size: number;
  /** MD5 in hex. */
  md5: string;
}

/** The location of a body: its object and version. */
export interface BodyPlace {
  bucket: string;
  key: string;
  version: string;
}

/** Finds which of these have a row. */
export interface RowLookup {
  versions(versions: string[]): Promise<ReadonlySet<string>>;
  /** Multipart uploads. */
  uploads(ids: string[]): Promise<ReadonlySet<string>>;
}

/** Counts of files on disk. */
export interface Sweep {
  /** Files and folders without a row. */
  orphans: number;
  /** Leftovers of interrupted uploads. */
  unfinished: number;
}

const TEMPORARY = "tmp";
const OBJECTS = "objects";
const RENDERS = "renders";
const UPLOADS = "uploads";
/** Of one version of an object. */
const MOST_RENDERS = 50;
/** Read buffer size for sending a body, in bytes. */
const READ_BYTES = 256 * 1024;

/** The files of stored objects. */
export class ObjectFiles {
  readonly #root: string;
  /** Versions of this process whose row may not be committed yet: a sweep must skip them. */
  readonly #pending = new Set<string>();
  /** Versions whose commit has an unknown outcome. */
  readonly #uncertain = new Set<string>();
  readonly #removing = new Set<Promise<void>>();
  /** Bytes of multipart uploads. */
  readonly parts: PartFiles;

  constructor(root: string) {
    this.#root = root;
    this.parts = new PartFiles(root, this.#pending);
  }

  /**
   * Stores a body as a new version; previous versions are unchanged. It counts as pending until `settle` or
   * `remove` is called.
   * @param admission resolves to the size limit, or rejects when the upload is not allowed.
   * @throws EntityTooLarge when it is longer than `limit` bytes, Aborted when it is incomplete, and what
   * `admission` rejects with; nothing is left behind then.
   */
  async write(
    bucket: string,
    key: string,
    body: Readable,
    limit: number,
    admission?: Promise<number>,
  ): Promise<StoredBody> {
    const version = randomUUID();
    const temporary = this.#temporary(version);
    this.#pending.add(version);
    const path = this.path({ bucket, key, version });
    try {
      const file = await createFile(temporary);
      const place = () => placeFile(temporary, path);
      return { version, ...(await writeBody(body, file, { limit, admission, place })) };
    } catch (error) {
      this.#pending.delete(version);
      await Promise.all([rm(temporary, { force: true }), rm(path, { force: true })]);
      throw error;
    }
  }

  /** Moves a finished file of this disk to a new version of an object. */
  async adopt(file: string, bucket: string, key: string, version: string): Promise<void> {
    this.#pending.add(version);
    try {
      await placeFile(file, this.path({ bucket, key, version }));
    } catch (error) {
      this.#pending.delete(version);
      throw error;
    }
  }

  /**
   * Stores a body as a new version of another object as well. Bodies never change, so both share their bytes
   * where the disk supports links. Undefined when the file is missing.
   */
  async copy(from: BodyPlace, bucket: string, key: string): Promise<string | undefined> {
    if (!isVersion(from.version)) return undefined;
    const version = randomUUID();
    const temporary = this.#temporary(version);
    this.#pending.add(version);
    try {
      await makeFolder(dirname(temporary));
      await share(this.path(from), temporary);
      await placeFile(temporary, this.path({ bucket, key, version }));
      return version;
    } catch (error) {
      this.#pending.delete(version);
      await rm(temporary, { force: true });
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Opens a body. Undefined when the file is missing. The caller closes it, or streams it to its end. */
  async open(place: BodyPlace): Promise<OpenBody | undefined> {
    if (!isVersion(place.version)) return undefined;
    return this.openPath(this.path(place));
  }

  /** Opens a file of this storage by its path. */
  async openPath(path: string): Promise<OpenBody | undefined> {
    const file = await open(path, "r").catch(undefinedIfMissing);
    return file && new OpenBody(file, (await file.stat()).size);
  }

  /** Path of a version's rendered image. @throws RangeError for an invalid version. */
  renderPath(version: string, name: string): string {
    requireVersion(version);
    return join(this.#root, RENDERS, version, name);
  }

  /** Stores a rendered image. It can be rendered again, so it is written atomically but not synced. */
  async keepRender(path: string, bytes: Uint8Array): Promise<void> {
    const temporary = this.#temporary(randomUUID());
    await makeFolder(dirname(temporary));
    const folder = dirname(path);
    await makeFolder(folder);
    await writeFile(temporary, bytes, { mode: 0o600 });
    await rename(temporary, path);
    // Everybody who may see a picture may ask for any size of it: the oldest of too many go.
    const kept = await entries(folder);
    if (kept.length <= MOST_RENDERS) return;
    const aged = await Promise.all(
      kept.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
    ).catch(() => []);
    aged.sort((left, right) => left.at - right.at);
    for (const { name } of aged.slice(0, aged.length - MOST_RENDERS)) {
      await unlink(join(folder, name)).catch(undefinedIfMissing);
    }
  }

  /** The version's row is committed. */
  markCommitted(version: string): void {
    this.#pending.delete(version);
  }

  /** Marks a version whose commit has an unknown outcome: the next sweep looks it up. */
  markUncertain(version: string): void {
    this.#uncertain.add(version);
  }

  /** Removes a body. A missing one is not an error. */
  async remove(bucket: string, key: string, version: string | null): Promise<void> {
    if (!isVersion(version)) return;
    const path = this.path({ bucket, key, version });
    await this.#removeVersion(path, version);
    // Empty parent folders are removed too; rmdir fails for the others.
    await rmdir(dirname(path)).catch(() => undefined);
    this.#pending.delete(version);
  }

  /**
   * Removes a replaced body in the background. If that fails, it belongs to no row and the next sweep removes
   * it.
   */
  removeReplaced(bucket: string, key: string, version: string | null): void {
    if (!isVersion(version)) return;
    const removing = this.#removeVersion(this.path({ bucket, key, version }), version)
      .catch(() => {})
      .finally(() => this.#removing.delete(removing));
    this.#removing.add(removing);
  }

  /** Resolves when the background work is done. */
  async idle(): Promise<void> {
    await Promise.all(this.#removing);
  }

  async #removeVersion(path: string, version: string): Promise<void> {
    const renders = rm(join(this.#root, RENDERS, version), { recursive: true, force: true });
    await Promise.all([unlink(path).catch(undefinedIfMissing), renders]);
  }

  /** Lists all files that this process is not working on. @param found called for each body without a row. */
  async walk(known: RowLookup, found: (path: string, kind: keyof Sweep) => Promise<void>): Promise<Sweep> {
    const sweep: Sweep = { orphans: 0, unfinished: 0 };
    for (const name of await entries(join(this.#root, TEMPORARY))) {
      if (this.#pending.has(name)) continue;
      await found(join(this.#root, TEMPORARY, name), "unfinished");
      sweep.unfinished += 1;
    }
    const objects = join(this.#root, OBJECTS);
    for (const shelf of await entries(objects)) {
      for (const object of await entries(join(objects, shelf))) {
        const folder = join(objects, shelf, object);
        // Read before the rows: whatever is settled by now has its row.
        const versions = (await entries(folder)).filter((version) => !this.#pending.has(version));
        const alive = versions.length > 0 ? await known.versions(versions) : new Set<string>();
        for (const version of versions.filter((one) => !alive.has(one))) {
          await found(join(folder, version), "orphans");
          sweep.orphans += 1;
        }
      }
    }
    const orphan = async (path: string) => {
      await found(path, "orphans");
      sweep.orphans += 1;
    };
    const renders = await entries(join(this.#root, RENDERS));
    const alive = renders.length > 0 ? await known.versions(renders) : new Set<string>();
    for (const one of renders) if (!alive.has(one)) await orphan(join(this.#root, RENDERS, one));
    const uploads = await this.parts.uploads();
    const open = uploads.length > 0 ? await known.uploads(uploads) : new Set<string>();
    for (const one of uploads) if (!open.has(one)) await orphan(this.parts.folder(one));
    return sweep;
  }

  /**
   * Removes bodies without a row, and incomplete files of a crash. Postgres must have been restarted after
   * any transaction with an unknown outcome, so that each is committed or rolled back.
   */
  sweep(known: RowLookup): Promise<Sweep> {
    for (const version of this.#uncertain) this.#pending.delete(version);
    this.#uncertain.clear();
    return this.walk(known, async (path) => {
      await rm(path, { recursive: true, force: true });
      await rmdir(dirname(path)).catch(() => undefined);
    });
  }

  /** Folder of pending resumable uploads. */
  get uploadsFolder(): string {
    return join(this.#root, UPLOADS);
  }

  /** Path of a body, which may not exist. @throws RangeError for an invalid version. */
  path({ bucket, key, version }: BodyPlace): string {
    requireVersion(version);
    const name = createHash("sha256").update(bucket).update("\0").update(key).digest("hex");
    return join(this.#root, OBJECTS, name.slice(0, 2), name, version);
  }

  #temporary(version: string): string {
    return join(this.#root, TEMPORARY, version);
  }
}

function requireVersion(version: string): void {
  if (!isVersion(version)) throw new RangeError("A row's version is not one that storage has given.");
}

/** An open body: one file handle, closed by the end of the stream or by `close`. */
export class OpenBody {
  readonly size: number;
  readonly #file: FileHandle;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** The bytes, or a range of them (`end` inclusive). Can be called once. */
  stream(range?: { start: number; end: number }): Readable {
    return this.#file.createReadStream({ ...range, highWaterMark: READ_BYTES });
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
