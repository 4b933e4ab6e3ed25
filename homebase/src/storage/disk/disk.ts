/** Owns how files come to be: whole under their name, or not there at all, whatever breaks off when. */
import { copyFile, type FileHandle, link, mkdir, open, readdir, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { StorageError } from "../errors.ts";

const PLACING_ATTEMPTS = 5;

/** Stored files are their owner's alone. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Makes a folder and those above it. @returns the topmost that was made. */
export function makeFolder(path: string): Promise<string | undefined> {
  return mkdir(path, { recursive: true, mode: FOLDER_MODE });
}

/** Makes a new file, and its folder when that is missing. */
export async function createFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", FILE_MODE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await makeFolder(dirname(path));
    return open(path, "wx", FILE_MODE);
  }
}

/** Gives a finished, synced file its lasting name; after that no crash takes it away. */
export async function placeFile(temporary: string, path: string): Promise<void> {
  const folder = dirname(path);
  let made: string | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(temporary, path);
      break;
    } catch (error) {
      // No folder yet; or removing the version before has just taken the emptied one away.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || attempt > PLACING_ATTEMPTS) throw error;
      made = (await makeFolder(folder)) ?? made;
    }
  }
  // The file is on disk; its name is only once the folder is, and the folders made for it are.
  await syncFolders(folder, made);
}

/** The same bytes under a second name; copied where the disk has no links. */
export async function share(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw error;
    await copyFile(from, to);
    const file = await open(to, "r+");
    await file.sync().finally(() => file.close());
  }
}

/** Syncs a folder, and those above it as far up as `made`, the topmost that was just made. */
async function syncFolders(folder: string, made: string | undefined): Promise<void> {
  const top = made === undefined ? folder : dirname(made);
  for (let at = folder; ; at = dirname(at)) {
    const handle = await open(at, "r");
    await handle.sync().finally(() => handle.close());
    if (at === top || at === dirname(at)) return;
  }
}

/** Names in a folder; none when it is not there. */
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

/** A full disk in words that its owner can do something with; everything else as it is. */
export function diskError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "ENOSPC" && code !== "EDQUOT" && code !== "EFBIG") return error;
  return new StorageError(
    "InternalError",
    "The disk is full: the object was not stored, and nothing was changed.",
    { cause: error },
  );
}
