/** Owns the logins of the stack's sessions, and their passwords. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

/** Bootstrap superuser, as on hosted. */
export const SUPERUSER = "supabase_admin";
/** Reads the write-ahead log for Realtime. It may replicate, and has no right on any object. */
export const REPLICATION_ROLE = "homebase_replication";
/** The server's connection to itself, by which a statement asks Homebase (bootstrap/exchange.sql). It may call three functions. */
export const HTTP_ROLE = "homebase_http";
/** Runs the SQL of assistants (wings/mcp/read-only.ts). It may read every table but for secrets, and change none. */
export const READER_ROLE = "homebase_reader";
/** Becomes role postgres to run functions for an explanation, with auto_explain loaded. */
export const EXPLAIN_ROLE = "homebase_explain";

/** The stack's own logins: each has a password of this cluster, and none is reached by TCP. */
export const GUARDED: readonly string[] = [SUPERUSER, REPLICATION_ROLE, EXPLAIN_ROLE, HTTP_ROLE, READER_ROLE];

/** Supabase's roles that the stack logs in as. Their password is public, as in `supabase start`. */
export const PUBLIC_LOGINS: readonly string[] = [
  "postgres",
  "authenticator",
  "supabase_auth_admin",
  "supabase_storage_admin",
  "supabase_read_only_user",
];
export const PUBLIC_PASSWORD = "postgres";

/** The login that becomes a project's own role to run its scheduled jobs (job-login.ts): this, and the role's object id. */
export const JOB_PREFIX = "homebase_job_";

/** The password that a login has in a cluster with this secret. */
export function loginPassword(secret: string | undefined, role: string): string {
  const own = GUARDED.includes(role) || role.startsWith(JOB_PREFIX);
  return secret !== undefined && own ? ownPassword(secret, role) : PUBLIC_PASSWORD;
}

function ownPassword(secret: string, role: string): string {
  return createHmac("sha256", secret).update(`verified login ${role}`).digest("base64url");
}

/**
 * The verifier of such a password, which Postgres stores. It is sent in place of the password, because pg_stat_statements shows role
 * `postgres` the text of every statement. One iteration: stretching is for passwords that can be guessed; these
 * have 256 random bits, and each connection would pay.
 */
export function ownVerifier(secret: string, role: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(ownPassword(secret, role), salt, 1, 32, "sha256");
  const key = (name: string) => createHmac("sha256", salted).update(name).digest();
  const stored = createHash("sha256").update(key("Client Key")).digest("base64");
  return `SCRAM-SHA-256$1:${salt.toString("base64")}$${stored}:${key("Server Key").toString("base64")}`;
}
