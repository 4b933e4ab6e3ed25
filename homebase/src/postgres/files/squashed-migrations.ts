/**
 * Owns migrations that stand for earlier ones: comments `-- homebase: replaces VERSION ...` before a file's first
 * statement name the versions whose files it replaces (docs/compat/platform.md 3.4). A history that has all of them
 * is rewritten; nothing is run.
 */
import type pg from "pg";
import { firstWord, recordedStatements, splitStatements } from "../statements/split.ts";
import { transactWith } from "../transaction.ts";
import { UnreadableFile, WholeFileError } from "./errors.ts";
import type { Migration } from "./project-files.ts";

/** A migration that takes the place of others in a history. */
export interface Replacement {
  migration: Migration;
  /** Versions of the history that have no file any more. */
  removed: string[];
}

/** A history that has only some of the versions that a migration replaces. Nothing was changed. */
export class PartlyApplied extends WholeFileError {
  readonly lacking: readonly string[];

  constructor(file: string, lacking: readonly string[]) {
    super(
      file,
      `It replaces migrations of which the database has only some. It lacks ${lacking.join(", ")}. Nothing was changed. Check out the commit before the one that replaced their files, apply them there (homebase start, or homebase deploy for a hosted project), then come back to this commit.`,
    );
    this.lacking = lacking;
  }
}

const HEADER = /^[ \t]*--[ \t]*homebase:[ \t]*replaces\b(.*)$/gm;
const VERSIONS_A_LINE = 7;

/** The comments that say that a file replaces these versions. */
export function replacesHeader(versions: readonly string[]): string {
  const lines = Array.from({ length: Math.ceil(versions.length / VERSIONS_A_LINE) }, (_, index) =>
    versions.slice(index * VERSIONS_A_LINE, (index + 1) * VERSIONS_A_LINE).join(" "),
  );
  return lines.map((line) => `-- homebase: replaces ${line}\n`).join("");
}

/** The versions that a file says it replaces, its own possibly among them. @throws UnreadableFile */
export function replacedVersions({ path, sql }: Migration): string[] {
  const [first] = splitStatements(sql);
  const head = first ? sql.slice(0, firstWord(first)) : sql;
  return [...head.matchAll(HEADER)].flatMap(([, list = ""]) => {
    const versions = list.split(/[\s,]+/).filter((word) => word !== "");
    const wrong = versions.find((word) => !/^\d+$/.test(word));
    if (wrong !== undefined || versions.length === 0) {
      throw new UnreadableFile(
        path,
        `"-- homebase: replaces" is followed by versions, which consist of digits${wrong === undefined ? "" : `; ${JSON.stringify(wrong)} is not one`}.`,
      );
    }
    return versions;
  });
}

/**
 * How a history changes because of files that replace others.
 * @param versions of the history.
 * @throws PartlyApplied, UnreadableFile
 */
export function replacements(files: readonly Migration[], versions: readonly string[]): Replacement[] {
  const known = new Set(versions);
  const lists = new Map(files.map((file) => [file.version, replacedVersions(file)]));
  return files.flatMap((migration) => {
    const list = lists.get(migration.version) ?? [];
    const present = files.find(
      ({ version }) =>
        version !== migration.version &&
        list.includes(version) &&
        // Files of one squash name each other.
        !lists.get(version)?.includes(migration.version),
    );
    if (present) throw new UnreadableFile(present.path, `${migration.path} replaces it: remove one of them.`);
    const removed = list.filter((version) => known.has(version) && !lists.has(version));
    if (removed.length === 0) return [];
    const lacking = [...new Set([...list, migration.version])].filter((version) => !known.has(version));
    if (lacking.length > 0) throw new PartlyApplied(migration.path, lacking.sort());
    return [{ migration, removed }];
  });
}

/** The versions of a history after its replacements. */
export function versionsAfter(versions: readonly string[], made: readonly Replacement[]): string[] {
  const removed = new Set(made.flatMap((one) => one.removed));
  return versions.filter((version) => !removed.has(version));
}

/** Rewrites a history in one transaction. */
export async function rewriteHistory(client: pg.ClientBase, made: readonly Replacement[]): Promise<void> {
  if (made.length === 0) return;
  await transactWith(client, async () => {
    for (const { migration, removed } of made) {
      await client.query("delete from supabase_migrations.schema_migrations where version = any ($1)", [
        removed,
      ]);
      await client.query(
        "update supabase_migrations.schema_migrations set name = $2, statements = $3 where version = $1",
        [migration.version, migration.name, recordedStatements(migration.sql)],
      );
    }
  });
}

/** A replacement in words that follow "record" or "Recorded". */
export function replacementWords(path: string, removed: readonly string[]): string {
  const count = removed.length === 1 ? "the migration" : `the ${removed.length} migrations`;
  return `${path} in place of ${count} that it replaces, without running it`;
}
