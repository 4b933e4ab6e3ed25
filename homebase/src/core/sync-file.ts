/** Owns writing an open file, or folder, to the disk. */
import { fsync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { promisify } from "node:util";

const sync = promisify(fsync);

/** By its descriptor: the handles that Yarn's Plug'n'Play puts in the place of Node's refuse `sync()`. */
export function syncFile({ fd }: Pick<FileHandle, "fd">): Promise<void> {
  return sync(fd);
}
