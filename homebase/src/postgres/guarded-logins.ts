/** Owns the logins that only the stack itself uses, and their passwords. */
import { createHmac } from "node:crypto";

/** Bootstrap superuser, as on hosted. */
export const SUPERUSER = "supabase_admin";
/** Reads the write-ahead log for Realtime. It may replicate, and has no right on any object. */
export const REPLICATION_ROLE = "homebase_replication";
/** The extension http's connection of the server to itself. It may use one table. */
export const HTTP_ROLE = "homebase_http";
/** Runs the SQL of assistants (mcp/read-only.ts). It may read every table and change none. */
export const READER_ROLE = "homebase_reader";

/** The logins that need the cluster's own password. */
export const GUARDED: readonly string[] = [SUPERUSER, REPLICATION_ROLE];

/** The password of a login over the socket; undefined when the socket's folder alone guards it. */
export function socketPassword(secret: string | undefined, role: string): string | undefined {
  if (secret === undefined || !GUARDED.includes(role)) return undefined;
  return createHmac("sha256", secret).update(`verified login ${role}`).digest("base64url");
}
