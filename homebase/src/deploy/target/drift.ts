/**
 * Owns the question whether a hosted database is what its migrations say: it is compared with a database made here
 * of the migrations that its history names.
 */

import { schemaDiff, withMigrated } from "../../backend/schema-diff.ts";
import type { Config } from "../../config/config.ts";
import type { ClusterClient } from "../../postgres/cluster/cluster-client.ts";
import type { Migration } from "../../postgres/files/read.ts";
import { splitStatements } from "../../postgres/statements.ts";
import { becomePostgres, type TargetConnection } from "./database.ts";

/** What the target has, or lacks, beyond its migrations: statements that would make the difference. */
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
    .filter((text) => text !== "" && !/^set\s/i.test(text));
}
