/**
 * Owns detecting drift: compares a hosted database with a local one built from the migrations in its history.
 */

import type { Config } from "../../../src/config/config.ts";
import { schemaDiff, withMigrated } from "../../../src/diff/schema-diff.ts";
import type { ClusterClient } from "../../../src/postgres/cluster/cluster-client.ts";
import { becomePostgres } from "../../../src/postgres/files/migration-history.ts";
import type { Migration } from "../../../src/postgres/files/project-files.ts";
import { splitStatements } from "../../../src/postgres/statements/split.ts";
import type { TargetConnection } from "./database.ts";

/** The target's differences from its migrations, as statements. */
export async function findDrift(
  cluster: ClusterClient,
  config: Config,
  applied: readonly Migration[],
  target: TargetConnection,
): Promise<string[]> {
  const { sql } = await withMigrated(
    cluster,
    config,
    (migrated) => schemaDiff(migrated, { connection: target, prepare: becomePostgres }),
    applied,
  );
  return splitStatements(sql)
    .map(({ text }) => text.replace(/^(\s*--[^\n]*\n)+/, "").trim())
    .filter((text) => text !== "" && !/^set\s/i.test(text) && !isPlatforms(text));
}

/**
 * Roles that the platform creates and changes itself (docs/compat/platform.md 1.1); login roles are
 * temporary.
 */
const PLATFORM_ROLE =
  /^(anon|authenticated|authenticator|cli_login_.*|dashboard_user|pgbouncer|pgsodium_key.*|pgtle_admin|postgres|service_role|supabase_.*)$/;
const ROLE = /^(?:create|alter|drop)\s+role\s+"([^"]+)"/i;
const MEMBERSHIP = /^(?:grant|revoke)\s+(?:admin\s+option\s+for\s+)?"[^"]+"\s+(?:to|from)\s+"([^"]+)"/i;

function isPlatforms(statement: string): boolean {
  const role = (ROLE.exec(statement) ?? MEMBERSHIP.exec(statement))?.[1];
  return role !== undefined && PLATFORM_ROLE.test(role);
}
