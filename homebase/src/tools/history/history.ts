/**
 * Owns a database's history of migrations, as the Supabase CLI keeps it in supabase_migrations.schema_migrations
 * (docs/compat/platform.md 3.4): reading it, applying a file together with its row, and changing rows.
 */
import pg from "pg";
import { SqlFileError } from "../../postgres/files/errors.ts";
import type { Migration } from "../../postgres/files/project-files.ts";
import { type Replacement, replacements, versionsAfter } from "../../postgres/files/squashed-migrations.ts";
import { queryStatement } from "../../postgres/files/statement-query.ts";
import { recordedStatements, runsAlone, splitStatements } from "../../postgres/statements/split.ts";
import { databaseOutage } from "../../postgres/trouble.ts";

/** Statements that create the table of the history where it is missing. */
export const HISTORY = `create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations
    (version text not null primary key, statements text[], name text)`;
const RECORD = `insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)`;

/** A row of the history. */
export interface AppliedMigration {
  version: string;
  name: string | null;
  statements: string[] | null;
}

/** The history by version; empty where there is none. */
export async function readHistory(client: pg.ClientBase): Promise<AppliedMigration[]> {
  const { rows } = await client.query("select to_regclass('supabase_migrations.schema_migrations') as name");
  if (rows[0]?.name === null) return [];
  const { rows: history } = await client.query<AppliedMigration>(
    "select version, name, statements from supabase_migrations.schema_migrations order by version",
  );
  return history;
}

/** Versions of the history that the files have not, and files that the history has not. */
export interface Comparison {
  /** In the history, without a file. */
  foreign: string[];
  pending: Migration[];
  /** Pending files that are older than the newest applied one. */
  late: Migration[];
  /** Files that take the place of applied ones. The other fields describe the history after that. */
  replacing: Replacement[];
}

/** Compares files with a history. @throws PartlyApplied, UnreadableFile */
export function compareHistory(files: readonly Migration[], recorded: readonly string[]): Comparison {
  const replacing = replacements(files, recorded);
  const versions = versionsAfter(recorded, replacing);
  const own = new Set(files.map(({ version }) => version));
  const known = new Set(versions);
  const newest = versions.at(-1) ?? "";
  const pending = files.filter(({ version }) => !known.has(version));
  return {
    foreign: versions.filter((version) => !own.has(version)),
    pending,
    late: pending.filter(({ version }) => version < newest),
    replacing,
  };
}

export interface ApplyOptions {
  /** Run first for each file, after `reset all`. */
  prepare: (client: pg.Client) => Promise<void>;
  /** How long a statement waits for a lock, e.g. "10s". */
  lockTimeout?: string;
}

/**
 * Runs a file as it is written, with its row of the history in the same transaction where its statements can share one.
 * @throws SqlFileError
 */
export async function applyMigration(
  client: pg.Client,
  migration: Migration,
  { prepare, lockTimeout }: ApplyOptions,
): Promise<void> {
  const statements = splitStatements(migration.sql);
  const together = !statements.some(runsAlone);
  await client.query("reset all");
  await prepare(client);
  await client.query(HISTORY);
  if (lockTimeout !== undefined) await client.query(`set lock_timeout = '${lockTimeout}'`);
  if (together) await client.query("begin");
  for (const statement of statements) {
    try {
      await queryStatement(client, statement);
    } catch (error) {
      await client.query("rollback").catch(() => undefined);
      if (!(error instanceof pg.DatabaseError) && databaseOutage(error) === undefined) throw error;
      throw new SqlFileError(migration, statement, error as Error, {
        partial: !together,
        verbatim: true,
      });
    }
  }
  if (!together) await client.query("commit");
  // A file may leave another role behind.
  await client.query("reset role");
  await prepare(client);
  await client.query(RECORD, [migration.version, migration.name, recordedStatements(migration.sql)]);
  if (together) await client.query("commit");
  await client.query("reset all");
  await prepare(client);
}

/** Records files as applied without running them, in place of earlier records of their versions. */
export async function markApplied(client: pg.ClientBase, migrations: readonly Migration[]): Promise<void> {
  await client.query(HISTORY);
  for (const { version, name, sql } of migrations) {
    await client.query(
      `${RECORD} on conflict (version) do update set name = excluded.name, statements = excluded.statements`,
      [version, name, recordedStatements(sql)],
    );
  }
}

/** Takes versions out of the history. @returns those that were in it. */
export async function markReverted(client: pg.ClientBase, versions: readonly string[]): Promise<string[]> {
  await client.query(HISTORY);
  const { rows } = await client.query<{ version: string }>(
    "delete from supabase_migrations.schema_migrations where version = any ($1) returning version",
    [versions],
  );
  return rows.map(({ version }) => version).sort();
}

/** Makes role `postgres` the owner of what follows, where the connection's own role may become it. */
export async function becomePostgres(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ may: boolean }>(
    `select coalesce((select pg_has_role(session_user, oid, 'member') from pg_roles where rolname = 'postgres'), false)
       and session_user <> 'postgres' as may`,
  );
  if (rows[0]?.may) await client.query("set session role postgres");
}
