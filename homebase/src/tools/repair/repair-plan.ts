/**
 * Owns the plan of a repair: migrations with what the folder uses and nowhere makes, copies of SQL files that are no
 * migrations and make it, versions that stand once, an order in which the files run, and one of the statements in a file.
 * Each step is tried in a database that nobody uses before the next one is added.
 */
import { basename, dirname, join } from "node:path";
import type { Config } from "../../config/config.ts";
import type { ClusterClient } from "../../postgres/cluster/cluster-client.ts";
import type { Database } from "../../postgres/database.ts";
import {
  type FileProblem,
  type Move,
  type ProjectFileError,
  SqlFileError,
} from "../../postgres/files/errors.ts";
import { type Migration, readMigrations, readSeeds } from "../../postgres/files/project-files.ts";
import type { SqlFile } from "../../postgres/files/sql-file.ts";
import { migrationOf } from "../history/new-migration.ts";
import { failingFiles } from "../migration-check.ts";
import { usedInBodies } from "../used-in-bodies.ts";
import { Copies, copied } from "./copied-files.ts";
import { forget } from "./existing-tables.ts";
import { FileOrder } from "./file-order.ts";
import { type Addition, Guesses } from "./guesses.ts";
import { learn, learnUsed } from "./learn.ts";
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

/** A file whose statements get another order. */
export interface Reorder {
  path: string;
  moves: readonly Move[];
  /** The text that it has now, and the one that it gets. */
  before: string;
  sql: string;
}

export interface RepairPlan {
  reorders: Reorder[];
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
  const files = readMigrations(config);
  const seeds = readSeeds(config);
  const order = new FileOrder(files);
  const guesses = new Guesses();
  const copies = new Copies(config);
  let best: RepairPlan | undefined;
  /** What one try teaches. @returns whether it is anything new */
  const learned = async (tried: Arranged, database: Database, refused: readonly ProjectFileError[]) => {
    const { added, renamed, inOrder } = tried;
    const reorders = refused.flatMap((error) => reorderFor(files, error));
    const errors = refused.filter((error) => !(error instanceof SqlFileError && error.reordered));
    if (copies.undo(errors)) return true;
    const wrong = added.filter((one) => one.addition && errors.some(({ file }) => file === one.path));
    if (wrong.filter(({ addition }) => forget(guesses, addition?.before)).length > 0) return true;
    // A later try that fails no more often knows more of what is lacking.
    if (best === undefined || errors.length <= best.left.length) {
      best = {
        reorders,
        writes: added.map((file) => newFile(config, file)),
        renames: renamesOf(renamed, order),
        failing: best?.failing ?? refused.length,
        left: errors.map((error) => error.problem()),
      };
    }
    progress(errors.length);
    const known = errors.filter((error) => error instanceof SqlFileError);
    // A move or a copy may bring the object that is missing, so objects are guessed once these are known.
    if (known.filter((error) => orders(order, error)).length > 0) return true;
    if (copies.add(known, seeds)) return true;
    const all = [...renamed, ...seeds];
    if (known.filter((error) => learn(guesses, error, all)).length > 0) return true;
    const used = await usedInBodies(database, [...inOrder, ...seeds]);
    return used.filter((one) => learnUsed(guesses, one, all)).length > 0;
  };
  let more = true;
  for (let tries = 0; more && tries < MOST_TRIES; tries += 1) {
    const tried = arranged(order.files(), copies.files(), guesses);
    await failingFiles(cluster, config, tried.inOrder, async (database, refused) => {
      more = await learned(tried, database, refused);
    });
  }
  return best ?? { reorders: [], writes: [], renames: [], failing: 0, left: [] };
}

function reorderFor(files: readonly Migration[], error: ProjectFileError): Reorder[] {
  const before = files.find(({ path }) => path === error.file);
  if (!(error instanceof SqlFileError) || !error.reordered || !before) return [];
  const { moves, sql } = error.reordered;
  return [{ path: before.path, before: before.sql, moves, sql }];
}

/** @returns whether the error asks for another order that is new */
function orders(order: FileOrder, error: ProjectFileError): boolean {
  const { fault, file, creator } = error.problem();
  return fault === "wrong-order" && creator !== undefined && order.require(creator, file);
}

/** A migration that the plan adds. */
interface Added extends Migration {
  objects?: string[];
  copyOf?: string;
  /** What it adds to tables of the files. */
  addition?: Addition;
}

/** The files of one try. */
interface Arranged {
  added: Added[];
  renamed: Migration[];
  /** Both, in the order in which they run. */
  inOrder: Migration[];
}

/**
 * The files with their new versions, and those that are added before them and between them. Paths stay as they are, so
 * that an error names the file that the user has.
 */
function arranged(files: readonly Migration[], copies: readonly SqlFile[], guesses: Guesses): Arranged {
  const additions = guesses.additions();
  const before = (path?: string) => {
    const addition = additions.find((one) => one.before === path);
    return addition
      ? [{ ...addition, addition, path: `what ${path ?? "the seed"} lacks`, name: "additions" }]
      : [];
  };
  const base = { path: "base.sql", name: "base", sql: guesses.sql(), objects: guesses.objects() };
  const wanted: (Migration | Omit<Added, "version">)[] = [
    ...(base.objects.length === 0 ? [] : [base]),
    ...copies.map((file) => ({ ...file, name: nameOf(file), copyOf: file.path })),
    ...files.flatMap((file) => [...before(file.path), file]),
    ...before(),
  ];
  const versions = versionsFor(wanted.map((file) => ("version" in file ? file.version : undefined)));
  const inOrder = wanted.map((file, at) => ({ ...file, version: versions[at] ?? "" }));
  const isOwn = ({ path }: Migration) => files.some((file) => file.path === path);
  return { added: inOrder.filter((file) => !isOwn(file)), renamed: inOrder.filter(isOwn), inOrder };
}

/** The name of a migration that is copied from a file. */
function nameOf({ path }: SqlFile): string {
  const name = basename(path, ".sql").replace(/^[\d_]+(?=\D)/, "");
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 100) || "schema";
}

function newFile(config: Config, { version, name, sql, path, objects = [], copyOf }: Added): NewFile {
  const target = migrationOf(config, version, name, sql).path;
  return copyOf === undefined
    ? { path: target, sql, objects }
    : { path: target, sql: copied(path, sql), copyOf };
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
