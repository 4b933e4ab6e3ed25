/**
 * Owns this user's folders outside of every project: what can be made again (the cache), and what belongs to
 * this user on this machine (the state), with the key that says which folders of data were made here.
 */
import { createHmac, randomBytes } from "node:crypto";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { socketsFolder, UnsafeFolder } from "./private-folder.ts";

/** For root: Postgres, which runs as another user, must be able to traverse it. */
export const SYSTEM_FOLDER = "/var/lib/homebase";

const NAME = "homebase-stack";
const KEY_BYTES = 32;

/**
 * Holds what this user's commands make once for all projects. Created if missing. Root's is always the same: the
 * server's user could not traverse others.
 */
export function userCache(): string {
  if (process.getuid?.() === 0) return ownFolder(SYSTEM_FOLDER, undefined, []);
  const { HOMEBASE_CACHE: own, XDG_CACHE_HOME: shared } = process.env;
  const usual = process.platform === "darwin" ? ["Library", "Caches"] : [".cache"];
  return ownFolder(own, shared, usual);
}

function userState(): string {
  const { HOMEBASE_STATE: own, XDG_STATE_HOME: shared } = process.env;
  const usual = process.platform === "darwin" ? ["Library", "Application Support"] : [".local", "state"];
  return ownFolder(own, shared, usual);
}

function ownFolder(own: string | undefined, shared: string | undefined, usual: readonly string[]): string {
  const root = process.getuid?.() === 0;
  const parent = shared !== undefined && isAbsolute(shared) ? shared : join(homedir(), ...usual);
  const folder = own === undefined ? (root ? SYSTEM_FOLDER : join(parent, NAME)) : resolve(own);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
  } catch (error) {
    // A home that is missing or cannot be written to, as in some containers.
    if (own !== undefined || (error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    return socketsFolder();
  }
  // A cache may be a link to a larger disk.
  const real = realpathSync(folder);
  refuseForeign(real);
  return real;
}

/** Whether a file or folder is this user's or the system's, and nobody else may write to it. Links have no mode. */
export function isOwn(found: Stats): boolean {
  const own = process.getuid?.();
  if (own === undefined) return true;
  return (found.uid === own || found.uid === 0) && (found.isSymbolicLink() || (found.mode & 0o022) === 0);
}

/** @throws UnsafeFolder when others may have written to a folder, or may do so. */
function refuseForeign(path: string): void {
  const found = lstatSync(path);
  if (found.isDirectory() && isOwn(found)) return;
  if (found.isDirectory() && found.uid === process.getuid?.()) {
    chmodSync(path, found.mode & 0o7755);
    return;
  }
  throw new UnsafeFolder(
    `${path} is not a folder of this user (uid ${found.uid}), and programs ` +
      "are run from it. Make it yours and closed to the others' writing, or remove it, and start again.",
  );
}

/**
 * A code that only this user of this machine can make: proves that a text was written here.
 * @param purpose keeps codes of different uses apart
 */
export function ownCode(purpose: string, text: string): string {
  return createHmac("sha256", ownKey()).update(`${purpose}\0${text}`).digest("base64url");
}

let known: { path: string; key: Buffer } | undefined;

function ownKey(): Buffer {
  const path = join(userState(), "key");
  if (known?.path !== path) known = { path, key: readKey(path) ?? makeKey(path) };
  return known.key;
}

function readKey(path: string): Buffer | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  const own = process.getuid?.();
  if (!found.isFile() || (own !== undefined && found.uid !== own) || (found.mode & 0o077) !== 0) {
    throw new UnsafeFolder(
      `${path} is readable for others, or is not this user's own file. Remove it and start again.`,
    );
  }
  const key = readFileSync(path);
  if (key.length !== KEY_BYTES) throw new UnsafeFolder(`${path} is damaged. Remove it and start again.`);
  return key;
}

/** Another process may make it at the same time: the first one counts. */
function makeKey(path: string): Buffer {
  const making = `${path}.${process.pid}`;
  writeFileSync(making, randomBytes(KEY_BYTES), { mode: 0o600 });
  try {
    linkSync(making, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(making, { force: true });
  }
  return readKey(path) as Buffer;
}
