/**
 * Owns the choice of the system user that Postgres runs as. It refuses to run as root, so as root it is started as an
 * unprivileged user, and its files are put where that user can reach them.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chownSync, lstatSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** An account to start Postgres as. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** Holds what projects need that the server's user cannot reach: their data by project, the binaries once. */
export const SYSTEM_FOLDER = "/var/lib/homebase";

/** The account to drop to, or undefined when the current user will do. */
export function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    try {
      const read = (flag: string) =>
        Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
      return { uid: read("-u"), gid: read("-g") };
    } catch {
      // No such account; try the next.
    }
  }
  throw new Error(
    "Running as root, and there is neither a user postgres nor a user nobody to run Postgres as. " +
      "Create one (useradd --system postgres) or run as an ordinary user.",
  );
}

/** Whether `user` may pass through every folder on the way to `path`. */
export function reachable(path: string, user: ServerUser | undefined): boolean {
  if (!user) return true;
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    try {
      const { mode, uid, gid } = statSync(folder);
      const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
      if ((mode & bit) === 0) return false;
    } catch {
      // Not there yet: who makes it decides.
    }
    if (folder === dirname(folder)) return true;
  }
}

/**
 * Where Postgres keeps what belongs to a project: the project's own `.homebase/`, or, when the server's
 * user cannot reach that (a checkout under root's home), a folder of the system named after the project.
 */
export function serverFolder(projectFolder: string, user: ServerUser | undefined): string {
  const own = join(projectFolder, ".homebase");
  if (reachable(projectFolder, user)) return own;
  const name = createHash("sha256").update(projectFolder).digest("hex").slice(0, 12);
  return join(SYSTEM_FOLDER, name);
}

/**
 * Where the private tree of Postgres's binaries is laid, and whether it may link to the npm package. Where the server's
 * user cannot reach the project or the package, one copy serves all projects, because it takes 120 MB.
 */
export function binariesPlace(
  projectFolder: string,
  packageFolder: string,
  user: ServerUser | undefined,
): { parent: string; linkable: boolean } {
  const linkable = reachable(projectFolder, user) && reachable(packageFolder, user);
  return { parent: linkable ? join(projectFolder, ".homebase") : SYSTEM_FOLDER, linkable };
}

/** Makes a folder (and parents) that belongs to the server's user. */
export function makeOwnedFolder(folder: string, user: ServerUser | undefined, mode = 0o700): void {
  mkdirSync(folder, { recursive: true, mode });
  if (user) chownSync(folder, user.uid, user.gid);
}

/** Gives a folder and all in it to the server's user, where it is not so already. */
export function chownTree(folder: string, user: ServerUser | undefined): void {
  if (!user) return;
  if (lstatSync(folder).uid === user.uid) return;
  chownSync(folder, user.uid, user.gid);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) chownTree(path, user);
    else if (!entry.isSymbolicLink()) chownSync(path, user.uid, user.gid);
  }
}
