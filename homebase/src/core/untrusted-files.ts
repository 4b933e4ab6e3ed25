/** Owns looking at folders and files that others may have made: links are not followed, and no more is read than asked. */
import { closeSync, type Dirent, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";

/** The files below a folder. Node's own recursive listing follows links to folders, also out of it. */
export function* entriesBelow(folder: string): Generator<Dirent> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* entriesBelow(join(folder, entry.name));
    else yield entry;
  }
}

/** The beginning of a file; "" for something else, as a link or a device, which may have no end. */
export function readStart(path: string, bytes: number): string {
  if (!lstatSync(path).isFile()) return "";
  const handle = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.toString("utf8", 0, readSync(handle, buffer));
  } finally {
    closeSync(handle);
  }
}
