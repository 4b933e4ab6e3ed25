/**
 * Owns choosing the system user that Postgres runs as. Postgres refuses to run as root, so for root it is
 * started as an unprivileged user, with its files where that user can access them.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SYSTEM_FOLDER } from "../../core/user-folders.ts";
import { stateFolderOf } from "./state-folder.ts";

/** An account to start Postgres as. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const ACCOUNTS = ["postgres", "nobody"];
let chosen: ServerUser | undefined;

/** The account to switch to; undefined when the current user is suitable. */
export function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ACCOUNTS) chosen ??= localAccount(name) ?? systemAccount(name);
  if (chosen) return chosen;
  throw new Error(
    "Running as root, and there is neither a user postgres nor a user nobody to run Postgres as. " +
      "Create one (useradd --system postgres) or run as an ordinary user.",
  );
}

/** An account by /etc/passwd (passwd(5)), without starting a program. */
function localAccount(name: string): ServerUser | undefined {
  try {
    const lines = readFileSync("/etc/passwd", "utf8").split("\n");
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
  } catch {
    return undefined;
  }
}

/** An account as the system resolves it: also those of a directory service. */
function systemAccount(name: string): ServerUser | undefined {
  try {
    const read = (flag: string) =>
      Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
    return { uid: read("-u"), gid: read("-g") };
  } catch {
    return undefined;
  }
}

/** Whether `user` may traverse every folder on the way to `path`. */
export function reachable(path: string, user: ServerUser | undefined): boolean {
  if (!user) return true;
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    try {
      const { mode, uid, gid } = statSync(folder);
      const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
      if ((mode & bit) === 0) return false;
    } catch {
      // The folder does not exist yet: its creator sets the permissions.
    }
    if (folder === dirname(folder)) return true;
  }
}

/**
 * Where Postgres keeps a project's data: the project's own `.homebase/`, or, when the server's user cannot
 * access that (a checkout under root's home), a system folder named after the project.
 */
export function serverFolder(projectFolder: string, user: ServerUser | undefined): string {
  const own = stateFolderOf(projectFolder);
  if (reachable(projectFolder, user)) return own;
  const name = createHash("sha256").update(projectFolder).digest("hex").slice(0, 12);
  return join(SYSTEM_FOLDER, name);
}

/** Creates a folder (and parents) owned by the server's user. */
export function makeOwnedFolder(folder: string, user: ServerUser | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (user) lchownSync(folder, user.uid, user.gid);
}

/**
 * Creates a folder (and parents) of the current user that the server's user can traverse. An existing one that is closed
 * to it, because something else made it first, is opened for that and no more.
 */
export function makeTraversableFolder(folder: string, user: ServerUser | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  if (!user) return;
  const { mode, uid } = lstatSync(folder);
  if (uid === process.getuid?.() && (mode & 0o001) === 0) chmodSync(folder, (mode & 0o777) | 0o011);
}

/** Changes the owner of a folder and its content to the server's user, where necessary. Links are not followed. */
export function chownTree(folder: string, user: ServerUser | undefined): void {
  if (!user) return;
  if (lstatSync(folder).uid === user.uid) return;
  lchownSync(folder, user.uid, user.gid);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) chownTree(path, user);
    else if (!entry.isSymbolicLink()) lchownSync(path, user.uid, user.gid);
  }
}
