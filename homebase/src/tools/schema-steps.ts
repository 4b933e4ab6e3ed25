/** Owns the statements that lead from a project's migrations to another database's schema, proven on a database of theirs. */

import type { Config } from "../config/config.ts";
import type { RemoteDatabase } from "../diff/compared-database.ts";
import { type CompleteDiff, completeDiff } from "../diff/schema-diff.ts";
import type { ClusterClient } from "../postgres/cluster/cluster-client.ts";
import type { Database } from "../postgres/database.ts";
import type { Migration } from "../postgres/files/project-files.ts";
import { withShadow } from "./shadow.ts";

/**
 * @param migrations what the statements come after; none: a new project of Supabase.
 * @param schemas only what is in these; all without.
 * @throws ProjectFileError
 */
export function schemaSteps(
  cluster: ClusterClient,
  config: Config,
  migrations: readonly Migration[],
  desired: Database | RemoteDatabase,
  schemas?: readonly string[],
): Promise<CompleteDiff> {
  return withShadow(cluster, config, "steps", migrations, (shadow) =>
    completeDiff(shadow, desired, { schemas, majorVersion: config.db.major_version }),
  );
}
