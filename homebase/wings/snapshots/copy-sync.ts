/** Owns writing copies to the disk before they count. */
import { existsSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFile } from "../../src/core/sync-file.ts";
import { statePaths } from "../../src/developer/state-swap.ts";
import { installBinaries } from "../../src/postgres/cluster/binaries.ts";
import { syncFileSystem } from "../../src/postgres/cluster/server-process.ts";
import { serverUser } from "../../src/postgres/cluster/system-user.ts";
import { type CopyProgress, eachOf } from "./tree-copy.ts";

/**
 * Writes new files and folders to the disk. Copies by reflink have no bytes of their own, but syncing thousands of them one
 * by one takes seconds where file systems can do so, so the file system is synced as a whole.
 */
export async function syncCopies(
  projectFolder: string,
  written: readonly string[],
  { reflink }: CopyProgress,
): Promise<void> {
  const { data } = statePaths(projectFolder);
  const [first] = written;
  if (first !== undefined && reflink && process.platform === "linux" && existsSync(data)) {
    // Through the current data, which the server's account can reach.
    if (statSync(data).dev === statSync(dirname(first)).dev)
      return syncFileSystem(installBinaries(), data, serverUser());
  }
  await eachOf(written, async (path) => {
    const handle = await open(path, "r");
    await syncFile(handle).finally(() => handle.close());
  });
}
