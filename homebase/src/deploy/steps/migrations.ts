/**
 * Owns migrating a hosted database: finding pending migrations, and applying each in its own transaction
 * together with its history row, as the Supabase CLI writes it (docs/compat/platform.md 3.4).
 */
import pg from "pg";
import { SqlFileError } from "../../postgres/files/errors.ts";
import { duplicateVersion, type Migration, readMigrationFiles } from "../../postgres/files/read.ts";
import { written } from "../../postgres/migrations.ts";
import { recordedStatements, runsAlone, splitStatements } from "../../postgres/statements.ts";
import { lintMigration } from "../lint/lint.ts";
import { DeployRefused, type Step, type StepContext } from "./step.ts";

const HISTORY = `create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations
    (version text not null primary key, statements text[], name text)`;
/** A migration must not queue behind a long transaction, because it would block all later ones. */
const LOCK_TIMEOUT = "10s";

/** The target's state of the project's migrations. */
export interface MigrationPlan {
  applied: Migration[];
  pending: Migration[];
}

/** Compares history and files. @throws DeployRefused when they cannot be reconciled */
export async function planMigrations({ client, config, includeAll }: StepContext): Promise<MigrationPlan> {
  const files = written(readMigrationFiles(config).migrations);
  const duplicate = duplicateVersion(files);
  if (duplicate) throw duplicate;
  const history = await versionsOn(client);
  const own = new Set(files.map(({ version }) => version));
  const foreign = history.filter((version) => !own.has(version));
  if (foreign.length > 0) {
    throw new DeployRefused([
      `The target has migrations that this project has no files for: ${foreign.join(", ")}. Get them (git pull), or take them out of its history: supabase migration repair --status reverted ${foreign.join(" ")}`,
    ]);
  }
  const known = new Set(history);
  const newest = history.at(-1) ?? "";
  const pending = files.filter(({ version }) => !known.has(version));
  const late = pending.filter(({ version }) => version < newest);
  if (late.length > 0 && !includeAll) {
    throw new DeployRefused([
      `Older than the target's newest migration, and not applied there: ${late.map(({ path }) => path).join(", ")}. Give them newer numbers, or apply them all the same: --include-all`,
    ]);
  }
  return { applied: files.filter(({ version }) => known.has(version)), pending };
}

/** The step that applies pending migrations. */
export function migrationStep({ client }: StepContext, { applied, pending }: MigrationPlan): Step {
  const warnings = pending.flatMap((migration) => {
    const findings = lintMigration(migration, { earlier: [...applied, ...pending] })
      // In a new project every table is empty: no lock blocks anyone, and no data is lost.
      .filter(({ rule }) => applied.length > 0 || (rule !== "lock" && rule !== "destruction"));
    const alone = splitStatements(migration.sql).some(runsAlone);
    return [
      ...(alone
        ? [`${migration.path} cannot run in one transaction: when it fails, its first statements stay.`]
        : []),
      ...findings.map(({ line, message }) => `${migration.path}:${line}: ${message}`),
    ];
  });
  return {
    name: "migrations",
    changes: pending.map(({ path }) => `apply ${path}`),
    warnings,
    undo: "A migration is undone by a new one that goes forward. What a migration has dropped comes from a backup (dashboard, Database, Backups), so take one first where a warning above says that something is dropped.",
    apply: async (done) => {
      for (const migration of pending) {
        await applyOne(client, migration);
        done(`apply ${migration.path}`);
      }
    },
  };
}

async function versionsOn(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query("select to_regclass('supabase_migrations.schema_migrations') as name");
  if (rows[0]?.name === null) return [];
  const { rows: history } = await client.query<{ version: string }>(
    "select version from supabase_migrations.schema_migrations order by version",
  );
  return history.map(({ version }) => version);
}

async function applyOne(client: pg.Client, migration: Migration): Promise<void> {
  const statements = splitStatements(migration.sql);
  const together = !statements.some(runsAlone);
  await client.query("reset all");
  await client.query("set session role postgres");
  await client.query(HISTORY);
  await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
  if (together) await client.query("begin");
  for (const statement of statements) {
    try {
      await client.query(statement.text);
    } catch (error) {
      await client.query("rollback").catch(() => undefined);
      if (!(error instanceof pg.DatabaseError)) throw error;
      throw new SqlFileError(migration.path, migration.sql, statement, error, {
        partial: !together,
        verbatim: true,
      });
    }
  }
  if (!together) await client.query("commit");
  // A file may leave another role set.
  await client.query("set session role postgres");
  await client.query(
    "insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)",
    [migration.version, migration.name, recordedStatements(migration.sql)],
  );
  if (together) await client.query("commit");
  await client.query("reset all");
  await client.query("set session role postgres");
}
