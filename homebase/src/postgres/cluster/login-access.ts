/** Owns how a cluster lets logins in: the server's hba file, which is outside of the data folder, and the stack's own logins. */
import { createHmac, randomBytes } from "node:crypto";
import {
  lchownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { ownCode } from "../../core/user-folders.ts";
import { GUARDED, HTTP_ROLE, loginPassword, ownVerifier } from "../guarded-logins.ts";
import type { ServerPlace } from "./platform.ts";
import type { ServerUser } from "./system-user.ts";

/**
 * A cluster's secret; the passwords of the guarded logins follow from it. A durable cluster's follows from this
 * user's key, so that it is stored nowhere.
 */
export function clusterSecret(dataFolder: string, durable: boolean): string {
  if (!durable) return randomBytes(32).toString("base64url");
  return ownCode("cluster", join(realpathSync(dirname(dataFolder)), basename(dataFolder)));
}

/** Writes the hba file of a cluster. @returns its path. */
export function writeAccessRules(socketFolder: string, rules: string): string {
  const path = join(socketFolder, "hba.conf");
  writeFileSync(path, `# Written by Homebase at each start.\n${rules}`, { mode: 0o644 });
  return path;
}

/** Writes what the server's connection to itself (extensions/stand-in/http--1.6) logs in with; only its account reads it. */
export function writePasswordFile({ socketFolder, user }: ServerPlace, secret: string): void {
  const path = join(socketFolder, "passwords");
  writeFileSync(path, `*:*:*:${HTTP_ROLE}:${loginPassword(secret, HTTP_ROLE)}\n`, { mode: 0o600 });
  if (user) lchownSync(path, user.uid, user.gid);
}

const MARKER = "homebase.logins";

/**
 * Whether the logins of a data folder have the passwords of this secret, as far as its own file says. A copy, or a folder
 * of an earlier version or from elsewhere, has none, or one for another secret.
 */
export function hasLogins(folder: string, secret: string): boolean {
  return readText(join(folder, MARKER)) === marker(secret);
}

/** Records that `loginStatements` have run; undone when a login is refused all the same. */
export function noteLogins(folder: string, secret: string | undefined): void {
  if (secret === undefined) rmSync(join(folder, MARKER), { force: true });
  else writeFileSync(join(folder, MARKER), marker(secret), { mode: 0o600 });
}

function marker(secret: string): string {
  return createHmac("sha256", secret).update(loginsSql()).digest("base64url");
}

function loginsSql(): string {
  return readFileSync(join(import.meta.dirname, "..", "bootstrap", "logins.sql"), "utf8");
}

/** Creates the stack's own logins and sets their passwords: input of `postgres --single -j`. */
export function loginStatements(secret: string): string {
  return GUARDED.reduce(
    (sql, role) => `${sql}alter role ${role} password '${ownVerifier(secret, role)}';\n\n`,
    loginsSql(),
  );
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** A tablespace by an object id that Postgres never assigns. */
const GUARD_LINK = join("pg_tblspc", "1");
const GUARD_FOLDER = "homebase_guard";
/** The folder in a tablespace that belongs to Postgres 17. */
const VERSION_FOLDER = "PG_17_202406281";
/** Longer than the 99 characters of a name that Postgres puts into an archive. */
const GUARD_FILE = `homebase-refuses-base-backups-${"they-would-contain-everything-in-this-folder-".repeat(2)}`;

/**
 * Makes every base backup fail before its first file. hba rules cannot refuse one: BASE_BACKUP also works on a
 * connection to a database (`replication=database`), which logical replication needs. Tablespaces are sent first,
 * and the name of this one's only file is too long for the archive.
 */
export function refuseBaseBackups(dataFolder: string, user: ServerUser | undefined): void {
  const guard = join(realpathSync(dataFolder), GUARD_FOLDER);
  const inside = join(guard, VERSION_FOLDER);
  mkdirSync(inside, { recursive: true, mode: 0o700 });
  const file = join(inside, GUARD_FILE);
  // Root does this in a folder of the server's account, whose links it must not follow.
  if (!lstatSync(file, { throwIfNoEntry: false })) writeFileSync(file, "", { mode: 0o600, flag: "wx" });
  if (user) for (const path of [guard, inside, file]) lchownSync(path, user.uid, user.gid);
  const link = join(dataFolder, GUARD_LINK);
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(link) === guard) return;
  rmSync(link, { force: true });
  symlinkSync(guard, link);
}
