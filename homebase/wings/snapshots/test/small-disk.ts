/** Owns small disks for tests: one that copies byte by byte (tmpfs), and one that copies by reflink (XFS). */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

const SECTOR = 512;
const REFLINK_BYTES = 512 * 1024 ** 2;

/** Only root can mount, and only Linux has these file systems. */
const asRoot = process.platform === "linux" && process.getuid?.() === 0;
export const canMount = asRoot && works(() => unmountDisk(mountDisk(1)));
/** Why no disk with reflinks can be mounted here; undefined where it can. */
export const noReflinks = asRoot ? refusal(() => unmountDisk(mountReflinkDisk())) : "needs Linux and root";

/** @returns its folder. */
export function mountDisk(megabytes: number): string {
  const disk = newFolder();
  mount(disk, "-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", disk);
  return disk;
}

/**
 * An empty XFS of 512 MB. Its image is kept as what `mkfs.xfs -m reflink=1` writes into an empty file, without the sectors
 * of zeros, because machines rarely have that program: the number of sectors, the place of each, then their bytes (brotli).
 * @returns its folder.
 */
export function mountReflinkDisk(): string {
  const disk = newFolder();
  const packed = brotliDecompressSync(readFileSync(join(import.meta.dirname, "empty-xfs.br")));
  const count = packed.readUInt32LE(0);
  const image = openSync(imageOf(disk), "wx", 0o600);
  ftruncateSync(image, REFLINK_BYTES);
  for (let at = 0; at < count; at += 1) {
    const begin = 4 + 4 * count + SECTOR * at;
    writeSync(image, packed, begin, SECTOR, packed.readUInt32LE(4 + 4 * at) * SECTOR);
  }
  closeSync(image);
  // Each test's disk is made from the same image, and so has the same UUID.
  mount(disk, "-t", "xfs", "-o", "loop,nouuid", imageOf(disk), disk);
  return disk;
}

export function unmountDisk(disk: string): void {
  execFileSync("umount", ["-l", disk]);
  removeFolder(disk);
}

function imageOf(disk: string): string {
  return `${disk}.image`;
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "homebase-disk-"));
}

function removeFolder(disk: string): void {
  rmSync(disk, { recursive: true });
  rmSync(imageOf(disk), { force: true });
}

function mount(disk: string, ...args: string[]): void {
  try {
    execFileSync("mount", args, { stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    removeFolder(disk);
    throw error;
  }
  chmodSync(disk, 0o755);
}

function refusal(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as Error).message.trim().split("\n").at(-1);
  }
}

function works(work: () => void): boolean {
  return refusal(work) === undefined;
}
