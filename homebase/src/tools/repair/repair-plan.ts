/**
 * Owns the plan of a repair: a migration with what the folder uses and nowhere makes, copies of SQL files that are no
 * migrations and make it, versions that stand once, and an order in which the files run. Each step is tried in a database
 * that nobody uses before the next one is added.
 */
import { basename, dirname, join } from "node:path";
import type { Config } from "../../config/config.ts";
import type { ClusterClient } from "../../postgres/cluster/cluster-client.ts";
import { type FileProblem, type ProjectFileError, SqlFileError } from "../../postgres/files/errors.ts";
import { type Migration, readMigrations, readSeeds } from "../../postgres/files/project-files.ts";
import type { SqlFile } from "../../postgres/files/sql-file.ts";
import { migrationOf } from "../history/new-migration.ts";
import { failingFiles } from "../migration-check.ts";
import { Copies, copied } from "./copied-files.ts";
import { FileOrder } from "./file-order.ts";
import { Guesses } from "./guesses.ts";
import { learn } from "./learn.ts";
import { versionsFor } from "./versions.ts";

/** A file that gets another version. Paths are relative to the project's folder. */
export interface Rename {
  from: string;
  to: string;
  why: string;
}

/** A migration to write. */
export interface NewFile {
  path: string;
  sql: string;
  /** The guesses in it. */
  objects?: string[];
  /** The file that it is a copy of. */
  copyOf?: string;
}

export interface RepairPlan {
  writes: NewFile[];
  renames: Rename[];
  /** How many files cannot be applied now. */
  failing: number;
  /** The errors that remain after the repair. */
  left: FileProblem[];
}

/** Every try shows at least one more fault; a folder with more of them is repaired in several runs. */
const MOST_TRIES = 200;

/** @param progress called after each try with the number of files that fail */
export async function planRepair(
  cluster: ClusterClient,
  config: Config,
  progress: (failing: number) => void = () => {},
): Promise<RepairPlan> {
  const failing = (await failingFiles(cluster, config)).length;
  let best: RepairPlan = { writes: [], renames: [], failing, left: [] };
  if (failing === 0) return best;
  const files = readMigrations(config);
  const seeds = readSeeds(config);
  const order = new FileOrder(files);
  const guesses = new Guesses();
  const copies = new Copies(config);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { added, renamed } = arranged(config, order.files(), copies.files(), guesses);
    const errors = await failingFiles(cluster, config, [...added, ...renamed]);
    if (copies.undo(errors)) continue;
    // A later try that fails no more often knows more of what is lacking.
    if (tries === 0 || errors.length <= best.left.length) {
      best = {
        writes: added.map((file) => newFile(config, file, guesses)),
        renames: renamesOf(renamed, order),
        failing,
        left: errors.map((error) => error.problem()),
      };
    }
    progress(errors.length);
    const known = errors.filter((error) => error instanceof SqlFileError);
    // A move or a copy may bring the object that is missing, so objects are guessed once these are known.
    if (known.filter((error) => orders(order, error)).length > 0) continue;
    if (copies.add(known, seeds)) continue;
    if (known.filter((error) => learn(guesses, error, [...renamed, ...seeds])).length === 0) break;
  }
  return best;
}

/** @returns whether the error asks for another order that is new */
function orders(order: FileOrder, error: ProjectFileError): boolean {
  const { fault, file, creator } = error.problem();
  return fault === "wrong-order" && creator !== undefined && order.require(creator, file);
}

/**
 * The files with their new versions, and the files that are added before them. Paths stay as they are, so that an error
 * names the file that the user has.
 */
function arranged(
  config: Config,
  files: readonly Migration[],
  copies: readonly SqlFile[],
  guesses: Guesses,
): { added: Migration[]; renamed: Migration[] } {
  const sql = guesses.sql();
  const news = [...(guesses.objects().length === 0 ? [] : [{ path: "base.sql", sql }]), ...copies];
  const versions = versionsFor([...news.map(() => undefined), ...files.map(({ version }) => version)]);
  return {
    added: news.map((file, at) => ({
      ...migrationOf(config, versions[at] ?? "", nameOf(file), ""),
      ...file,
    })),
    renamed: files.map((file, at) => ({ ...file, version: versions[news.length + at] ?? file.version })),
  };
}

/** The name of a migration that is copied from a file. */
function nameOf({ path }: SqlFile): string {
  const name = basename(path, ".sql").replace(/^[\d_]+(?=\D)/, "");
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 100) || "schema";
}

function newFile(config: Config, { version, name, sql, path }: Migration, guesses: Guesses): NewFile {
  const target = migrationOf(config, version, name, sql).path;
  if (path === "base.sql") return { path: target, sql, objects: guesses.objects() };
  return { path: target, sql: copied(path, sql), copyOf: path };
}

/** The renames in an order in which an interrupted repair leaves the files that are still to rename in their order. */
function renamesOf(files: readonly Migration[], order: FileOrder): Rename[] {
  const renames = files.flatMap(({ path, version }): (Rename & { lower: boolean })[] => {
    const name = basename(path);
    const own = /^\d+/.exec(name)?.[0] ?? "";
    if (own === version) return [];
    const to = join(dirname(path), version + name.slice(own.length));
    const why = order.reason(path) ?? "for the order of the files";
    return [{ from: path, to, why, lower: version < own }];
  });
  const plain = ({ lower: _, ...rename }: Rename & { lower: boolean }) => rename;
  return [
    ...renames.filter(({ lower }) => lower).map(plain),
    ...renames
      .filter(({ lower }) => !lower)
      .map(plain)
      .reverse(),
  ];
}
