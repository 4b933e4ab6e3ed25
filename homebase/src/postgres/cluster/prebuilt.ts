/**
 * Owns prebuilt clusters: initdb and the bootstrap SQL always produce the same files on one platform, so they
 * run once and a first start unpacks the result. The published package brings an archive; in the repository
 * `npm test` keeps one in the user's cache. Without an archive, initdb runs.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fchownSync,
  ftruncateSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { userCache } from "../../core/user-folders.ts";
import type { ServerUser } from "./system-user.ts";

// Tests may run on Node 20, which has no zstd; an import of it would fail there.
const { constants: zlib, zstdCompressSync, zstdDecompressSync } = process.getBuiltinModule("node:zlib");

/** The header of an archive, which the bytes of the files follow. */
interface Contents {
  folders: string[];
  /**
   * `stored` bytes are in the archive, `at` bytes after its header, and zeros fill the file to its `size`. Equal
   * files share their bytes: half of them are copies, since each database begins as a copy of another.
   */
  files: { path: string; size: number; stored: number; at: number }[];
}

/** In the name of an archive, because the cache of a machine may have one that an earlier version wrote. */
const FORMAT = 2;
const HEAD_BYTES = 4;
// The highest level halves the archive and makes the build ten times as slow.
const LEVEL = 9;
/**
 * Decompressing in zlib's own chunks of 16 KB takes three times as long, because joining them costs more than
 * decompressing; one chunk for all of it does too, because its pages are new to the process.
 */
const CHUNK_BYTES = 1024 * 1024;
/** Files of one server or project, which an archive leaves out. */
const OWN = /^(postmaster\.(pid|opts)|homebase[._].*)$/;

/** Where the package's build puts its archive, beside this file's place in `src/`. */
export const PREBUILT_FOLDER = join(import.meta.dirname, "prebuilt");

/**
 * The archive for this machine, version of Postgres and bootstrap SQL: the package's, or the cache's.
 * @param base the name of the base database in it
 */
export function prebuiltCluster(version: string, base: string): string | undefined {
  if (!zstdDecompressSync) return undefined;
  return [PREBUILT_FOLDER, prebuiltCache()]
    .map((folder) => join(folder, prebuiltName(version, base)))
    .find((file) => existsSync(file));
}

/** The folder of the archives that were built on this machine. */
export function prebuiltCache(): string {
  return join(userCache(), "clusters");
}

/** A data folder depends on the processor, the build of Postgres and the bootstrap SQL. */
export function prebuiltName(version: string, base: string): string {
  return `${process.platform}-${process.arch}-${version}-${base}-${FORMAT}.zst`;
}

/**
 * Unpacks an archive into an empty folder owned by `user`. Synchronous: creating a thousand small files takes
 * a quarter of the time that the thread pool needs.
 */
export function unpackCluster(archive: string, folder: string, user: ServerUser | undefined): void {
  const bytes = zstdDecompressSync(readFileSync(archive), { chunkSize: CHUNK_BYTES });
  const start = HEAD_BYTES + bytes.readUInt32LE(0);
  const { folders, files } = JSON.parse(bytes.toString("utf8", HEAD_BYTES, start)) as Contents;
  for (const path of folders) {
    mkdirSync(join(folder, path), { mode: 0o700 });
    if (user) lchownSync(join(folder, path), user.uid, user.gid);
  }
  for (const { path, size, stored, at } of files) {
    const handle = openSync(join(folder, path), "wx", 0o600);
    try {
      for (let done = 0; done < stored; ) done += writeSync(handle, bytes, start + at + done, stored - done);
      if (size > stored) ftruncateSync(handle, size);
      if (user) fchownSync(handle, user.uid, user.gid);
    } finally {
      closeSync(handle);
    }
  }
}

/**
 * Packs the data folder of a stopped server.
 * @param segment the only necessary file of the write-ahead log: the one with the last checkpoint.
 */
export function packCluster(folder: string, segment: string): Buffer {
  const contents: Contents = { folders: [], files: [] };
  const parts: Buffer[] = [];
  const known = new Map<string, number>();
  let end = 0;
  const walk = (path: string) => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const inner = join(path, entry.name);
      if ((path === "" && OWN.test(entry.name)) || entry.isSymbolicLink()) continue;
      if (entry.isDirectory()) {
        contents.folders.push(inner);
        walk(inner);
        continue;
      }
      if (path === "pg_wal" && entry.name !== segment) continue;
      const bytes = readFileSync(join(folder, inner));
      const stored = usedBytes(bytes);
      const part = bytes.subarray(0, stored);
      const hash = createHash("sha256").update(part).digest("base64");
      const at = known.get(hash) ?? end;
      contents.files.push({ path: inner, size: bytes.length, stored, at });
      if (known.has(hash)) continue;
      known.set(hash, at);
      parts.push(part);
      end += stored;
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

/** Number of bytes before the trailing zeros. */
function usedBytes(bytes: Buffer): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return end;
}
