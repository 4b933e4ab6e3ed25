/**
 * Owns where temporary clusters have their data: in memory where Linux has enough of it, otherwise in the
 * project's folder. Also removes what killed runs left there.
 */
import { readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { privateFolder } from "../../core/private-folder.ts";
import { isAlive, processSpace } from "../../core/process-alive.ts";
import { postmasterPid } from "./server-process.ts";
import { makeTraversableFolder, type ServerUser } from "./system-user.ts";

/** Linux's file system in memory (shm_overview(7)). */
const MEMORY = "/dev/shm";
/** The type of a tmpfs, by statfs(2). */
const TMPFS = 0x0102_1994;
const GIB = 1024 ** 3;
/** A run of this project's own tests needs 0.4 GiB. Docker's default of 64 MB is too little for any. */
const FREE_SPACE = 2 * GIB;
/** Files there count as used memory, which the tests and their browsers need as well. */
const FREE_MEMORY = 4 * GIB;

/**
 * The path of a new temporary cluster's data folder, which does not exist yet. A clone of a database is hundreds
 * of files, which are faster to create in memory: measured, half the time of a disk, and a twentieth on ext4
 * without a journal, where the search for an inode skips all that were deleted lately.
 * @param onDisk the parent folder to use where there is not enough memory; created if missing
 * @param user the user that Postgres runs as, if it is another one
 */
export function temporaryDataFolder(onDisk: string, user: ServerUser | undefined): string {
  const parent = inMemory() ?? onDisk;
  if (parent === onDisk) makeTraversableFolder(onDisk, user);
  removeLeftovers(parent);
  return join(parent, dataFolderName(process.pid));
}

/** The name of a data folder that a process creates now. */
export function dataFolderName(pid: number): string {
  return `${processSpace()}-${pid}-${Date.now()}`;
}

function inMemory(): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY);
    if (type !== TMPFS || bavail * bsize < FREE_SPACE) return undefined;
    // The limit of a container included.
    if (process.availableMemory() < FREE_MEMORY) return undefined;
    const uid = process.getuid?.();
    // For root, Postgres runs as another user and must be able to traverse to its own subfolder.
    return privateFolder(join(MEMORY, `homebase-${uid}`), { mode: uid === 0 ? 0o711 : 0o700 });
  } catch {
    // There is none, or its folder is another user's.
    return undefined;
  }
}

/** Removes the folders of processes that were killed, among the data folders in `parent`. */
export function removeLeftovers(parent: string): void {
  const space = processSpace();
  for (const name of readdirSync(parent)) {
    const [, of, pid] = /^(\d+)-(\d+)-\d+(?:\.new|\.vault-key)?$/.exec(name) ?? [];
    if (of !== space || isAlive(Number(pid))) continue;
    const folder = join(parent, name);
    // The server of a killed process takes a moment to end.
    if (postmasterPid(folder)) continue;
    rmSync(folder, { recursive: true, force: true });
  }
}
