/**
 * Owns a project's migrations and seeds: which files there are, which are applied, applying the rest as
 * role `postgres` with the Supabase CLI's history table (docs/compat/platform.md 3.4), and errors that name
 * file, line and statement.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import pg from "pg";
import type { Config } from "../config/config.ts";
import type { Database } from "./database.ts";
import { type FileStatement, firstWord, positionOf, runsAlone, splitStatements } from "./statements.ts";

/** A file of `supabase/migrations`. */
export interface Migration {
  version: string;
  name: string;
  /** Relative to the project's folder. */
  path: string;
  sql: string;
}

/** An SQL file that Postgres refused. Nothing of the file is applied unless `partial`. */
export class SqlFileError extends Error {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly statement: string;
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  /** The file has statements that cannot share a transaction; those before the failure stay. */
  readonly partial: boolean;

  constructor(
    file: string,
    sql: string,
    statement: FileStatement,
    cause: pg.DatabaseError,
    partial: boolean,
  ) {
    // Postgres counts characters from 1; a syntax error without a position is at the statement's head.
    const inside = cause.position ? Number(cause.position) - 1 : undefined;
    const offset = inside === undefined ? firstWord(statement) : statement.offset + inside;
    const { line, column } = positionOf(sql, offset);
    super(cause.message, { cause });
    this.file = file;
    this.line = line;
    this.column = column;
    this.statement = statement.text.slice(firstWord(statement) - statement.offset);
    this.code = cause.code;
    this.detail = cause.detail;
    this.hint = cause.hint;
    this.partial = partial;
  }

  /** Several lines for a terminal: where, what Postgres said, the statement. */
  describe(): string {
    const lines = [`${this.file}:${this.line}:${this.column}: ${this.message}`];
    if (this.code) lines[0] += ` (${this.code})`;
    if (this.detail) lines.push(`  detail: ${this.detail}`);
    if (this.hint) lines.push(`  hint: ${this.hint}`);
    const statement = this.statement.split("\n");
    lines.push(...statement.slice(0, 8).map((text) => `  | ${text}`));
    if (statement.length > 8) lines.push(`  | ... ${statement.length - 8} more lines`);
    if (this.partial) {
      lines.push(
        "  The statements before it stay: this file manages transactions itself, or cannot run in one.",
      );
    }
    return lines.join("\n");
  }
}

/** A file of the project that cannot be read, e.g. a link that leads nowhere. Nothing of it is applied. */
export class UnreadableFile extends Error {
  readonly file: string;

  constructor(file: string, cause: unknown) {
    super(
      `It cannot be read: ${READ_FAILURES[(cause as NodeJS.ErrnoException).code ?? ""] ?? String(cause)}.`,
    );
    this.file = file;
  }

  describe(): string {
    return `${this.file}: ${this.message}`;
  }
}

const READ_FAILURES: Record<string, string> = {
  ENOENT: "it is a link that leads nowhere, or has just been removed",
  EISDIR: "it is a folder",
  ENOTDIR: "it is no folder",
  EACCES: "its permissions do not allow it",
  ELOOP: "its links lead in a circle",
};

/** @throws UnreadableFile */
function readSql(config: Config, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UnreadableFile(relative(config.projectFolder, path), error);
  }
}

/** What differs between the files and a database's history. */
export interface MigrationState {
  pending: Migration[];
  /** Applied, but the file says something else now. */
  edited: Migration[];
  /** Applied versions without a file. */
  removed: string[];
  applied: string[];
}

/** The project's migrations by version. Files whose names are not `<digits>_<name>.sql` are left out. */
export function readMigrations(config: Config): Migration[] {
  const folder = join(config.supabaseFolder, "migrations");
  if (!existsSync(folder) || !config.db.migrations.enabled) return [];
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw new UnreadableFile(relative(config.projectFolder, folder), error);
  }
  return names
    .map((file) => ({ file, match: /^(\d+)_(.*)\.sql$/.exec(file) }))
    .flatMap(({ file, match }) =>
      match?.[1] === undefined
        ? []
        : [
            {
              version: match[1],
              name: match[2] ?? "",
              path: relative(config.projectFolder, join(folder, file)),
              sql: readSql(config, join(folder, file)),
            },
          ],
    )
    .sort((left, right) => (left.version < right.version ? -1 : left.version > right.version ? 1 : 0));
}

/** The seed files that `[db.seed] sql_paths` name, in its order, each pattern's matches sorted. */
export function readSeeds(config: Config): { path: string; sql: string }[] {
  if (!config.db.seed.enabled) return [];
  const seen = new Set<string>();
  for (const pattern of config.db.seed.sql_paths) {
    for (const file of globSync(pattern, { cwd: config.supabaseFolder }).sort()) {
      seen.add(join(config.supabaseFolder, file));
    }
  }
  return [...seen].map((file) => ({
    path: relative(config.projectFolder, file),
    sql: readSql(config, file),
  }));
}

/** Compares files with a database's history. Reads only. */
export async function migrationState(database: Database, config: Config): Promise<MigrationState> {
  const files = readMigrations(config);
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
  const applied = new Map(history.map((row) => [row.version, row.statements]));
  const present = new Set(files.map((file) => file.version));
  return {
    pending: files.filter((file) => !applied.has(file.version)),
    edited: files.filter((file) => {
      const statements = applied.get(file.version);
      // A repaired history may hold no statements; then there is nothing to compare.
      return statements != null && !sameStatements(statements, splitStatements(file.sql));
    }),
    removed: [...applied.keys()].filter((version) => !present.has(version)),
    applied: [...applied.keys()],
  };
}

function sameStatements(left: string[], right: FileStatement[]): boolean {
  return left.length === right.length && left.every((text, index) => text === right[index]?.text);
}

/**
 * Applies migrations in order, each in a transaction of its own with its row of history.
 * @param onApplied told after each file.
 * @throws SqlFileError at the first file that fails; the earlier ones stay applied.
 */
export async function applyMigrations(
  database: Database,
  migrations: readonly Migration[],
  onApplied: (migration: Migration) => void = () => {},
): Promise<void> {
  if (migrations.length === 0) return;
  await withConnection(database, async (client) => {
    await client.query(
      `create schema if not exists supabase_migrations;
       create table if not exists supabase_migrations.schema_migrations
         (version text not null primary key, statements text[], name text)`,
    );
    for (const migration of migrations) {
      await client.query("reset all");
      const statements = splitStatements(migration.sql);
      await runFile(client, migration.path, migration.sql, statements, {
        text: `insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)`,
        values: [migration.version, migration.name, statements.map((statement) => statement.text)],
      });
      onApplied(migration);
    }
  });
}

/** Runs the seed files that were not run yet, each in a transaction, and notes them as the CLI does. */
export async function applySeeds(database: Database, config: Config): Promise<string[]> {
  const seeds = readSeeds(config);
  if (seeds.length === 0) return [];
  const applied: string[] = [];
  await withConnection(database, async (client) => {
    await client.query(
      `create schema if not exists supabase_migrations;
       create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null)`,
    );
    const { rows } = await client.query<{ path: string }>("select path from supabase_migrations.seed_files");
    const done = new Set(rows.map((row) => row.path));
    for (const { path, sql } of seeds.filter((seed) => !done.has(seed.path))) {
      await client.query("reset all");
      await runFile(client, path, sql, splitStatements(sql), {
        text: `insert into supabase_migrations.seed_files (path, hash) values ($1, $2)
               on conflict (path) do update set hash = excluded.hash`,
        values: [path, createHash("sha256").update(sql).digest("hex")],
      });
      applied.push(path);
    }
  });
  return applied;
}

const DUPLICATE_OBJECT = "42710";

/**
 * Runs `supabase/roles.sql`, when there is one, as the CLI does before migrations.
 * @param resumed whether it may have run before.
 */
export async function applyRoles(database: Database, config: Config, resumed: boolean): Promise<void> {
  const file = join(config.supabaseFolder, "roles.sql");
  if (!existsSync(file)) return;
  const sql = readSql(config, file);
  await withConnection(database, (client) =>
    runFile(client, join("supabase", basename(file)), sql, splitStatements(sql), undefined),
  ).catch((error: unknown) => {
    // A first start that broke off has run the file, which is applied as a whole or not at all.
    if (!(resumed && error instanceof SqlFileError && error.code === DUPLICATE_OBJECT)) throw error;
  });
}

async function withConnection(database: Database, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ ...database.connection("postgres"), pipeline: true } as pg.ClientConfig);
  client.on("error", () => {});
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** All statements of a file in one transaction, sent in one go; or one by one when they cannot share one. */
async function runFile(
  client: pg.Client,
  path: string,
  sql: string,
  statements: FileStatement[],
  record: { text: string; values: unknown[] } | undefined,
): Promise<void> {
  const alone = statements.some(runsAlone);
  if (alone) {
    for (const statement of statements) {
      try {
        await client.query(statement.text);
      } catch (error) {
        await client.query("rollback").catch(() => undefined);
        throw explain(path, sql, statement, error, true);
      }
    }
    if (record) await client.query(record.text, record.values);
    return;
  }
  const begin = client.query("begin");
  const answers = statements.map((statement) => client.query(statement.text));
  // A file may leave `set role` behind; the history is written by the role that connected.
  const tail = record ? [client.query("reset role"), client.query(record.text, record.values)] : [];
  const settled = await Promise.allSettled([begin, ...answers, ...tail]);
  const failed = settled.findIndex((answer) => answer.status === "rejected");
  if (failed < 0) {
    // COMMIT apart from the rest: a deferred constraint fails here, and must be told from a statement.
    const last = statements[statements.length - 1];
    try {
      await client.query("commit");
    } catch (error) {
      throw last ? explain(path, sql, last, error, false) : error;
    }
    return;
  }
  await client.query("rollback");
  const reason = (settled[failed] as PromiseRejectedResult).reason;
  const statement = statements[failed - 1];
  throw statement ? explain(path, sql, statement, reason, false) : reason;
}

function explain(
  path: string,
  sql: string,
  statement: FileStatement,
  error: unknown,
  partial: boolean,
): unknown {
  return error instanceof pg.DatabaseError ? new SqlFileError(path, sql, statement, error, partial) : error;
}
