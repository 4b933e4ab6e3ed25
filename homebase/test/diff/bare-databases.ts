/** Owns the databases that tests compare: as a new project has them, without a Backend, dropped after a file or a test. */
import { afterAll } from "vitest";
import { cloneDatabase, dropDatabase } from "../../src/postgres/cluster/copies.ts";
import { ensureBase } from "../../src/postgres/cluster/template-databases.ts";
import type { Database } from "../../src/postgres/database.ts";
import { applyStatements } from "../../src/postgres/migrations.ts";
import { testCluster } from "../../src/testing/shared-cluster.ts";

let count = 0;

/**
 * @param after takes what drops them
 * @returns makes a database in which the statements have run
 */
export function bareDatabases(
  after: (drop: () => Promise<void>) => void = afterAll,
): (sql?: string) => Promise<Database> {
  const made: string[] = [];
  after(async () => {
    const cluster = await testCluster(process.cwd());
    for (const name of made.splice(0)) await dropDatabase(cluster, name);
  });
  return async (sql = "") => {
    const cluster = await testCluster(process.cwd());
    count += 1;
    const name = `compared_${process.pid}_${count}`;
    await cloneDatabase(cluster, await ensureBase(cluster), name);
    made.push(name);
    const database = cluster.database(name);
    if (sql !== "") await applyStatements(database, "given.sql", sql);
    return database;
  };
}
