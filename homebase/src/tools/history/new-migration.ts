/** Owns writing files of supabase/migrations: their names, and versions that come after all others. */
import { join, relative } from "node:path";
import type { Config } from "../../config/config.ts";
import { writeProjectFile } from "../../config/project-paths.ts";
import { UserError } from "../../core/user-error.ts";
import { type Migration, readMigrations } from "../../postgres/files/project-files.ts";

/** A name that no file can have. */
export class BadMigrationName extends UserError {
  override readonly exitCode = 2;
}

/** Versions after those of all files, as a time: `count` of them. */
export function nextVersions(config: Config, count: number): string[] {
  const digits = new Date().toISOString().replace(/[^0-9]/g, "");
  const now = BigInt(digits.slice(0, 14));
  const latest = BigInt(readMigrations(config).at(-1)?.version ?? 0);
  const first = latest < now ? now : latest + 1n;
  return Array.from({ length: count }, (_, index) => String(first + BigInt(index)));
}

/**
 * A migration of this version, not written yet. Both parts of its file's name may come from somebody else's database.
 * @throws BadMigrationName
 */
export function migrationOf(config: Config, version: string, name: string, sql: string): Migration {
  if (!/^[0-9]{1,20}$/.test(version)) {
    throw new BadMigrationName(`A migration's version is digits only; ${JSON.stringify(version)} is not.`);
  }
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(name)) {
    throw new BadMigrationName("A migration's name is made of letters, digits, _ and -.");
  }
  const path = relative(
    config.projectFolder,
    join(config.supabaseFolder, "migrations", `${version}_${name}.sql`),
  );
  return { version, name, path, sql };
}

/** Writes a migration's file. @throws PathLeaves */
export function writeMigration(config: Config, { path, sql }: Migration): void {
  writeProjectFile(config.projectFolder, path, sql);
}
