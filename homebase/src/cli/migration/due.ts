/** Owns bringing the pending migrations to a database that an address names: what `db push` and `migration up` share. */
import type pg from "pg";
import type { Config } from "../../config/config.ts";
import { duplicateVersion, type Migration, readMigrations } from "../../postgres/files/read.ts";
import { written } from "../../postgres/migrations.ts";
import { applyMigration, becomePostgres, compareHistory, readHistory } from "../../tools/history/history.ts";
import { CommandError } from "../terminal.ts";

/** The files that are due. @throws CommandError when files and history cannot be brought together. */
export async function dueMigrations(
  client: pg.Client,
  config: Config,
  includeAll: boolean,
): Promise<Migration[]> {
  const files = written(readMigrations(config));
  const duplicate = duplicateVersion(files);
  if (duplicate) throw duplicate;
  const history = await readHistory(client);
  const { foreign, pending, late } = compareHistory(
    files,
    history.map(({ version }) => version),
  );
  if (foreign.length > 0) {
    throw new CommandError(
      `The database has migrations without a file in supabase/migrations: ${foreign.join(", ")}.\nGet the files (git pull, or homebase migration fetch), or take the versions out of its history:\n  homebase migration repair --status reverted ${foreign.join(" ")} --db-url ...`,
    );
  }
  if (late.length > 0 && !includeAll) {
    throw new CommandError(
      `Older than the newest migration that the database has, and not applied there:\n${late.map(({ path }) => `  ${path}`).join("\n")}\nGive them newer versions, or apply them anywame with --include-all.`,
    );
  }
  return pending;
}

/** Applies files in order; each that fails ends it, and those before it stay applied. @throws SqlFileError */
export async function applyAll(
  client: pg.Client,
  migrations: readonly Migration[],
  applied: (migration: Migration) => void,
): Promise<void> {
  for (const migration of migrations) {
    await applyMigration(client, migration, { prepare: becomePostgres });
    applied(migration);
  }
}
