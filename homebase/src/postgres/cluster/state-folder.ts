/**
 * Owns which `.homebase/` a command uses: one that this user's commands made on this machine, or that the user has
 * signed. Any other may come with a repository, and a database runs the programs that its catalogue names.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { readStart } from "../../core/untrusted-files.ts";
import { ownCode } from "../../core/user-folders.ts";
import { DataFolderError, foreignOwner } from "./data-folder.ts";
import { trackedPaths } from "./git-index.ts";

/** The name of the folder with a project's data. */
export const STATE_FOLDER = ".homebase";
/** The file with the signature. */
const SIGNATURE = "made-here";
const MOST_BYTES = 1_000;
/** For root: Postgres runs as another user and must be able to traverse it. */
const MODE = 0o755;

/** A project's `.homebase/`, or something else in its place, is not used. */
export class UntrustedFolder extends DataFolderError {}

export function stateFolderOf(projectFolder: string): string {
  return join(projectFolder, STATE_FOLDER);
}

/** Where the keys of another issuer are kept. */
export const issuerFileOf = (projectFolder: string) =>
  join(stateFolderOf(projectFolder), "other-issuer.json");

/** Whether the folder has this user's signature for its place. */
export function isTrusted(projectFolder: string): boolean {
  try {
    const written = readStart(join(stateFolderOf(projectFolder), SIGNATURE), MOST_BYTES);
    return written === signatureFor(projectFolder);
  } catch {
    return false;
  }
}

/**
 * Returns the project's folder for data, made and signed if it is missing or empty. Called before anything in it is
 * read. @throws UntrustedFolder for another one; it stays as it is.
 */
export function claimStateFolder(projectFolder: string): string {
  const folder = stateFolderOf(projectFolder);
  refuseUntrusted(projectFolder);
  if (isTrusted(projectFolder)) return folder;
  try {
    makeSigned(projectFolder, folder);
  } catch (error) {
    // Another process may have been faster.
    if (!isTrusted(projectFolder)) {
      throw new UntrustedFolder(
        `${folder} cannot be used as the folder for data (${(error as Error).message}).`,
      );
    }
  }
  return folder;
}

/** @throws UntrustedFolder for a folder that `claimStateFolder` does not take. Changes nothing. */
export function refuseUntrusted(projectFolder: string): void {
  const folder = stateFolderOf(projectFolder);
  refuseTracked(projectFolder);
  if (isTrusted(projectFolder)) return;
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found && !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UntrustedFolder(`${folder} cannot be used as the folder for data: it is no folder.`);
  }
  const foreign = foreignOwner(folder);
  if (foreign !== undefined) throw new UntrustedFolder(foreign);
  if (found && (found.isSymbolicLink() || readdirSync(folder).length > 0)) throw unsigned(folder);
}

/** Signs the folder as it is: what it holds is used from now on. @throws UntrustedFolder when git would change it */
export function signStateFolder(projectFolder: string): void {
  refuseTracked(projectFolder);
  const path = join(stateFolderOf(projectFolder), SIGNATURE);
  const making = `${path}.${process.pid}`;
  writeFileSync(making, signatureFor(projectFolder), { mode: 0o600, flag: "wx" });
  renameSync(making, path);
}

/** A folder that appears with its signature: an interrupted start leaves none without. */
function makeSigned(projectFolder: string, folder: string): void {
  const making = `${folder}.${process.pid}`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { mode: MODE });
  try {
    // Nobody has to remember it: the folder's data is not for a repository.
    writeFileSync(join(making, ".gitignore"), "*\n", { mode: 0o644 });
    writeFileSync(join(making, SIGNATURE), signatureFor(projectFolder), { mode: 0o600 });
    renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

function signatureFor(projectFolder: string): string {
  return `${ownCode("state folder", realpathSync(projectFolder))}\n`;
}

function unsigned(folder: string): UntrustedFolder {
  return new UntrustedFolder(
    `${folder} was not made by you on this machine, so nothing in it is used: a database runs the programs that ` +
      "its files name, and a repository can bring one.\nNothing was changed. If you know where it comes from (an " +
      "earlier version of Homebase, a copy, a cache of CI), homebase trust shows what is in it and signs it.",
  );
}

/** Git replaces files that it tracks, in a signed folder too. @throws UntrustedFolder */
function refuseTracked(projectFolder: string): void {
  const folder = stateFolderOf(projectFolder);
  let tracked: boolean;
  try {
    tracked = isTracked(projectFolder);
  } catch (error) {
    // Somebody else's repository: this user's git cannot use it either.
    if ((error as NodeJS.ErrnoException).code === "EACCES") return;
    throw new UntrustedFolder(
      `Whether git tracks files in ${folder} is not known, as git's index cannot be read (${(error as Error).message}). ` +
        "Nothing was changed. Repair the repository: git status says what is wrong with it.",
    );
  }
  if (!tracked) return;
  throw new UntrustedFolder(
    `Git tracks files in ${folder}, so whoever commits to this repository could change the database's files. ` +
      "Nothing was changed. Take them out of the repository: git rm -r --cached .homebase",
  );
}

/**
 * Whether the repository tracks a file in the folder, in any case: file systems may not tell the cases apart.
 */
function isTracked(projectFolder: string): boolean {
  const project = realpathSync(projectFolder);
  for (let root = project; ; root = dirname(root)) {
    const place = join(root, ".git");
    if (existsSync(place)) {
      const prefix = join(relative(root, project), STATE_FOLDER).split(sep).join("/");
      const wanted = latin1(`${prefix}/`);
      return trackedPaths(gitFolder(root, place)).some((path) => path.toLowerCase().startsWith(wanted));
    }
    if (root === dirname(root)) return false;
  }
}

/** A text's bytes in UTF-8, one character each. */
const latin1 = (text: string) => Buffer.from(text).toString("latin1").toLowerCase();

/** A worktree's `.git` is a file that names its folder. */
function gitFolder(root: string, place: string): string {
  if (statSync(place).isDirectory()) return place;
  const [, named = ""] = /^gitdir: (.+)$/m.exec(readFileSync(place, "utf8")) ?? [];
  return resolve(root, named);
}
