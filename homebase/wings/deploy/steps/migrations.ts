/**
 * Owns migrating a hosted database: finding pending migrations, and applying each in its own transaction
 * together with its history row, as the Supabase CLI writes it (docs/compat/platform.md 3.4).
 */

import {
  applyOnTarget,
  becomePostgres,
  compareHistory,
  readHistory,
} from "../../../src/postgres/files/migration-history.ts";
import {
  duplicateVersions,
  type Migration,
  readMigrationFiles,
} from "../../../src/postgres/files/project-files.ts";
import {
  type Replacement,
  replacementWords,
  rewriteHistory,
} from "../../../src/postgres/files/squashed-migrations.ts";
import { written } from "../../../src/postgres/migrations.ts";
import { runsAlone, splitStatements } from "../../../src/postgres/statements/split.ts";
import { lintMigration } from "../lint/lint.ts";
import { DeployRefused, type Step, type StepContext } from "./step.ts";

/** A migration must not queue behind a long transaction, because it would block all later ones. */
const LOCK_TIMEOUT = "10s";

/** The target's state of the project's migrations. */
export interface MigrationPlan {
  applied: Migration[];
  pending: Migration[];
  /** Files that take the place of applied ones in the history. */
  replacing: Replacement[];
}

/** Compares history and files. @throws DeployRefused, PartlyApplied when they cannot be reconciled */
export async function planMigrations({ client, config, includeAll }: StepContext): Promise<MigrationPlan> {
  const files = written(readMigrationFiles(config).migrations);
  const [duplicate] = duplicateVersions(files);
  if (duplicate) throw duplicate;
  const history = (await readHistory(client)).map(({ version }) => version);
  const { foreign, pending, late, replacing } = compareHistory(files, history);
  if (foreign.length > 0) {
    throw new DeployRefused([
      `The target has migrations that this project has no files for: ${foreign.join(", ")}. Get them (git pull), or take them out of its history: supabase migration repair --status reverted ${foreign.join(" ")}`,
    ]);
  }
  if (late.length > 0 && !includeAll) {
    throw new DeployRefused([
      `Older than the target's newest migration, and not applied there: ${late.map(({ path }) => path).join(", ")}. Give them newer versions, or apply them anyway: --include-all`,
    ]);
  }
  const known = new Set(history);
  return { applied: files.filter(({ version }) => known.has(version)), pending, replacing };
}

/** The step that applies pending migrations. */
export function migrationStep({ client }: StepContext, { applied, pending, replacing }: MigrationPlan): Step {
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
    changes: [...replacing.map(recording), ...pending.map(({ path }) => `apply ${path}`)],
    warnings,
    undo: "A migration is undone by a new one that goes forward. What a migration has dropped comes from a backup (dashboard, Database, Backups), so take one first where a warning above says that something is dropped.",
    apply: async (done) => {
      await becomePostgres(client);
      await rewriteHistory(client, replacing);
      for (const one of replacing) done(recording(one));
      await applyOnTarget(client, pending, ({ path }) => done(`apply ${path}`), LOCK_TIMEOUT);
    },
  };
}

function recording({ migration, removed }: Replacement): string {
  return `record ${replacementWords(migration.path, removed)}`;
}
