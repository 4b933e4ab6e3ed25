/** Owns the linting of all migrations of a project. */
import { loadConfig } from "../../../src/config/config.ts";
import { readMigrations } from "../../../src/postgres/files/project-files.ts";
import { type Finding, lintMigration } from "./lint.ts";

/** Findings in the order of the migrations. @throws ConfigError, UnreadableFile */
export function lintProject(from: string): Finding[] {
  const config = loadConfig({ from });
  const migrations = readMigrations(config);
  const exposed = config.api.schemas;
  return migrations.flatMap((migration) => lintMigration(migration, { earlier: migrations, exposed }));
}
