/** Owns comparing a project's schema files with its migrations, for a test that holds them together. */

import { loadConfig } from "../config/config.ts";
import { bothDiffs, withDeclared, withMigrated } from "../diff/schema-diff.ts";
import { publishAsIn } from "../diff/undeclared-publication.ts";
import { testCluster } from "./shared-cluster.ts";

/** The differences between schema files and migrations, as SQL. */
export interface SchemaDifferences {
  /** Statements that the migrations lack, as `homebase db diff` prints them; empty when they lack nothing. */
  missing: string;
  /** Statements that the schema files lack. */
  extra: string;
  /** Objects that are not compared, e.g. casts and operators. */
  notCompared: string[];
}

/**
 * Compares the database that the project's migrations produce with that of `supabase/schemas` (or of
 * `[db.migrations] schema_paths`), in both directions.
 * @throws an error that names the file and the line when a file fails.
 */
export async function schemaDifferences(projectFolder?: string): Promise<SchemaDifferences> {
  const config = loadConfig({ named: projectFolder });
  const cluster = await testCluster(config.projectFolder);
  return withDeclared(cluster, config, (declared) =>
    withMigrated(cluster, config, async (migrated) => {
      const undeclared = await publishAsIn(migrated, declared, config);
      const { there: missing, back: extra } = await bothDiffs(migrated, declared);
      const notCompared = [...new Set([...missing.notCompared, ...extra.notCompared, ...undeclared])];
      return { missing: missing.sql, extra: extra.sql, notCompared };
    }),
  );
}
