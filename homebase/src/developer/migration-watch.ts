/** Owns watching `supabase/migrations` for changes. */
import { dirname, join } from "node:path";
import { errorBoundary } from "../core/error-boundary.ts";
import { FolderWatch } from "../core/folder-watch.ts";
import type { Log } from "../core/log.ts";

/** Editors write a file in several steps; a change is reported after this long without another. */
export const QUIET_MS = 150;

/**
 * Calls `changed` after migrations were added, edited or removed. @returns a function that stops watching.
 */
export function watchMigrations(supabaseFolder: string, changed: () => void, log: Log): () => void {
  const folder = join(supabaseFolder, "migrations");
  const report = errorBoundary(log, "the watch on migrations", changed);
  let timer: NodeJS.Timeout | undefined;
  const watch = new FolderWatch(folder, {
    root: dirname(supabaseFolder),
    changed: (path) => {
      if (path !== folder && !path.endsWith(".sql")) return;
      clearTimeout(timer);
      timer = setTimeout(report, QUIET_MS);
    },
    otherwise: "Saved migrations are not applied until `homebase migrate`.",
    log,
  });
  return () => {
    clearTimeout(timer);
    watch.close();
  };
}
