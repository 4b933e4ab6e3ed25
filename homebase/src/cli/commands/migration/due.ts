/** Owns bringing the pending migrations to a database that an address names: what `db push` and `migration up` share. */
import type pg from "pg";
import type { Config } from "../../../config/config.ts";
import { becomePostgres, compareHistory, readHistory } from "../../../postgres/files/migration-history.ts";
import { duplicateVersions, type Migration, readMigrations } from "../../../postgres/files/project-files.ts";
import {
  type Replacement,
  replacementWords,
  rewriteHistory,
} from "../../../postgres/files/squashed-migrations.ts";
import { written } from "../../../postgres/migrations.ts";
import { CommandError } from "../../kit/terminal.ts";

/** What a database's history and the files make necessary. */
export interface Due {
  pending: Migration[];
  replacing: Replacement[];
}

/** The files that are due. @throws CommandError, PartlyApplied when files and history cannot be brought together. */
export async function dueMigrations(client: pg.Client, config: Config, includeAll: boolean): Promise<Due> {
  const files = written(readMigrations(config));
  const [duplicate] = duplicateVersions(files);
  if (duplicate) throw duplicate;
  const history = await readHistory(client);
  const { foreign, pending, late, replacing } = compareHistory(
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
      `Older than the newest migration that the database has, and not applied there:\n${late.map(({ path }) => `  ${path}`).join("\n")}\nGive them newer versions, or apply them anyway with --include-all.`,
    );
  }
  return { pending, replacing };
}

/** Records the files that take the place of others, and prints them unless the result is JSON. @returns their paths */
export async function recordReplacements(
  client: pg.Client,
  { replacing }: Due,
  { dry = false, json = false }: { dry?: boolean | undefined; json?: boolean | undefined },
): Promise<string[]> {
  if (!dry) {
    await becomePostgres(client);
    await rewriteHistory(client, replacing);
  }
  for (const { migration, removed } of json ? [] : replacing)
    process.stdout.write(
      `${dry ? "Would record" : "Recorded"} ${replacementWords(migration.path, removed)}\n`,
    );
  return replacing.map(({ migration }) => migration.path);
}
