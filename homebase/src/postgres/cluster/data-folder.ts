/**
 * Owns the question what a cluster's data folder is: absent, present, or something that a start must not
 * touch. A new cluster is made in a folder of another name, and only such a folder is ever removed.
 */
import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Data that a start does not recognise or must not touch; the message says what it is and what to do. */
export class DataFolderError extends Error {}

const MAJOR = "17";
const RESET = "homebase reset (moves what is there into .homebase/aside and begins anew from your files)";

/** Where a new cluster is made, before it gets its lasting name. */
export function unfinishedFolder(folder: string): string {
  return `${folder}.new`;
}

/**
 * Looks at a data folder without changing it.
 * @throws DataFolderError when something is there that is not a whole cluster of this version.
 */
export function inspectDataFolder(folder: string): "absent" | "present" {
  let entries: string[];
  try {
    entries = readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && !isLink(folder)) return "absent";
    throw refusal(folder, code === "ENOTDIR" ? "it is no folder" : `it cannot be read (${code})`);
  }
  if (entries.length === 0) return "absent";
  let version: string;
  try {
    version = readFileSync(join(folder, "PG_VERSION"), "utf8").trim();
  } catch {
    throw refusal(folder, "its file PG_VERSION is missing or cannot be read");
  }
  if (!/^\d+$/.test(version)) throw refusal(folder, "its file PG_VERSION is damaged");
  if (version !== MAJOR) {
    throw refusal(folder, `it was made by Postgres ${version}, and this version of Homebase runs ${MAJOR}`);
  }
  return "present";
}

/**
 * A refusal to start on a data folder, with what to do.
 * @param details what Postgres itself said.
 */
export function refusal(folder: string, reason: string, details?: string): DataFolderError {
  return new DataFolderError(
    `The database in ${folder} cannot be used: ${reason}.\n${details === undefined ? "" : `${details}\n`}` +
      `Nothing was removed. Ways on: restore the folder from a backup; or ${RESET}.`,
  );
}

/** Removes what a start that broke off has half made. Never anything under a lasting name. */
export function removeUnfinishedCluster(folder: string): void {
  rmSync(unfinishedFolder(folder), { recursive: true, force: true });
}

/** Whether there is a link, also one that leads nowhere. */
function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
