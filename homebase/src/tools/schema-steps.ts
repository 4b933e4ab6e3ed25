/**
 * Owns the statements that lead from a project's migrations to another database's schema, proven: they are run on a
 * database of those migrations, and what is still missing then is added.
 */
import { type RemoteDatabase, type SchemaDiff, schemaDiff } from "../backend/schema-diff.ts";
import type { Config } from "../config/config.ts";
import type { ClusterClient } from "../postgres/cluster/cluster-client.ts";
import type { Database } from "../postgres/database.ts";
import type { Migration } from "../postgres/files/read.ts";
import { applyStatements } from "../postgres/migrations.ts";
import { withShadow } from "./shadow.ts";

export interface SchemaSteps {
  /** The statements, in pieces: each needs what the one before it has committed. None: nothing is missing. */
  parts: string[];
  destructive: boolean;
  /** Objects that are not compared, e.g. casts and operators. */
  notCompared: string[];
  /** What is still missing after the statements; empty when they make the same schema. */
  missing: string;
}

/** Default privileges act on what the first pass creates, so rights are right after the second. */
const PASSES = 3;

/**
 * @param migrations what the statements come after; none: what Supabase itself brings.
 * @param schemas only what is in these; all without.
 * @throws ProjectFileError
 */
export async function schemaSteps(
  cluster: ClusterClient,
  config: Config,
  migrations: readonly Migration[],
  desired: Database | RemoteDatabase,
  schemas?: readonly string[],
): Promise<SchemaSteps> {
  return withShadow(cluster, config, "steps", migrations, async (shadow) => {
    const steps: SchemaSteps = { parts: [], destructive: false, notCompared: [], missing: "" };
    for (let pass = 1; ; pass += 1) {
      const diff: SchemaDiff = await schemaDiff(shadow, desired, schemas);
      steps.notCompared = diff.notCompared;
      steps.missing = diff.sql;
      if (diff.sql === "" || pass > PASSES) return steps;
      for (const part of diff.parts) await applyStatements(shadow, "(the schema)", part);
      steps.destructive ||= diff.destructive && pass === 1;
      const last = steps.parts.pop();
      const [first = "", ...more] = diff.parts;
      // What comes later only changes rights: it needs no commit before it.
      steps.parts.push(...(last === undefined ? [first] : [`${last}\n\n${first}`]), ...more);
    }
  });
}
