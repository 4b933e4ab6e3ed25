/** Owns the logins that only the stack itself uses, and their passwords. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

/** Bootstrap superuser, as on hosted. */
export const SUPERUSER = "supabase_admin";
/** Reads the write-ahead log for Realtime. It may replicate, and has no right on any object. */
export const REPLICATION_ROLE = "homebase_replication";
/** The extension http's connection of the server to itself. It may use one table. */
export const HTTP_ROLE = "homebase_http";
/** Runs the SQL of assistants (mcp/read-only.ts). It may read every table and change none. */
export const READER_ROLE = "homebase_reader";

/** Becomes role postgres to run functions for an explanation, with auto_explain loaded. */
export const EXPLAIN_ROLE = "homebase_explain";

/** The logins that need the cluster's own password. */
export const GUARDED: readonly string[] = [SUPERUSER, REPLICATION_ROLE, EXPLAIN_ROLE];

/** Where there is no socket, whose folder alone guards these, they need it too. */
const GUARDED_BY_TCP: readonly string[] = [...GUARDED, HTTP_ROLE, READER_ROLE];

/** The password of one of the stack's own logins; undefined when the socket's folder alone guards it. */
export function socketPassword(secret: string | undefined, role: string, tcp = false): string | undefined {
  if (secret === undefined || !(tcp ? GUARDED_BY_TCP : GUARDED).includes(role)) return undefined;
  return rolePassword(secret, role);
}

/** The password that a role has in this cluster only. */
export function rolePassword(secret: string, role: string): string {
  return createHmac("sha256", secret).update(`verified login ${role}`).digest("base64url");
}

/**
 * The verifier of such a password, which Postgres stores. It is sent in place of the password, because pg_stat_statements shows role
 * `postgres` the text of every statement. One iteration: stretching is for passwords that can be guessed; these
 * have 256 random bits, and each connection would pay.
 */
export function socketVerifier(secret: string, role: string): string {
  const password = rolePassword(secret, role);
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, 1, 32, "sha256");
  const key = (name: string) => createHmac("sha256", salted).update(name).digest();
  const stored = createHash("sha256").update(key("Client Key")).digest("base64");
  return `SCRAM-SHA-256$1:${salt.toString("base64")}$${stored}:${key("Server Key").toString("base64")}`;
}
