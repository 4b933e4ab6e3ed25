/** Owns the retention of resumable uploads' files. */
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { entries, undefinedIfMissing } from "../disk/disk.ts";

/** An upload is deleted after a day without activity, as on hosted; so is a finished one. */
export const LIFE_MS = 24 * 60 * 60 * 1000;

/**
 * Removes expired uploads from disk.
 * @param now milliseconds since the epoch.
 * @returns the number of removed uploads.
 */
export async function deleteExpiredUploads(folder: string, now: number): Promise<number> {
  let forgotten = 0;
  const names = await entries(folder);
  for (const name of names.filter((one) => one.endsWith(".json"))) {
    const bytes = join(folder, name.slice(0, -".json".length));
    const touched = await Promise.all([bytes, join(folder, name)].map(lastTouched));
    if (Math.max(...touched) > now - LIFE_MS) continue;
    await rm(bytes, { force: true });
    await rm(join(folder, name), { force: true });
    forgotten += 1;
  }
  return forgotten;
}

async function lastTouched(path: string): Promise<number> {
  return (await stat(path).catch(undefinedIfMissing))?.mtimeMs ?? 0;
}
