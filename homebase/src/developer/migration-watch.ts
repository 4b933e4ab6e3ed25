/** Owns watching `supabase/migrations` for changes, and applying them. */
import { dirname, join } from "node:path";
import { errorBoundary } from "../core/error-boundary.ts";
import { FolderWatch } from "../core/folder-watch.ts";
import type { Log } from "../core/log.ts";
import { OtherBranch } from "./branch-of-state.ts";

/** Editors write a file in several steps; a change is reported after this long without another. */
export const QUIET_MS = 150;
const BRANCH_PAUSE_MS = 1_000;

/**
 * Applies migrations after some were added, edited or removed. A failure is logged. @returns a function that stops
 * watching.
 */
export function watchMigrations(
  supabaseFolder: string,
  migrate: () => Promise<unknown>,
  log: Log,
): () => void {
  const folder = join(supabaseFolder, "migrations");
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let waiting: string | undefined;
  const soon = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(report, milliseconds);
  };
  const report = errorBoundary(log, "the watch on migrations", async () => {
    try {
      await migrate();
      waiting = undefined;
    } catch (error) {
      if (closed) return;
      if (!(error instanceof OtherBranch))
        return log.error("Migrations could not be applied.", { error: String(error) });
      // A hook of git that switches the state begins after git has written the files, and a rebase ends without one.
      if (waiting !== error.message) log.info(error.message);
      waiting = error.message;
      soon(BRANCH_PAUSE_MS);
    }
  });
  const watch = new FolderWatch(folder, {
    root: dirname(supabaseFolder),
    changed: (path) => {
      if (path === folder || path.endsWith(".sql")) soon(QUIET_MS);
    },
    otherwise: "Saved migrations are not applied until `homebase migrate`.",
    log,
  });
  return () => {
    closed = true;
    clearTimeout(timer);
    watch.close();
  };
}
