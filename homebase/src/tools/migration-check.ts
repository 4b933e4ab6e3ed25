/** Owns finding every file of a project that cannot be applied, in a database that nobody uses. */
import type { Config } from "../config/config.ts";
import type { ClusterClient } from "../postgres/cluster/cluster-client.ts";
import { cloneDatabase, dropDatabase } from "../postgres/cluster/copies.ts";
import { ensureBase, prepareProject } from "../postgres/cluster/template-databases.ts";
import type { Database } from "../postgres/database.ts";
import { ProjectFileError, SqlFileError } from "../postgres/files/errors.ts";
import {
  duplicateVersions,
  type Migration,
  otherSqlFiles,
  readMigrations,
} from "../postgres/files/project-files.ts";
import { applyMigrations, applySeeds, written } from "../postgres/migrations.ts";
import { reordered } from "./statement-moves.ts";

/**
 * Runs roles.sql, each migration and the seed in a new database. A file that fails is undone, and the next one is tried.
 * A migration whose statements are in the wrong order is applied with them in order, so that the next ones find what it
 * makes; it counts as one that fails. Of several seed files the first that fails is the last that runs.
 * @param folder the migrations, where others than those of the folder are tried
 * @param inspect looks at the database in the end
 */
export async function failingFiles(
  cluster: ClusterClient,
  config: Config,
  folder: readonly Migration[] = readMigrations(config),
  inspect?: (database: Database, errors: readonly ProjectFileError[]) => Promise<void>,
): Promise<ProjectFileError[]> {
  const name = `check_${process.pid}`;
  const strict = config.strict ?? false;
  const errors: ProjectFileError[] = [];
  const failed = new Set<string>();
  const attempt = (work: () => Promise<unknown>) =>
    work().catch((error: unknown) => {
      if (!(error instanceof ProjectFileError)) throw error;
      errors.push(error);
      failed.add(error.file);
    });
  await dropDatabase(cluster, name);
  try {
    await cloneDatabase(cluster, await ensureBase(cluster), name);
    const database = cluster.database(name);
    const beside = () => otherSqlFiles(config);
    const duplicates = duplicateVersions(folder);
    await attempt(() => prepareProject(database, config, [], { fresh: true, strict }));
    const apply = (file: Migration) =>
      applyMigrations(database, [file], {
        fresh: true,
        strict,
        folder: folder.map((one) => (one.path === file.path ? file : one)),
        failed,
        beside,
      });
    for (const migration of written(folder)) {
      await attempt(async () => {
        const duplicate = duplicates.find(({ file }) => file === migration.path);
        if (duplicate) throw duplicate;
        await apply(migration).catch(async (error: unknown) => {
          if (!(error instanceof SqlFileError)) throw error;
          const order = await reordered(migration, error, apply);
          if (!order) throw error;
          error.moves = order.moves;
          if (!migration.pieces) error.reordered = order;
          errors.push(error);
          if (order.left) throw order.left;
        });
      });
    }
    await attempt(() => applySeeds(database, config, { fresh: true, strict, failed, beside }));
    await inspect?.(database, errors);
  } finally {
    await dropDatabase(cluster, name);
  }
  return errors;
}
