/** Owns what the stack says of migrations: the project's files beside the history of the database. */
import type { DeveloperStart } from "../../../../src/developer/stack-wing.ts";
import type { FileProblem } from "../../../../src/postgres/files/errors.ts";
import { compareHistory, readHistory } from "../../../../src/postgres/files/migration-history.ts";
import { readMigrationFiles } from "../../../../src/postgres/files/project-files.ts";
import type { MigrationState, Migrations } from "../api.ts";
import { inDatabase } from "../owner-connections.ts";

export async function migrationsOf(start: DeveloperStart): Promise<Migrations> {
  const { migrations: files, skipped } = readMigrationFiles(start.backend.config);
  const history = await inDatabase(start, readHistory);
  const { foreign, pending, late } = compareHistory(
    files,
    history.map(({ version }) => version),
  );
  const failed = start.unapplied();
  const stateOf = (file: (typeof files)[number]): MigrationState["state"] => {
    if (file.path === failed?.file) return "failed";
    if (!pending.includes(file)) return "applied";
    return late.includes(file) ? "older than an applied one" : "not applied";
  };
  const migrations = [
    ...files.map((file): MigrationState => {
      const { version, name, path } = file;
      const problem = path === failed?.file ? { problem: problemOf(failed) } : {};
      return { version, name, file: path, state: stateOf(file), ...problem };
    }),
    ...foreign.map((version): MigrationState => {
      const name = history.find((one) => one.version === version)?.name ?? "";
      return { version, name, state: "no file" };
    }),
    ...skipped.map(({ path, reason }): MigrationState => {
      const name = path.replace(/^.*[/\\]/, "");
      return { version: "", name, file: path, state: "skipped", problem: { message: reason } };
    }),
  ].sort((one, other) => (one.version < other.version ? -1 : 1));
  const elsewhere = failed && !files.some(({ path }) => path === failed.file) ? failed : undefined;
  return { migrations, ...(elsewhere ? { problem: { file: elsewhere.file, ...problemOf(elsewhere) } } : {}) };
}

function problemOf({ message, line, statement, advice, hint }: FileProblem) {
  const more = [advice, hint].filter((one) => one !== undefined).join(" ");
  return { message, line, statement, advice: more || undefined };
}
