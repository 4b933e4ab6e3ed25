/**
 * Owns the state of a cluster's data folder: absent, present, or something that a start must not touch. A new
 * cluster is created in a folder of another name, and only such a folder is ever removed.
 */
import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../core/user-error.ts";

/** Data that a start does not recognise or must not touch; the message says what it is and how to proceed. */
export class DataFolderError extends UserError {}

const MAJOR = "17";
const RESET = "homebase reset (moves what is there into .homebase/aside and starts over from your files)";

/** Where a new cluster is created, before it is renamed. */
export function unfinishedFolder(folder: string): string {
  return `${folder}.new`;
}

/**
 * Inspects a data folder without changing it. @throws DataFolderError when it is not a complete cluster of
 * this version.
 */
export function inspectDataFolder(folder: string): "absent" | "present" {
  const foreign = foreignOwner(folder);
  if (foreign !== undefined) throw new DataFolderError(foreign);
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

/** Why a folder of another account, a copy for example, is not used, and how it is handed over. */
export function foreignOwner(folder: string): string | undefined {
  const own = process.getuid?.();
  const owner = lstatSync(folder, { throwIfNoEntry: false })?.uid;
  // Root can read it, and hands it over to the server's account itself.
  if (owner === undefined || own === undefined || own === 0 || owner === own) return undefined;
  return (
    `${folder} belongs to another user (uid ${owner}), and Postgres uses a database of its own user only. Nothing was ` +
    `changed. If it is your data, a copy for example, make it yours: sudo chown -R ${own} ${folder}`
  );
}

/**
 * The error for a data folder that cannot be used, with how to proceed. @param details Postgres's own
 * message.
 */
export function refusal(folder: string, reason: string, details?: string): DataFolderError {
  return new DataFolderError(
    `The database in ${folder} cannot be used: ${reason}.\n${details === undefined ? "" : `${details}\n`}` +
      `Nothing was removed. Restore the folder from a backup; or ${RESET}.`,
  );
}

/** Removes the unfinished folder of an interrupted start. Never a renamed one. */
export function removeUnfinishedCluster(folder: string): void {
  rmSync(unfinishedFolder(folder), { recursive: true, force: true });
}

/** Whether a link exists, even a broken one. */
function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
