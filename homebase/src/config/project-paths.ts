/**
 * Owns which files a project's configuration may name: those of its repository. A project of strangers could
 * otherwise have the machine's other files read, stored in a public bucket, or mailed.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { UserError } from "../core/user-error.ts";
import type { ConfigFile } from "./schema.ts";

/**
 * The outermost folder that a project's files may be in: its repository's, because a monorepo shares files, but
 * not a home folder that is one, or anything above it.
 */
export function repositoryOf(projectFolder: string): string {
  const start = realpathSync(projectFolder);
  const home = homedir();
  for (let folder = start; !isWithin(folder, home); folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) break;
  }
  return start;
}

/** Whether `path` is `folder` or in it. By name only. */
function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && resolve(way) !== way);
}

/** As many links in a row as Linux follows. */
const MOST_LINKS = 40;

/** Whether a path, which may not exist, is in a folder, links resolved, also those to nothing. */
export function staysWithin(folder: string, path: string, links = MOST_LINKS): boolean {
  let existing = resolve(path);
  while (!lstatSync(existing, { throwIfNoEntry: false }) && existing !== dirname(existing))
    existing = dirname(existing);
  const rest = relative(existing, resolve(path));
  if (existsSync(existing)) return isWithin(folder, join(realpathSync(existing), rest));
  const target = resolve(realpathSync(dirname(existing)), readlinkSync(existing));
  return links > 0 && staysWithin(folder, join(target, rest), links - 1);
}

/** A file that a link leads out of the repository. */
export class PathLeaves extends UserError {}

/**
 * Writes a file of the project, and the folders above it.
 * @throws PathLeaves where a link leads out of the repository: nothing is written.
 */
export function writeProjectFile(
  projectFolder: string,
  file: string,
  text: string,
  options: { mode?: number; flag?: "wx" } = {},
): void {
  const path = pathToWrite(projectFolder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, options);
}

function pathToWrite(projectFolder: string, file: string): string {
  const path = resolve(projectFolder, file);
  const repository = repositoryOf(projectFolder);
  if (staysWithin(repository, path)) return path;
  throw new PathLeaves(
    `${relative(projectFolder, path)} is a link that leaves ${repository}, so nothing was written to it.`,
  );
}

/** A file that is not renamed or written: it is a link, or the name is taken. */
export class NotRenamed extends UserError {}

/** @throws PathLeaves, NotRenamed where something has this name */
export function refuseTaken(projectFolder: string, file: string): void {
  if (lstatSync(pathToWrite(projectFolder, file), { throwIfNoEntry: false }))
    throw new NotRenamed(`${file} exists already. Nothing was changed.`);
}

/** @throws PathLeaves, NotRenamed */
export function refuseRename(projectFolder: string, from: string, to: string): void {
  const path = pathToWrite(projectFolder, from);
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new NotRenamed(`${from} is a link or no file, and is not renamed. Nothing was changed.`);
  refuseTaken(projectFolder, to);
}

/** Renames a file of the project. @throws PathLeaves, NotRenamed: nothing is renamed. */
export function renameProjectFile(projectFolder: string, from: string, to: string): void {
  refuseRename(projectFolder, from, to);
  renameSync(resolve(projectFolder, from), resolve(projectFolder, to));
}

/** @throws PathLeaves, NotRenamed where it is no file with this text */
export function refuseReplace(projectFolder: string, file: string, before: string): void {
  const path = pathToWrite(projectFolder, file);
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new NotRenamed(`${file} is a link or no file, and is not changed. Nothing was changed.`);
  if (readFileSync(path, "utf8") !== before)
    throw new NotRenamed(`${file} has been changed meanwhile. Nothing was changed.`);
}

/**
 * Gives a file of the project another text, whole or not at all.
 * @param unfinished its name while it is written
 * @throws PathLeaves, NotRenamed: the file is as it was
 */
export function replaceProjectFile(
  projectFolder: string,
  file: string,
  { before, text, unfinished }: { before: string; text: string; unfinished: string },
): void {
  refuseReplace(projectFolder, file, before);
  refuseTaken(projectFolder, unfinished);
  writeProjectFile(projectFolder, unfinished, text, { flag: "wx" });
  renameSync(resolve(projectFolder, unfinished), resolve(projectFolder, file));
}

/** Why a file or folder of the project is not read: it is a link, or below one, that leaves the repository. */
export function linkThatLeaves(projectFolder: string, path: string): string | undefined {
  if (!existsSync(path) || staysWithin(repositoryOf(projectFolder), path)) return undefined;
  return `${relative(projectFolder, path)} is a link that leaves ${repositoryOf(projectFolder)}, and nothing outside of it is read`;
}

/** The part of a glob pattern before its first special character, up to a folder. */
function fixedPart(pattern: string): string {
  const parts = pattern.split("/");
  const special = parts.findIndex((part) => /[*?[\]{}!()]/.test(part));
  return special === -1
    ? pattern
    : parts.slice(0, special).join("/") || (pattern.startsWith("/") ? "/" : ".");
}

/** The keys whose path leaves the repository, each as a line for the developer. */
export function pathsThatLeave(config: ConfigFile, projectFolder: string, supabaseFolder: string): string[] {
  const { email, signing_keys_path } = config.auth;
  const named: [key: string, base: string, path: string | undefined][] = [
    ...Object.entries(config.storage.buckets).map(
      ([name, { objects_path }]): [string, string, string | undefined] => [
        `storage.buckets.${name}.objects_path`,
        supabaseFolder,
        objects_path,
      ],
    ),
    ...Object.entries(email.template).map(
      ([name, { content_path }]): [string, string, string | undefined] => [
        `auth.email.template.${name}.content_path`,
        projectFolder,
        content_path,
      ],
    ),
    ...Object.entries(email.notification).map(
      ([name, { content_path }]): [string, string, string | undefined] => [
        `auth.email.notification.${name}.content_path`,
        supabaseFolder,
        content_path,
      ],
    ),
    ["auth.signing_keys_path", supabaseFolder, signing_keys_path],
    ...config.db.seed.sql_paths.map((path): [string, string, string] => [
      "db.seed.sql_paths",
      supabaseFolder,
      path,
    ]),
    ...config.db.migrations.schema_paths.map((path): [string, string, string] => [
      "db.migrations.schema_paths",
      supabaseFolder,
      path,
    ]),
  ];
  const given = named.filter(([, , path]) => path !== undefined && path !== "");
  if (given.length === 0 || !existsSync(projectFolder)) return [];
  const repository = repositoryOf(projectFolder);
  return given
    .filter(
      ([, base, path = ""]) =>
        !staysWithin(repository, resolve(base, fixedPart(path))) || /[*?[{].*\.\.(\/|$)/.test(path),
    )
    .map(([key, , path]) => `${key}: "${path}" leaves ${repository}, and nothing outside of it is read`);
}
