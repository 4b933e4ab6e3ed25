/**
 * Owns comparing a project's migrations and seeds with a database, and applying the missing ones as role
 * `postgres` with the Supabase CLI's history tables (docs/compat/platform.md 3.4).
 */
import { createHash } from "node:crypto";
import type pg from "pg";
import type { Config } from "../config/config.ts";
import { connected } from "./connected.ts";
import type { Database } from "./database.ts";
import { breakageOf, type OrderKey } from "./files/breakage.ts";
import { SqlFileError } from "./files/errors.ts";
import { applyEach, HISTORY, historyRow } from "./files/migration-history.ts";
import type { Place } from "./files/powers.ts";
import {
  duplicateVersions,
  type Migration,
  readMigrationFiles,
  readMigrations,
  readRolesFile,
  readSchemaFiles,
  readSeeds,
} from "./files/project-files.ts";
import { type Difference, type FileRecord, runFile } from "./files/run-file.ts";
import {
  type Replacement,
  replacements,
  rewriteHistory,
  versionsAfter,
} from "./files/squashed-migrations.ts";
import { recordedText, splitStatements } from "./statements/split.ts";

/** The differences between the files and a database's history. */
export interface MigrationState {
  pending: Migration[];
  /** Applied, but the file has changed since. */
  edited: Migration[];
  /** Applied versions without a file. */
  removed: string[];
  /** Files that take the place of applied ones. The other fields describe the history after that. */
  replacements: Replacement[];
  applied: string[];
  /** Files in the folder that are not migrations. */
  skipped: { path: string; reason: string }[];
}

/** Options for applying files, with progress callbacks. */
export interface Applying {
  applied?: (migration: Migration) => void;
  differs?: (difference: Difference) => void;
  /** Called when the steps before the migrations are done. */
  prepared?: () => Promise<void>;
  /** Whether the database is new: its server may have the project's roles from an earlier one. */
  fresh?: boolean;
  /** Whether statements that hosted rejects are rejected. */
  strict?: boolean;
  /** Whether an interrupted start may have applied part of it. */
  resumed?: boolean;
  /** All migrations of the folder, where those to apply are only some: an error tells what is wrong with the folder. */
  folder?: readonly Migration[];
  /** Reads the project's SQL files that are no migrations: an error says when one of them has what is missing. */
  beside?: () => readonly { path: string; sql: string }[];
  /** Files that failed before, where the next ones are tried all the same. */
  failed?: ReadonlySet<string>;
}

/** Compares files with a database's history. Reads only. @throws UnreadableFile, PartlyApplied */
export async function migrationState(database: Database, config: Config): Promise<MigrationState> {
  const { migrations: files, skipped } = readMigrationFiles(config);
  const exists = await database.query(
    "postgres",
    "select to_regclass('supabase_migrations.schema_migrations') t",
  );
  const history =
    exists.rows[0]?.t === null
      ? []
      : (
          await database.query<{ version: string; statements: string[] | null }>(
            "postgres",
            "select version, statements from supabase_migrations.schema_migrations order by version",
          )
        ).rows;
  const versions = history.map(({ version }) => version);
  const replacing = replacements(files, versions);
  const after = new Set(versionsAfter(versions, replacing));
  const replaced = new Set(replacing.map(({ migration }) => migration.version));
  const applied = new Map(
    history.filter(({ version }) => after.has(version)).map((row) => [row.version, row.statements]),
  );
  const present = new Set(files.map((file) => file.version));
  return {
    pending: files.filter(
      (file, index) => !applied.has(file.version) || files[index - 1]?.version === file.version,
    ),
    edited: files.filter((file, index) => {
      const statements = applied.get(file.version);
      // A repaired history may have no statements to compare.
      return (
        statements != null &&
        !replaced.has(file.version) &&
        files[index - 1]?.version !== file.version &&
        !sameStatements(statements, file.sql)
      );
    }),
    removed: [...applied.keys()].filter((version) => !present.has(version)),
    replacements: replacing,
    applied: [...applied.keys()],
    skipped,
  };
}

/** Comments between statements are ignored: the history of an earlier version lacks them. */
function sameStatements(recorded: readonly string[], sql: string): boolean {
  const before = recorded.filter((text) => splitStatements(text).length > 0);
  const now = splitStatements(sql);
  return before.length === now.length && now.every((statement, at) => recordedText(statement) === before[at]);
}

/**
 * The migrations to apply now: without empty ones at the end, which `supabase migration new` creates and the
 * developer has yet to write.
 */
export function written(migrations: readonly Migration[]): Migration[] {
  const last = migrations.findLastIndex(({ sql }) => splitStatements(sql).length > 0);
  return migrations.slice(0, last + 1);
}

/**
 * Applies migrations in order, each in its own transaction with its history row. @throws SqlFileError,
 * UnreadableFile at the first file that fails; the earlier ones stay applied.
 */
export async function applyMigrations(
  database: Database,
  migrations: readonly Migration[],
  applying: Applying = {},
): Promise<void> {
  if (migrations.length === 0) return;
  await withConnection(
    database,
    async (client) => {
      await client.query(HISTORY);
      const [duplicate] = duplicateVersions(migrations);
      const run = async (migration: Migration, row: FileRecord) => {
        if (migration.path === duplicate?.file) throw duplicate;
        const differences = await runFile(client, migration, placeOf(database, applying), row).catch(
          withBreakage(client, applying, applying.folder ?? migrations),
        );
        for (const difference of differences) applying.differs?.(difference);
      };
      await applyEach(client, migrations, run, applying.applied);
    },
    applying.strict,
  );
}

/**
 * Runs the pending seed files, each in a transaction, and records them as the CLI does. @throws SqlFileError,
 * UnreadableFile at the first file that fails; the earlier ones stay applied.
 */
export async function applySeeds(
  database: Database,
  config: Config,
  applying: Applying = {},
  seeded: string[] = [],
): Promise<string[]> {
  const seeds = readSeeds(config);
  if (seeds.length === 0) return seeded;
  await withConnection(
    database,
    async (client) => {
      await client.query(SEED_HISTORY);
      const { rows } = await client.query<{ path: string }>(
        "select path from supabase_migrations.seed_files",
      );
      const done = new Set(rows.map((row) => row.path));
      for (const seed of seeds.filter(({ path }) => !done.has(path))) {
        await client.query("reset all");
        const differences = await runFile(client, seed, placeOf(database, applying), {
          text: `insert into supabase_migrations.seed_files (path, hash) values ($1, $2)
               on conflict (path) do update set hash = excluded.hash`,
          values: [seed.path, hashOf(seed.sql)],
        }).catch(
          withBreakage(client, applying, [...readMigrations(config), ...seeds], "[db.seed] sql_paths"),
        );
        for (const difference of differences) applying.differs?.(difference);
        seeded.push(seed.path);
      }
    },
    applying.strict,
  );
  return seeded;
}

/** The paths of seed files that have changed since they were run. */
export async function changedSeeds(database: Database, config: Config): Promise<string[]> {
  const { rows } = await database.query<{ path: string; hash: string }>(
    "postgres",
    "select path, hash from supabase_migrations.seed_files",
  );
  const run = new Map(rows.map(({ path, hash }) => [path, hash]));
  return readSeeds(config)
    .filter(({ path, sql }) => run.has(path) && run.get(path) !== hashOf(sql))
    .map(({ path }) => path);
}

const hashOf = (sql: string) => createHash("sha256").update(sql).digest("hex");

/** Throws a file's error with the fault of the folder that it shows. */
function withBreakage(
  client: pg.Client,
  { failed, beside }: Applying,
  files: readonly { path: string; sql: string }[],
  key?: OrderKey,
) {
  return async (error: unknown): Promise<never> => {
    if (error instanceof SqlFileError && !error.connectionLost)
      error.breakage = await breakageOf(client, error, files, failed, beside, key);
    throw error;
  };
}

/** Runs the declarative schema files in a new database. @throws SqlFileError, UnreadableFile */
export async function applySchemaFiles(database: Database, config: Config): Promise<void> {
  await withConnection(database, async (client) => {
    const files = readSchemaFiles(config);
    for (const file of files) {
      await client.query("reset all");
      await runFile(client, file, placeOf(database, { fresh: true }), undefined).catch(
        withBreakage(client, {}, files, "[db.migrations] schema_paths"),
      );
    }
  });
}

/** Runs generated statements as one file. @throws SqlFileError */
export async function applyStatements(database: Database, path: string, sql: string): Promise<void> {
  await withConnection(database, async (client) => {
    await runFile(client, { path, sql }, placeOf(database, {}), undefined);
  });
}

/** Rewrites the history for files that replace others; nothing is run. */
export async function applyReplacements(database: Database, made: readonly Replacement[]): Promise<void> {
  if (made.length > 0) await withConnection(database, (client) => rewriteHistory(client, made));
}

/** Records a migration as applied without running it. */
export async function recordMigration(database: Database, migration: Migration): Promise<void> {
  await withConnection(database, async (client) => {
    await client.query(HISTORY);
    const { text, values } = historyRow(migration);
    await client.query(text, values);
  });
}

/** Where seed files are recorded: a database without it has never been seeded. */
export const SEED_HISTORY = `create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null)`;

const DUPLICATE_OBJECT = "42710";

/** Runs `supabase/roles.sql`, if it exists, before migrations, as the CLI does. */
export async function applyRoles(database: Database, config: Config, applying: Applying): Promise<void> {
  const [roles] = readRolesFile(config);
  if (!roles) return;
  await withConnection(
    database,
    async (client) => {
      const differences = await runFile(client, roles, placeOf(database, applying), undefined);
      for (const difference of differences) applying.differs?.(difference);
    },
    applying.strict,
  ).catch((error: unknown) => {
    // An interrupted first start has run the file completely or not at all.
    if (!(applying.resumed && error instanceof SqlFileError && error.code === DUPLICATE_OBJECT)) throw error;
  });
}

function placeOf(database: Database, { fresh = false, strict = false }: Applying): Place {
  return { database: database.name, rolesMayExist: fresh, strict };
}

function withConnection(
  database: Database,
  work: (client: pg.Client) => Promise<void>,
  strict = false,
): Promise<void> {
  // Statements on the services' tables that hosted rejects run in files, with a warning (bootstrap/powers.sql). A
  // startup option, because files reset all settings.
  const options = `-c homebase.files=${strict ? "off" : "on"}`;
  return connected({ ...database.connection("postgres"), options, pipeline: true } as pg.ClientConfig, work);
}
