/** Owns comparing a folder with what it was: kinds, contents and targets of everything in it. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** By path. Links are not followed. */
export function snapshot(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .sort()
      .map((path) => {
        const found = lstatSync(join(folder, path));
        if (found.isSymbolicLink()) return [path, `link to ${readlinkSync(join(folder, path))}`];
        return [path, found.isFile() ? `file ${readFileSync(join(folder, path), "base64")}` : "folder"];
      }),
  );
}
