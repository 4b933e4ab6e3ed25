/** Owns writing to the disk what changed in a data folder since it was last written there as a whole. */
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { syncFile } from "../../core/sync-file.ts";

/** A file's time comes from a clock that is behind by up to a tick of the system, 10 ms. */
const TICK_MS = 20;

/**
 * Syncs the files and folders that were changed at or after `since`, one after the other: syncing a file costs a flush
 * of the disk's cache even where nothing is to be written, and commits wait for each.
 * @param since milliseconds since the epoch.
 * @returns their paths.
 */
export async function syncChanged(folder: string, since: number): Promise<string[]> {
  const synced: string[] = [];
  const sync = async (path: string) => {
    const { mtimeMs } = await stat(path);
    // Some file systems have whole seconds.
    const latest = mtimeMs % 1000 === 0 ? mtimeMs + 1000 : mtimeMs + TICK_MS;
    if (latest < since) return;
    const handle = await open(path);
    try {
      await syncFile(handle);
    } finally {
      await handle.close();
    }
    synced.push(path);
  };
  const visit = async (path: string) => {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) await visit(inner).catch(unlessGone);
      else if (entry.isFile()) await sync(inner).catch(unlessGone);
    }
    // After its files, whose names it has.
    await sync(path);
  };
  await visit(folder);
  return synced;
}

/** The server removes files meanwhile. */
function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
