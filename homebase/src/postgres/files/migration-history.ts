/**
 * Owns a database's history of migrations, as the Supabase CLI keeps it in supabase_migrations.schema_migrations
 * (docs/compat/platform.md 3.4), and the one loop that runs files together with their rows.
 */
import type pg from "pg";
import { recordedStatements } from "../statements/split.ts";
import type { Migration } from "./project-files.ts";
import { runFile } from "./run-file.ts";
import { type Replacement, replacements, versionsAfter } from "./squashed-migrations.ts";

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

/** The statement that records a file as applied. */
export function historyRow({ version, name, sql }: Migration): { text: string; values: unknown[] } {
  return { text: RECORD, values: [version, name, recordedStatements(sql)] };
}

/** A file with its row of the history, as one of the ways below runs it. */
type Run = (migration: Migration, row: { text: string; values: unknown[] }) => Promise<void>;

/**
 * Runs files in order, each with its row of the history, and tells of each; the first failure ends it, and earlier ones
 * stay. `run` is the way: rewritten for this machine (`postgres/migrations.ts`) or as they are written (`applyOnTarget`).
 * The Management API takes texts without files, and is a third (`wings/hosted/migrations.ts`).
 */
export async function applyEach(
  client: pg.ClientBase,
  migrations: readonly Migration[],
  run: Run,
  applied: ((migration: Migration) => void) | undefined,
): Promise<void> {
  for (const migration of migrations) {
    await client.query("reset all");
    await run(migration, historyRow(migration));
    applied?.(migration);
  }
}

/**
 * Applies files to a database that an address names, as they are written.
 * @param lockTimeout how long a statement waits for a lock, e.g. "10s".
 * @throws SqlFileError, UnreadableFile
 */
export async function applyOnTarget(
  client: pg.Client,
  migrations: readonly Migration[],
  applied: (migration: Migration) => void,
  lockTimeout?: string,
): Promise<void> {
  if (migrations.length === 0) return;
  await becomePostgres(client);
  await client.query(HISTORY);
  await applyEach(
    client,
    migrations,
    async (migration, row) => {
      await becomePostgres(client);
      if (lockTimeout !== undefined) await client.query(`set lock_timeout = '${lockTimeout}'`);
      await runFile(client, migration, undefined, { ...row, prepare: becomePostgres });
    },
    applied,
  );
  await client.query("reset all");
  await becomePostgres(client);
}

/** Records files as applied without running them, in place of earlier records of their versions. */
export async function markApplied(client: pg.ClientBase, migrations: readonly Migration[]): Promise<void> {
  await client.query(HISTORY);
  for (const migration of migrations) {
    const { text, values } = historyRow(migration);
    await client.query(
      `${text} on conflict (version) do update set name = excluded.name, statements = excluded.statements`,
      values,
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
