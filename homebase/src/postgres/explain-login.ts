/** Owns the login that sees what runs inside functions: a member of role postgres whose sessions load auto_explain. */
import type { Login } from "./connected.ts";
import type { Database } from "./database.ts";

/** The login, which each cluster of Homebase's has (bootstrap/logins.sql). */
export async function explainLogin(database: Database): Promise<Login> {
  return database.connection("homebase_explain");
}
