/**
 * Owns finding and reading a project's SQL files: migrations by version, seeds by the patterns of `[db.seed]
 * sql_paths`, as the Supabase CLI does (docs/compat/platform.md 3.4).
 */

import { isUtf8 } from "node:buffer";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { Config } from "../../config/config.ts";
import { repositoryOf, staysWithin } from "../../config/project-paths.ts";
import { glob } from "../../core/glob.ts";
import { UnreadableFile } from "./errors.ts";
import { withPsqlCommands } from "./psql-commands.ts";
import type { SqlFile } from "./sql-file.ts";

/** A file of `supabase/migrations`. */
export interface Migration extends SqlFile {
  version: string;
  name: string;
}

/** A file of `supabase/migrations` that is not applied, and why. */
export interface SkippedMigration {
  path: string;
  reason: string;
}

/** The folder's files: those to apply in order, and those that are not migrations. */
export interface MigrationFiles {
  migrations: Migration[];
  skipped: SkippedMigration[];
}

const PATTERN = /^(\d+)_(.*)\.sql$/;
/** A dump that early versions of the CLI wrote into the folder; it describes Supabase's own objects. */
const OLD_DUMP = /^(\d{14})_init\.sql$/;
const OLD_DUMP_BEFORE = "20211209000000";

/** The project's migrations by version. @throws UnreadableFile */
export function readMigrationFiles(config: Config): MigrationFiles {
  const folder = join(config.supabaseFolder, "migrations");
  const files: MigrationFiles = { migrations: [], skipped: [] };
  if (!existsSync(folder) || !config.db.migrations.enabled) return files;
  const pathOf = (file: string) => relative(config.projectFolder, join(folder, file));
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch (error) {
    throw new UnreadableFile(relative(config.projectFolder, folder), error);
  }
  names.forEach((file, index) => {
    const match = PATTERN.exec(file);
    if (isFolder(join(folder, file))) return;
    if (match?.[1] === undefined) {
      if (!file.startsWith(".")) {
        files.skipped.push({
          path: pathOf(file),
          reason: 'its name is not of the form "<timestamp>_name.sql"',
        });
      }
    } else if (index === 0 && (OLD_DUMP.exec(file)?.[1] ?? OLD_DUMP_BEFORE) < OLD_DUMP_BEFORE) {
      files.skipped.push({
        path: pathOf(file),
        reason: 'the name "init" is reserved for old dumps; rename it to apply it',
      });
    } else {
      files.migrations.push({
        version: match[1],
        name: match[2] ?? "",
        ...readSqlFile(config, join(folder, file)),
      });
    }
  });
  const { lastMigration } = config;
  if (lastMigration !== undefined)
    files.migrations = files.migrations.filter(({ version }) => version <= lastMigration);
  files.migrations.sort((left, right) =>
    left.version < right.version ? -1 : left.version > right.version ? 1 : 0,
  );
  return files;
}

/** The project's migrations by version. @throws UnreadableFile */
export function readMigrations(config: Config): Migration[] {
  return readMigrationFiles(config).migrations;
}

/** The files with the version of the one before: the history can store a version only once. */
export function duplicateVersions(migrations: readonly Migration[]): UnreadableFile[] {
  return migrations.flatMap((later, at) => {
    const earlier = migrations[at - 1];
    if (earlier?.version !== later.version) return [];
    return new UnreadableFile(
      later.path,
      `It has the same version as ${earlier.path}, but a version is applied only once. Give one of them another version.`,
    );
  });
}

/** The seed files that `[db.seed] sql_paths` name, in its order, each pattern's matches sorted. @throws UnreadableFile */
export function readSeeds(config: Config): SqlFile[] {
  return seedFiles(config).map((file) => readSqlFile(config, file));
}

/** Absolute paths of the seed files. */
export function seedFiles(config: Config): string[] {
  if (!config.db.seed.enabled) return [];
  const seen = new Set<string>();
  for (const pattern of config.db.seed.sql_paths) {
    for (const file of matches(config, pattern)) seen.add(join(config.supabaseFolder, file));
  }
  return [...seen];
}

/** The patterns of `[db.seed] sql_paths` that match no file. The default `./seed.sql` may be missing. */
export function unmatchedSeedPatterns(config: Config): string[] {
  if (!config.db.seed.enabled) return [];
  return config.db.seed.sql_paths.filter(
    (pattern) => !/^(\.\/)?seed\.sql$/.test(pattern) && matches(config, pattern).length === 0,
  );
}

/**
 * The declarative schema files, in the order of `[db.migrations] schema_paths` (files, folders or patterns),
 * or those of `supabase/schemas` by name. @throws UnreadableFile
 */
export function readSchemaFiles(config: Config): SqlFile[] {
  const { schema_paths: stated } = config.db.migrations;
  const seen = new Set<string>();
  for (const pattern of stated.length > 0 ? stated : ["./schemas"]) {
    const folder = isFolder(join(config.supabaseFolder, pattern));
    for (const file of matches(config, folder ? `${pattern.replace(/\/$/, "")}/**/*.sql` : pattern)) {
      seen.add(join(config.supabaseFolder, file));
    }
  }
  return [...seen].map((file) => readSqlFile(config, file));
}

/** Where people keep SQL that they run by hand or by another tool, from the project's folder. */
const BY_HAND = "{*,supabase/**/*,{db,database,drizzle,prisma,sql}/**/*}.sql";

/** The project's SQL files that are no migrations, as far as they can be read. */
export function otherSqlFiles(config: Config): SqlFile[] {
  const migrations = new Set(readMigrations(config).map(({ path }) => path));
  return glob(BY_HAND, config.projectFolder, { ignored: [...UNSEARCHED, "supabase/tests/**"], links: false })
    .filter((path) => !migrations.has(path))
    .sort()
    .flatMap((path) => {
      try {
        return [{ path, sql: readSql(config, join(config.projectFolder, path)) }];
      } catch (error) {
        if (error instanceof UnreadableFile) return [];
        throw error;
      }
    });
}

/** Folders of a repository that a pattern with `**` does not search: they have thousands of files, none the project's own. */
const UNSEARCHED = ["**/node_modules/**", "**/.git/**", "**/.homebase/**"];

function matches(config: Config, pattern: string): string[] {
  return glob(pattern, config.supabaseFolder, { ignored: UNSEARCHED }).sort();
}

/** `supabase/roles.sql`, which runs before the migrations, if there is one. @throws UnreadableFile */
export function readRolesFile(config: Config): SqlFile[] {
  const file = join(config.supabaseFolder, "roles.sql");
  return existsSync(file) ? [readSqlFile(config, file)] : [];
}

/** A file with the commands of psql in it carried out. @throws UnreadableFile */
export function readSqlFile(config: Config, path: string): SqlFile {
  const read = (file: string) => ({ path: relative(config.projectFolder, file), sql: readSql(config, file) });
  return withPsqlCommands(config, read(path), read);
}

/** A text without its byte order mark. @throws UnreadableFile */
function readSql(config: Config, path: string): string {
  const file = relative(config.projectFolder, path);
  let bytes: Buffer;
  try {
    if (!staysWithin(repositoryOf(config.projectFolder), path)) {
      throw new UnreadableFile(file, "It is a link to a file outside of this repository, which is not read.");
    }
    bytes = readFileSync(path);
  } catch (error) {
    throw error instanceof UnreadableFile ? error : new UnreadableFile(file, error);
  }
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw new UnreadableFile(file, "It is UTF-16, as Windows PowerShell writes it. Save it as UTF-8.");
  }
  if (!isUtf8(bytes)) throw new UnreadableFile(file, "It is no UTF-8 text. Save it as UTF-8.");
  if (bytes.includes(0)) throw new UnreadableFile(file, "It holds NUL bytes, which no SQL text has.");
  return bytes.toString("utf8").replace(/^\uFEFF/, "");
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
