/** Owns creating files atomically: complete under their name, or absent, wherever a crash interrupts. */
import { copyFile, type FileHandle, link, mkdir, open, readdir, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFile } from "../../core/sync-file.ts";

const PLACING_ATTEMPTS = 5;

/** Only the owner can access stored files. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Creates a folder and its parents. @returns the topmost created one. */
export function makeFolder(path: string): Promise<string | undefined> {
  return mkdir(path, { recursive: true, mode: FOLDER_MODE });
}

/** Creates a new file, and its folder if missing. */
export async function createFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", FILE_MODE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await makeFolder(dirname(path));
    return open(path, "wx", FILE_MODE);
  }
}

/** Renames a finished, synced file to its final name; afterwards it survives a crash. */
export async function placeFile(temporary: string, path: string): Promise<void> {
  const folder = dirname(path);
  let made: string | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(temporary, path);
      break;
    } catch (error) {
      // The folder is missing, perhaps because removing the previous version has just deleted it.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || attempt > PLACING_ATTEMPTS) throw error;
      made = (await makeFolder(folder)) ?? made;
    }
  }
  // The file is synced; its name is durable only after the folder, and created parents, are synced.
  await syncFolders(folder, made);
}

/** Links the file under a second name; copies it if the disk has no links. */
export async function share(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw error;
    await copyFile(from, to);
    const file = await open(to, "r+");
    await syncFile(file).finally(() => file.close());
  }
}

/** Syncs a folder, and its parents up to `made`, the topmost created one. */
async function syncFolders(folder: string, made: string | undefined): Promise<void> {
  const top = made === undefined ? folder : dirname(made);
  for (let at = folder; ; at = dirname(at)) {
    const handle = await open(at, "r");
    await syncFile(handle).finally(() => handle.close());
    if (at === top || at === dirname(at)) return;
  }
}

/** Names in a folder; none when it does not exist. */
export function entries(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

export function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}
