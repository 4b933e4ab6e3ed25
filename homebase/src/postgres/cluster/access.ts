/** Owns how a cluster lets logins in: the server's hba file, which is outside of the data folder, and roles' passwords. */
import { randomBytes } from "node:crypto";
import {
  chownSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type pg from "pg";
import { ownCode } from "../../core/user-folders.ts";
import { HTTP_ROLE, READER_ROLE, REPLICATION_ROLE, SUPERUSER, socketVerifier } from "../guarded-logins.ts";
import type { ServerUser } from "./user.ts";

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

/**
 * A role with its object id, and whether anything hangs on it that the stack does not make: members, memberships, objects,
 * settings. A project of an earlier version can have made a role with this name.
 */
const ROLE = `select r.oid, exists (
    select from pg_catalog.pg_auth_members m join pg_catalog.pg_roles g on g.oid = m.grantor
      where r.oid in (m.roleid, m.member) and not (g.rolsuper and m.roleid = 'pg_read_all_data'::regrole)
    union all select from pg_catalog.pg_shdepend d
      where d.refclassid = 'pg_catalog.pg_authid'::regclass and d.refobjid = r.oid and d.deptype = 'o'
    union all select from pg_catalog.pg_db_role_setting s where s.setrole = r.oid
  ) as foreign
  from pg_catalog.pg_roles r where r.rolname = $1`;

/** Creates the stack's own logins, and sets the passwords that follow from the cluster's secret. */
export async function setLogins(client: pg.ClientBase, secret: string, tcp: boolean): Promise<void> {
  for (const role of [REPLICATION_ROLE, HTTP_ROLE, READER_ROLE]) {
    const { rows } = await client.query<{ oid: string; foreign: boolean }>(ROLE, [role]);
    const [found] = rows;
    // Who administers a role would have what the stack gives it: the other one keeps all but its name.
    if (found?.foreign) await client.query(`alter role ${role} rename to ${role}_${found.oid}`);
    if (!found || found.foreign) await client.query(`create role ${role}`);
  }
  await client.query(`alter role ${HTTP_ROLE} with login noinherit nosuperuser`);
  await client.query(`alter role ${REPLICATION_ROLE} with login replication noinherit nosuperuser`);
  await client.query(`alter role ${READER_ROLE} with login bypassrls inherit nosuperuser`);
  await client.query(`grant pg_read_all_data to ${READER_ROLE}`);
  for (const role of [SUPERUSER, REPLICATION_ROLE, ...(tcp ? [HTTP_ROLE, READER_ROLE] : [])]) {
    const verifier = client.escapeLiteral(socketVerifier(secret, role));
    await client.query(`alter role ${role} password ${verifier}`);
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
  writeFileSync(join(inside, GUARD_FILE), "", { mode: 0o600 });
  if (user) for (const path of [guard, inside, join(inside, GUARD_FILE)]) chownSync(path, user.uid, user.gid);
  const link = join(dataFolder, GUARD_LINK);
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(link) === guard) return;
  rmSync(link, { force: true });
  symlinkSync(guard, link);
}
