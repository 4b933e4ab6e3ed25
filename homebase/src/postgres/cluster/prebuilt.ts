/**
 * Owns the cluster that the built package brings: what initdb and the bootstrap SQL make is the same every time on one
 * platform, so it is made once, when the package is built, and laid down at a first start. Without one, initdb runs.
 */
import {
  chownSync,
  closeSync,
  existsSync,
  fchownSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { constants as zlib, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { ServerUser } from "./user.ts";

/** What stands at the head of an archive; the bytes of the files follow, in this order. */
interface Contents {
  folders: string[];
  /** `stored` bytes are in the archive; zeros fill the file to its `size`. */
  files: { path: string; size: number; stored: number }[];
}

const HEAD_BYTES = 4;
// The highest level halves the archive and takes the build ten times as long.
const LEVEL = 9;
/** Names of what belongs to one server or project, not to every cluster. */
const OWN = /^(postmaster\.(pid|opts)|homebase[._].*)$/;

/** The archive for this machine and version of Postgres, where the package has one. */
export function prebuiltCluster(version: string): string | undefined {
  const file = join(import.meta.dirname, "prebuilt", prebuiltName(version));
  return existsSync(file) ? file : undefined;
}

/** A data folder depends on the processor and the build of Postgres. */
export function prebuiltName(version: string): string {
  return `${process.platform}-${process.arch}-${version}.zst`;
}

/**
 * Lays an archive down in an empty folder, all of it owned by `user`. Synchronous: making a thousand small files takes
 * a fourth of the time that it takes by way of the thread pool.
 */
export function layCluster(archive: string, folder: string, user: ServerUser | undefined): void {
  const bytes = zstdDecompressSync(readFileSync(archive));
  let at = HEAD_BYTES + bytes.readUInt32LE(0);
  const { folders, files } = JSON.parse(bytes.toString("utf8", HEAD_BYTES, at)) as Contents;
  for (const path of folders) {
    mkdirSync(join(folder, path), { mode: 0o700 });
    if (user) chownSync(join(folder, path), user.uid, user.gid);
  }
  for (const { path, size, stored } of files) {
    const handle = openSync(join(folder, path), "wx", 0o600);
    try {
      for (let done = 0; done < stored; ) done += writeSync(handle, bytes, at + done, stored - done);
      if (size > stored) ftruncateSync(handle, size);
      if (user) fchownSync(handle, user.uid, user.gid);
    } finally {
      closeSync(handle);
    }
    at += stored;
  }
}

/**
 * Packs the data folder of a server that was shut down.
 * @param segment the only file of the write-ahead log that is needed: the one with the last checkpoint.
 */
export function packCluster(folder: string, segment: string): Buffer {
  const contents: Contents = { folders: [], files: [] };
  const parts: Buffer[] = [];
  const walk = (path: string) => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) {
        contents.folders.push(inner);
        walk(inner);
        continue;
      }
      if (path === "" && OWN.test(entry.name)) continue;
      if (path === "pg_wal" && entry.name !== segment) continue;
      const bytes = readFileSync(join(folder, inner));
      const stored = usedBytes(bytes);
      contents.files.push({ path: inner, size: bytes.length, stored });
      parts.push(bytes.subarray(0, stored));
    }
  };
  walk("");
  const head = Buffer.from(JSON.stringify(contents));
  const length = Buffer.alloc(HEAD_BYTES);
  length.writeUInt32LE(head.length);
  return zstdCompressSync(Buffer.concat([length, head, ...parts]), {
    params: { [zlib.ZSTD_c_compressionLevel]: LEVEL },
  });
}

/** How many bytes there are before the zeros at the end. */
function usedBytes(bytes: Buffer): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return end;
}
