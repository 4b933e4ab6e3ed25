/** Owns noticing that a file of `supabase/migrations` was saved. */
import { type FSWatcher, mkdirSync, watch } from "node:fs";
import { join } from "node:path";

/** Editors write a file in several steps; one change is told once they have been quiet for this long. */
const QUIET_MS = 150;

/** Calls `changed` after migrations were added, edited or removed. Returns the way to stop. */
export function watchMigrations(supabaseFolder: string, changed: () => void): () => void {
  const folder = join(supabaseFolder, "migrations");
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | undefined;
  try {
    mkdirSync(folder, { recursive: true });
    watcher = watch(folder, (_event, file) => {
      if (file !== null && !file.endsWith(".sql")) return;
      clearTimeout(timer);
      timer = setTimeout(changed, QUIET_MS);
    });
    watcher.on("error", () => {});
  } catch {
    // A folder that cannot be watched: `homebase migrate` still works.
  }
  return () => {
    clearTimeout(timer);
    watcher?.close();
  };
}
