/** Owns watching `supabase/migrations` for changes, and how any folder is watched. */

import { type FSWatcher, mkdirSync, type WatchListener, watch } from "node:fs";
import { join } from "node:path";
import { errorBoundary } from "../core/error-boundary.ts";
import type { Log } from "../core/log.ts";

/** Editors write a file in several steps; a change is reported after this long without another. */
export const QUIET_MS = 150;
const FOLDER = "migrations";

/**
 * Calls `changed` after migrations were added, edited or removed. @returns a function that stops watching.
 */
export function watchMigrations(supabaseFolder: string, changed: () => void, log: Log): () => void {
  const folder = join(supabaseFolder, FOLDER);
  let timer: NodeJS.Timeout | undefined;
  let files: FSWatcher | undefined;
  const report = () => {
    clearTimeout(timer);
    timer = setTimeout(errorBoundary(log, "the watch on migrations", changed), QUIET_MS);
  };
  const watchFiles = () => {
    files?.close();
    files = watched(folder, (_event, file) => {
      if (file === null || file.endsWith(".sql")) report();
    });
  };
  try {
    mkdirSync(folder, { recursive: true });
  } catch {
    // The folder cannot be watched: `homebase migrate` still works.
  }
  watchFiles();
  // A watch ends with its folder, which git removes and makes again where a commit leaves none of its files.
  const parent = watched(supabaseFolder, (event, name) => {
    if (event !== "rename" || name !== FOLDER) return;
    watchFiles();
    report();
  });
  return () => {
    clearTimeout(timer);
    files?.close();
    parent?.close();
  };
}

/** Undefined for a folder that cannot be watched. */
export function watched(folder: string, listener: WatchListener<string>): FSWatcher | undefined {
  try {
    return watch(folder, listener).on("error", () => {});
  } catch {
    return undefined;
  }
}
