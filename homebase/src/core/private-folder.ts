/**
 * Owns the folders of this user that nobody else may enter: the one for sockets in the system's temporary
 * folder, and those for data. A folder that somebody else has put in the place is refused, not used.
 */
import { chmodSync, chownSync, lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder is not this user's own; the message says why and what to do. */
export class UnsafeFolder extends Error {}

/** The account that a folder belongs to. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Makes a folder that belongs to `owner` (default: this user), or takes the one that is there. Its parent
 * must be one that only this user writes to, or one with the sticky bit.
 * @throws UnsafeFolder when it is a link, no folder, or another user's.
 */
export function privateFolder(
  path: string,
  { owner, mode = 0o700 }: { owner?: Owner; mode?: number } = {},
): string {
  try {
    mkdirSync(path, { mode });
    if (owner) chownSync(path, owner.uid, owner.gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const found = lstatSync(path);
  const own = process.getuid?.();
  const expected = owner?.uid ?? own;
  if (found.isSymbolicLink() || !found.isDirectory()) {
    const kind = found.isSymbolicLink() ? "a link" : "no folder";
    throw new UnsafeFolder(
      `${path} is ${kind}, so its contents may be somebody else's. Remove it and start again.`,
    );
  }
  // Root may have made it for another account before.
  if (own === 0 && found.uid === 0 && owner) chownSync(path, owner.uid, owner.gid);
  else if (expected !== undefined && found.uid !== expected) {
    throw new UnsafeFolder(
      `${path} belongs to another user (uid ${found.uid}), who could read and change what is put there. ` +
        "Ask for its removal, or set TMPDIR to a folder of your own.",
    );
  }
  if ((found.mode & 0o777) !== mode) chmodSync(path, mode);
  return path;
}

/**
 * This user's folder for sockets, in the system's temporary folder because the path of a Unix socket may
 * not be long.
 * @throws UnsafeFolder
 */
export function socketsFolder(): string {
  const uid = process.getuid?.();
  // As root, Postgres runs as another user and must get through to its own folder inside.
  return privateFolder(join(tmpdir(), `homebase-${uid ?? "user"}`), { mode: uid === 0 ? 0o711 : 0o700 });
}
