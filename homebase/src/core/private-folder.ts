/**
 * Owns this user's private folders: the one for sockets in the system's temporary folder, and those for data.
 * A folder created by another user is rejected.
 */
import { chmodSync, chownSync, lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UserError } from "./user-error.ts";

/** A folder does not belong to this user; the message says why and how to proceed. */
export class UnsafeFolder extends UserError {}

/** The account that a folder belongs to. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Creates a folder owned by `owner` (default: this user), or checks the existing one. Its parent must be
 * writable only by this user, or have the sticky bit. @throws UnsafeFolder when it is a link, not a folder,
 * or another user's.
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
      `${path} is ${kind}, so its contents may belong to somebody else. Remove it and start again.`,
    );
  }
  // Root may have created it for another account.
  if (own === 0 && found.uid === 0 && owner) chownSync(path, owner.uid, owner.gid);
  else if (expected !== undefined && found.uid !== expected) {
    throw new UnsafeFolder(
      `${path} belongs to another user (uid ${found.uid}), who could read and change its contents. ` +
        "Ask for its removal, or set TMPDIR to a folder of your own.",
    );
  }
  if ((found.mode & 0o777) !== mode) chmodSync(path, mode);
  return path;
}

/**
 * This user's folder for sockets, in the system's temporary folder because the path of a Unix socket is
 * limited in length. @throws UnsafeFolder
 */
export function socketsFolder(): string {
  const uid = process.getuid?.();
  // For root, Postgres runs as another user and must be able to traverse to its own subfolder.
  return privateFolder(join(tmpdir(), `homebase-${uid ?? "user"}`), { mode: uid === 0 ? 0o711 : 0o700 });
}
