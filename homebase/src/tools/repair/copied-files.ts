/** Owns the SQL files that are no migrations and make what migrations use: they are copied to run before all others. */
import type { Config } from "../../config/config.ts";
import type { ProjectFileError, SqlFileError } from "../../postgres/files/errors.ts";
import { otherSqlFiles } from "../../postgres/files/project-files.ts";
import type { SqlFile } from "../../postgres/files/sql-file.ts";
import { commentText } from "../../postgres/quoting.ts";
import { COPIED } from "./mark.ts";

export class Copies {
  readonly #config: Config;
  readonly #tried = new Set<string>();
  #files: SqlFile[] = [];
  /** The copy on trial, and how many files failed without it. */
  #trial: { path: string; failing: number } | undefined;

  constructor(config: Config) {
    this.#config = config;
  }

  files(): readonly SqlFile[] {
    return this.#files;
  }

  /**
   * Adds the first file that an error names as the one that makes what is missing. The seed is none: it runs later anyway.
   * @returns whether one was added
   */
  add(errors: readonly SqlFileError[], seeds: readonly SqlFile[]): boolean {
    const wanted = errors
      .filter(({ breakage }) => breakage?.kind === "not-a-migration")
      .map(({ breakage }) => breakage?.creator)
      .find(
        (path) => path !== undefined && !this.#tried.has(path) && !seeds.some((seed) => seed.path === path),
      );
    const file = otherSqlFiles(this.#config).find(({ path }) => path === wanted);
    if (!file) return false;
    this.#files.push(file);
    this.#tried.add(file.path);
    this.#trial = { path: file.path, failing: errors.length };
    return true;
  }

  /**
   * Takes the last copy back where it does not help: a dump of everything makes what migrations make as well.
   * @returns whether it was taken back
   */
  undo(errors: readonly ProjectFileError[]): boolean {
    const trial = this.#trial;
    this.#trial = undefined;
    if (trial === undefined) return false;
    const clashes = errors
      .map((error) => error.problem())
      .some(
        ({ file, fault, creator }) =>
          file === trial.path || (fault === "created-twice" && creator === trial.path),
      );
    if (!clashes && errors.length <= trial.failing) return false;
    this.#files = this.#files.filter(({ path }) => path !== trial.path);
    return true;
  }
}

/** The text of a copy. */
export const copied = (path: string, sql: string) => `${COPIED} from ${commentText(path)}.\n${sql}`;
