/**
 * Owns watching a folder that may be missing, or be removed and made again, as by git where a commit has none of its
 * files. Every folder has a watch of its own: Node's recursive one ends with its folder, and on Linux it loses files
 * that are replaced.
 */
import { type FSWatcher, lstatSync, readdirSync, statSync, watch } from "node:fs";
import { join, relative, sep } from "node:path";
import { errorBoundary } from "./error-boundary.ts";
import type { Log } from "./log.ts";

/** Folders that no watch is spent on, and editors' temporary files. */
const NOISE =
  /(^|[/\\])(\.git|node_modules|vendor|\.vscode|\.idea)([/\\]|$)|~$|\.tmp$|\.sw[a-p]$|(^|[/\\])(___|\.#)/;

/** How a folder is watched. */
export interface FolderWatchOptions {
  /** A folder above that stays; the folders between the two may come and go. */
  root: string;
  /** Whether the folders below are watched too. */
  recursive?: boolean;
  /** Gets the absolute path of a file or folder that was added, edited or removed. */
  changed: (path: string) => void;
  /** What a folder that cannot be watched means to the developer, as a sentence. */
  otherwise: string;
  log: Log;
}

/** Watches one folder until it is closed. It does not keep the process alive. */
export class FolderWatch {
  readonly #folder: string;
  readonly #options: FolderWatchOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  #complete = true;

  constructor(folder: string, options: FolderWatchOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#open(options.root);
  }

  /** False once one of the folders could not be watched, so that changes may be missed. */
  get complete(): boolean {
    return this.#complete;
  }

  close(): void {
    this.#close(this.#options.root);
  }

  /** Watches a folder, and those in it, as far as they are there. */
  #open(path: string): void {
    if (!this.#isWatched(path)) return;
    try {
      // A link below the folder is not followed: it may lead anywhere.
      if (!(isBelow(path, this.#folder) ? lstatSync(path) : statSync(path)).isDirectory()) return;
      const saved = (event: string, name: string | null) => this.#saved(path, event, name);
      const watcher = watch(
        path,
        { persistent: false },
        errorBoundary(this.#options.log, `the watch on ${path}`, saved),
      );
      // The watch of the folder above sees this one go.
      watcher.on("error", () => {});
      this.#watchers.set(path, watcher);
      // Read after its watch has begun, so that no folder is missed.
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        if (!entry.isFile()) this.#open(join(path, entry.name));
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") this.#fail(path, code ?? String(error));
    }
  }

  #close(path: string): void {
    for (const [watched, watcher] of this.#watchers) {
      if (watched !== path && !isBelow(watched, path)) continue;
      watcher.close();
      this.#watchers.delete(watched);
    }
  }

  #saved(within: string, event: string, name: string | null): void {
    if (name === null || NOISE.test(name)) return;
    const path = join(within, name);
    // A folder of this name may be another one than before.
    if (event === "rename" && this.#isWatched(path)) {
      this.#close(path);
      this.#open(path);
    }
    if (isBelow(path, this.#folder)) this.#options.changed(path);
    else if (path === this.#folder || isBelow(this.#folder, path)) this.#options.changed(this.#folder);
  }

  #isWatched(path: string): boolean {
    if (path === this.#folder || isBelow(this.#folder, path)) return true;
    return (
      this.#options.recursive === true &&
      isBelow(path, this.#folder) &&
      !NOISE.test(relative(this.#folder, path))
    );
  }

  #fail(path: string, code: string): void {
    if (!this.#complete) return;
    this.#complete = false;
    const { log, otherwise } = this.#options;
    const why =
      code === "ENOSPC" || code === "EMFILE"
        ? "this machine's limit of watched folders is reached. To raise it: sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024"
        : code;
    log.warn(`${otherwise} ${path} cannot be watched: ${why}`);
  }
}

/** Whether a path is inside a folder; false for the folder itself. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
