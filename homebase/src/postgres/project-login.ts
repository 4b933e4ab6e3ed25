/**
 * Owns the login of a project's own role where there is no socket: there it needs a password, and the stack knows those
 * of Supabase's roles only.
 */
import type pg from "pg";
import type { Database } from "./database.ts";
import { rolePassword, socketVerifier } from "./guarded-logins.ts";

const SUPABASE_ROLES = /^(postgres|authenticator|supabase_.*)$/;
/** How a verifier of the stack begins: passwords of a project are stretched. */
const OWN_VERIFIER = "SCRAM-SHA-256$1:";

/**
 * The settings of a session that logs in as a role. By TCP a role without a password gets one that only the stack of this
 * cluster knows. @throws Error for a role that has a password of the project's
 */
export async function withPassword(
  database: Database,
  login: pg.ClientConfig,
  role: string,
): Promise<pg.ClientConfig> {
  if (SUPABASE_ROLES.test(role)) return login;
  const { tcp, secret } = database.address;
  if (!tcp || secret === undefined) return login;
  await database.transaction("supabase_admin", async (client) => {
    const { rows } = await client.query<{ verifier: string | null }>(
      "select rolpassword as verifier from pg_catalog.pg_authid where rolname = $1 for update",
      [role],
    );
    const verifier = rows[0]?.verifier;
    if (typeof verifier === "string" && !verifier.startsWith(OWN_VERIFIER))
      throw new Error(`Role ${role} has a password of its own, which the stack would need to log in by TCP.`);
    await client.query(
      `alter role ${client.escapeIdentifier(role)} password ${client.escapeLiteral(socketVerifier(secret, role))}`,
    );
  });
  return { ...login, password: rolePassword(secret, role) };
}
