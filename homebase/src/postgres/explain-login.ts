/** Owns the login that sees what runs inside functions: a member of role postgres whose sessions load auto_explain. */
import type pg from "pg";
import type { Database } from "./database.ts";
import { EXPLAIN_ROLE, socketVerifier } from "./guarded-logins.ts";

/**
 * Whether the role is there, and whether somebody else has made it: then it has members, owns something, or is a member
 * of another role.
 */
const FOUND = `select r.oid, exists (
    select from pg_catalog.pg_auth_members m
    where m.roleid = r.oid or (m.member = r.oid and m.roleid <> 'postgres'::pg_catalog.regrole)
    union all select from pg_catalog.pg_shdepend d
    where d.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass and d.refobjid = r.oid and d.deptype = 'o'
  ) as foreign
  from pg_catalog.pg_roles r where r.rolname = $1`;

/** The login, made if it is missing. Another role of that name keeps all but its name. */
export async function explainLogin(database: Database): Promise<pg.ClientConfig> {
  const { secret = "" } = database.address;
  await database.transaction("supabase_admin", async (client) => {
    // Roles are shared by the databases of a cluster, and Backends of tests ask at once.
    await client.query("lock table pg_catalog.pg_authid in share row exclusive mode");
    const { rows } = await client.query<{ oid: string; foreign: boolean }>(FOUND, [EXPLAIN_ROLE]);
    const [found] = rows;
    if (found?.foreign)
      await client.query(`alter role ${EXPLAIN_ROLE} rename to ${EXPLAIN_ROLE}_${found.oid}`);
    if (!found || found.foreign) {
      await client.query(`create role ${EXPLAIN_ROLE} login noinherit`);
      await client.query(`grant postgres to ${EXPLAIN_ROLE}`);
      await client.query(`alter role ${EXPLAIN_ROLE} set session_preload_libraries = auto_explain`);
    }
    await client.query(
      `alter role ${EXPLAIN_ROLE} password ${client.escapeLiteral(socketVerifier(secret, EXPLAIN_ROLE))}`,
    );
  });
  return database.connection("homebase_explain");
}
