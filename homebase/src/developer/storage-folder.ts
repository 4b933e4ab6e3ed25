/**
 * Owns the mapping of storage folders to databases. Each folder has the id of its database, so that files are
 * never compared with another database's rows; an interrupted reset is completed or undone by these ids.
 */

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { privateFolder } from "../core/private-folder.ts";
import { isUuid } from "../core/uuid.ts";
import { DataFolderError } from "../postgres/cluster/data-folder.ts";

const ID_FILE = "database-id";
/** The storage service's folders with bytes of objects and uploads. */
const HOLDING = ["objects", "parts", "uploads"];

/** The storage folders of a project. */
export class StorageFolder {
  /** The folder in use. */
  readonly path: string;
  readonly #next: string;
  readonly #previous: string;

  /** @param home the project's `.homebase/`. */
  constructor(home: string) {
    this.path = join(home, "storage");
    this.#next = join(home, "storage.next");
    this.#previous = join(home, "storage.previous");
  }

  /** Where the bytes of objects are. */
  get objects(): string {
    return join(this.path, "objects");
  }

  /** Whether there are bytes of objects. */
  holdsObjects(): boolean {
    return holdsFile(this.objects);
  }

  /** Whether there are bytes of objects or uploads. */
  holdsFiles(): boolean {
    return HOLDING.some((name) => holdsFile(join(this.path, name)));
  }

  /**
   * Ensures that the folder belongs to the database `id`, restoring what an interrupted reset has moved.
   * @param database `known` when the database had its id before; `owns` tells whether rows have one of these
   * versions.
   * @throws DataFolderError when the files belong to another database.
   */
  async pair(
    id: string,
    database: { known: boolean; owns: (versions: string[]) => Promise<boolean> },
  ): Promise<void> {
    refuseOther(this.path);
    let present = readId(this.path);
    if (present !== id) {
      if (readId(this.#next) === id) {
        if (existsSync(this.path)) renameSync(this.path, this.#previous);
        renameSync(this.#next, this.path);
        present = id;
      } else if (readId(this.#previous) === id) {
        if (existsSync(this.path)) renameSync(this.path, this.#next);
        renameSync(this.#previous, this.path);
        present = id;
      }
    }
    if (present !== id && this.holdsFiles()) {
      // Neither has an id: both are older than ids.
      const early = present === undefined && !existsSync(join(this.path, ID_FILE)) && !database.known;
      const proven = present === undefined && (await database.owns(this.#someVersions()));
      if (!early && !proven) throw this.#refusal();
    }
    makeWithId(this.path, id);
  }

  /** Starts the folder of a reset's new database. */
  begin(id: string): void {
    rmSync(this.#next, { recursive: true, force: true });
    makeWithId(this.#next, id);
  }

  /** Removes what a reset has replaced, or has not used. Only once the database in use is complete. */
  finish(): void {
    rmSync(this.#next, { recursive: true, force: true });
    rmSync(this.#previous, { recursive: true, force: true });
  }

  /** @throws DataFolderError when there are files although the database is about to be created. */
  refuseFilesWithoutDatabase(dataFolder: string): void {
    refuseOther(this.path);
    if (!this.holdsFiles()) return;
    throw new DataFolderError(
      `There are stored files in ${this.path}, but the database that they belong to is not in ${dataFolder}.\n` +
        `Nothing was changed. Restore the database's folder; or move the files aside: ` +
        `mv "${this.path}" "${this.path}.aside"; or homebase reset, which does so.`,
    );
  }

  /** @throws DataFolderError when the folder has the id of another database than `id`. */
  refuseOtherThan(id: string | undefined): void {
    const present = readId(this.path);
    if (present !== undefined && present !== id) throw this.#refusal();
  }

  #refusal(): DataFolderError {
    return new DataFolderError(
      `The stored files in ${this.path} do not belong to this project's database: it has another id.\n` +
        `Nothing was changed. Restore the folder that belongs to the database; or move the files ` +
        `aside: mv "${this.path}" "${this.path}.aside"; or homebase reset, which does so.`,
    );
  }

  /**
   * Names of some files in use: versions are random, so a row with one of them proves that they belong
   * together.
   */
  #someVersions(): string[] {
    const { objects } = this;
    const versions: string[] = [];
    for (const shelf of list(objects)) {
      for (const object of list(join(objects, shelf))) versions.push(...list(join(objects, shelf, object)));
    }
    return versions.filter((version) => isUuid(version));
  }
}

function makeWithId(folder: string, id: string): void {
  mkdirSync(join(folder, ".."), { recursive: true });
  privateFolder(folder);
  if (readId(folder) === id) return;
  const path = join(folder, ID_FILE);
  if (existsSync(path) && !lstatSync(path).isFile()) {
    throw new DataFolderError(
      `${path} is not a file. Remove it and start again: it only names the files' database.`,
    );
  }
  writeFileSync(`${path}.new`, `${id}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function readId(folder: string): string | undefined {
  try {
    const text = readFileSync(join(folder, ID_FILE), "utf8").trim();
    return isUuid(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

function refuseOther(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found || found.isDirectory()) return;
  throw new DataFolderError(
    `${path} is not a folder, so files cannot be stored there.\nNothing was changed. Move it aside and start again.`,
  );
}

function holdsFile(folder: string): boolean {
  return list(folder).some((name) => {
    const path = join(folder, name);
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? holdsFile(path) : true;
  });
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
