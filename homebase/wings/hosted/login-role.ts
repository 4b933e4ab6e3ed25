/**
 * Owns the short-lived login roles of `POST /v1/projects/{ref}/cli/login-role`: members of role `postgres`
 * with a password of their own (docs/compat/platform.md 5.3).
 */
import { randomBytes } from "node:crypto";
import type { HostedProject } from "./stand-in.ts";

const TTL_S = 300;

export interface LoginRole {
  role: string;
  password: string;
  ttl_seconds: number;
}

/** Creates the role, or gives an existing one a new password and expiry. */
export async function makeLoginRole(project: HostedProject, readOnly: boolean): Promise<LoginRole> {
  const { name } = project.databaseAddress;
  // Roles belong to the cluster: a cluster with several projects needs one for each.
  const own = name === "postgres" ? "" : `_${name}`;
  const role = `${readOnly ? "cli_login_supabase_read_only_user" : "cli_login_postgres"}${own}`.slice(0, 63);
  const password = randomBytes(24).toString("base64url");
  const until = new Date(Date.now() + TTL_S * 1000).toISOString();
  await project.cluster.admin(async (client) => {
    const quoted = client.escapeIdentifier(role);
    const { rows } = await client.query("select 1 from pg_roles where rolname = $1", [role]);
    if (rows.length === 0) await client.query(`create role ${quoted} noinherit`);
    await client.query(
      `alter role ${quoted} login password ${client.escapeLiteral(password)} valid until ${client.escapeLiteral(until)}`,
    );
    await client.query(`grant ${readOnly ? "supabase_read_only_user" : "postgres"} to ${quoted}`);
  });
  return { role, password, ttl_seconds: TTL_S };
}

/** Removes the roles created for a project. */
export async function dropLoginRoles(project: HostedProject): Promise<void> {
  const { name } = project.databaseAddress;
  if (name === "postgres") return;
  await project.cluster.admin(async (client) => {
    const { rows } = await client.query<{ rolname: string }>(
      "select rolname from pg_roles where rolname like 'cli\\_login\\_%' and rolname like $1",
      [`%\\_${name.replaceAll("_", "\\_")}`],
    );
    for (const { rolname } of rows)
      await client.query(`drop role if exists ${client.escapeIdentifier(rolname)}`);
  });
}
