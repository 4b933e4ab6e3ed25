/** Owns watching `supabase/migrations` for changes. */

import { type FSWatcher, mkdirSync, watch } from "node:fs";
import { join } from "node:path";
import { errorBoundary } from "../core/error-boundary.ts";
import type { Log } from "../core/log.ts";

/** Editors write a file in several steps; a change is reported after this long without another. */
const QUIET_MS = 150;

/**
 * Calls `changed` after migrations were added, edited or removed. @returns a function that stops watching.
 */
export function watchMigrations(supabaseFolder: string, changed: () => void, log: Log): () => void {
  const folder = join(supabaseFolder, "migrations");
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | undefined;
  try {
    mkdirSync(folder, { recursive: true });
    watcher = watch(folder, (_event, file) => {
      if (file !== null && !file.endsWith(".sql")) return;
      clearTimeout(timer);
      timer = setTimeout(errorBoundary(log, "the watch on migrations", changed), QUIET_MS);
    });
    watcher.on("error", () => {});
  } catch {
    // The folder cannot be watched: `homebase migrate` still works.
  }
  return () => {
    clearTimeout(timer);
    watcher?.close();
  };
}
