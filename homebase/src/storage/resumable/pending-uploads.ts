/**
 * Owns pending resumable uploads on disk: the bytes so far, whose count is the offset, and a file with the
 * upload's details. After the end only the details remain, so that clients can still query the upload.
 */

import { createWriteStream } from "node:fs";
import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DataStore, ERRORS, Upload } from "@tus/server";
import { isUuid } from "../../core/uuid.ts";
import { makeFolder } from "../disk/disk.ts";
import { LIFE_MS } from "./retention.ts";

/** An upload's id: the object and version that it will become. */
export interface UploadPlace {
  bucket: string;
  key: string;
  version: string;
}

export function writeUploadId({ bucket, key, version }: UploadPlace): string {
  return `${bucket}/${key}/${version}`;
}

/** The inverse of `writeUploadId`; undefined for an invalid id. */
export function readUploadId(id: string): UploadPlace | undefined {
  const first = id.indexOf("/");
  const last = id.lastIndexOf("/");
  const version = id.slice(last + 1);
  if (first < 0 || last <= first || !isUuid(version)) return undefined;
  return { bucket: id.slice(0, first), key: id.slice(first + 1, last), version };
}

interface UploadDetails {
  id: string;
  size?: number;
  metadata?: Record<string, string | null>;
  finished?: boolean;
}

/** Stores pending resumable uploads on disk. */
export class ResumableStore extends DataStore {
  readonly #folder: string;
  readonly #isObject: (version: string) => Promise<boolean>;

  /** @param isObject whether a version has a row, and so has become an object. */
  constructor(folder: string, isObject: (version: string) => Promise<boolean>) {
    super();
    this.#folder = folder;
    this.#isObject = isObject;
    this.extensions = [
      "creation",
      "creation-with-upload",
      "creation-defer-length",
      "termination",
      "expiration",
    ];
  }

  /** Path of an upload's bytes. */
  bytesPath({ version }: UploadPlace): string {
    return join(this.#folder, version);
  }

  override async create(upload: Upload): Promise<Upload> {
    await makeFolder(this.#folder);
    await writeFile(this.bytesPath(this.#place(upload.id)), "", { mode: 0o600 });
    await this.#writeDetails({ id: upload.id, size: upload.size, metadata: upload.metadata });
    return upload;
  }

  /** Appends a body at `offset`; bytes received before an interruption are kept. @returns the new offset. */
  override async write(body: Readable, id: string, offset: number): Promise<number> {
    const path = this.bytesPath(this.#place(id));
    await pipeline(body, createWriteStream(path, { flags: "r+", start: offset, flush: true }));
    return (await stat(path)).size;
  }

  override async getUpload(id: string): Promise<Upload> {
    const details = await this.#readDetails(id);
    const { size, metadata } = details;
    if (details.finished) return new Upload({ id, size, offset: size ?? 0, metadata });
    const place = this.#place(id);
    const bytes = await stat(this.bytesPath(place)).catch(() => undefined);
    // Without them it has become an object, and the server stopped before that was recorded here.
    if (!bytes && size !== undefined && (await this.#isObject(place.version))) {
      return new Upload({ id, size, offset: size, metadata });
    }
    if (!bytes) throw ERRORS.FILE_NOT_FOUND;
    return new Upload({
      id,
      size,
      offset: bytes.size,
      metadata,
      creation_date: bytes.mtime.toISOString(),
    });
  }

  /** Counted by the protocol server from `creation_date`, which `getUpload` sets to the time of the last byte. */
  override getExpiration(): number {
    return LIFE_MS;
  }

  /** Whether all bytes have arrived, and no object was made of them yet. */
  async isWaiting({ id, size }: Upload): Promise<boolean> {
    if (size === undefined) return false;
    const bytes = await stat(this.bytesPath(this.#place(id))).catch(() => undefined);
    return bytes?.size === size;
  }

  override async declareUploadLength(id: string, size: number): Promise<void> {
    await this.#writeDetails({ ...(await this.#readDetails(id)), size });
  }

  /** Records that the bytes have become an object. */
  async finish(id: string): Promise<void> {
    await this.#writeDetails({ ...(await this.#readDetails(id)), finished: true });
  }

  override async remove(id: string): Promise<void> {
    await this.#readDetails(id);
    const path = this.bytesPath(this.#place(id));
    await Promise.all([rm(path, { force: true }), rm(`${path}.json`, { force: true })]);
  }

  #place(id: string): UploadPlace {
    const place = readUploadId(id);
    if (!place) throw ERRORS.FILE_NOT_FOUND;
    return place;
  }

  async #readDetails(id: string): Promise<UploadDetails> {
    const text = await readFile(`${this.bytesPath(this.#place(id))}.json`, "utf8").catch(() => undefined);
    const details = text === undefined ? undefined : (JSON.parse(text) as UploadDetails);
    if (details?.id !== id) throw ERRORS.FILE_NOT_FOUND;
    return details;
  }

  async #writeDetails(details: UploadDetails): Promise<void> {
    const path = `${this.bytesPath(this.#place(details.id))}.json`;
    await writeFile(`${path}.next`, JSON.stringify(details), { mode: 0o600 });
    await rename(`${path}.next`, path);
  }
}
