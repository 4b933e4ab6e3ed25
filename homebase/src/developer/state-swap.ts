/**
 * Owns replacing the whole state of a project: data folder, Vault's key, stored files, inbox and the git branch that it
 * belongs to, where one keeps states by branch. Another state is prepared
 * beside each part and renamed into its place. A file says so first, so that the next command that takes the lock undoes
 * a replacement that was killed, or completes one that was confirmed. The old state is never removed: it is moved into
 * the folder that the caller names.
 */
import {
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncFile } from "../core/sync-file.ts";
import { Cluster } from "../postgres/cluster/cluster.ts";
import { DataFolderError } from "../postgres/cluster/data-folder.ts";
import { stateFolderOf } from "../postgres/cluster/state-folder.ts";
import { syncChanged } from "../postgres/cluster/sync-changed.ts";
import { chownTree } from "../postgres/cluster/system-user.ts";
import { vaultKeyPath } from "../postgres/cluster/vault-key.ts";

const INTENT = "replacing.json";
const PARTS = ["data", "vault-key", "storage", "inbox", "branch"] as const;
export type StatePart = (typeof PARTS)[number];

interface Intent {
  /** What replaces the state, for people. */
  by: string;
  /** Whether the new state stands. */
  confirmed: boolean;
  /** The parts that the old state had. */
  had: StatePart[];
  /** The name of the folder that gets the old state, below `.homebase/snapshots`. */
  keep: string;
}

/** Where copies of states are kept. */
export function keptStates(projectFolder: string): string {
  return join(stateFolderOf(projectFolder), "snapshots");
}

/** The folder that something of this name is made in, before it is renamed. */
export const making = (folder: string) => `${folder}.making`;

/** Where the parts of a project's state are. */
export function statePaths(projectFolder: string): Record<StatePart, string> {
  const data = Cluster.dataFolder(projectFolder);
  const home = stateFolderOf(projectFolder);
  return {
    data,
    "vault-key": vaultKeyPath(data),
    storage: join(home, "storage"),
    inbox: join(home, "inbox"),
    branch: join(home, "branch"),
  };
}

/** Where the new state of a part is prepared. */
export const staged = (path: string) => `${path}.restoring`;
const replaced = (path: string) => `${path}.replaced`;

/** Writes names in these folders to the disk. */
export async function syncFolders(...folders: string[]): Promise<void> {
  for (const folder of new Set(folders)) {
    const handle = await open(folder, "r");
    await syncFile(handle).finally(() => handle.close());
  }
}

/** Writes a file that is there whole or not at all, also after a power cut. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  const handle = await open(temporary, "w", 0o600);
  await handle
    .writeFile(text)
    .then(() => syncFile(handle))
    .finally(() => handle.close());
  renameSync(temporary, path);
  await syncFolders(dirname(path));
}

/** A replacement of a project's state. The caller holds the lock, and nothing uses the state meanwhile. */
export class StateSwap {
  readonly #projectFolder: string;
  #intent: Intent;

  /** @param keep the name that the old state is kept under; `<keep>.making` has what else belongs there. */
  constructor(projectFolder: string, by: string, keep: string) {
    this.#projectFolder = projectFolder;
    this.#intent = { by, keep, confirmed: false, had: [] };
  }

  /** The replacement that an earlier command has begun. @throws DataFolderError when its file is damaged */
  static interrupted(projectFolder: string): StateSwap | undefined {
    const path = join(stateFolderOf(projectFolder), INTENT);
    if (!lstatSync(path, { throwIfNoEntry: false })) return undefined;
    const intent = readIntent(path);
    const swap = new StateSwap(projectFolder, intent.by, intent.keep);
    swap.#intent = intent;
    return swap;
  }

  get by(): string {
    return this.#intent.by;
  }

  get confirmed(): boolean {
    return this.#intent.confirmed;
  }

  /** Puts the prepared parts in place of the old ones. */
  async begin(): Promise<void> {
    const paths = this.#paths();
    const had = paths.filter(([, path]) => existsSync(path)).map(([part]) => part);
    await this.#write({ ...this.#intent, had });
    for (const [, path] of paths) {
      if (existsSync(path)) renameSync(path, replaced(path));
      if (existsSync(staged(path))) renameSync(staged(path), path);
    }
    await this.#sync();
  }

  /** Puts the old parts back, as far as `begin` has got, and removes the prepared ones. */
  async undo(): Promise<void> {
    if (existsSync(this.#file)) await this.#putBack();
    removeStaged(this.#projectFolder);
  }

  async #putBack(): Promise<void> {
    for (const [part, path] of this.#paths()) {
      const own = this.#intent.had.includes(part);
      // A part that the old state had and that was not moved yet is still in its place.
      if (own && !existsSync(replaced(path))) continue;
      rmSync(staged(path), { recursive: true, force: true });
      if (existsSync(path)) renameSync(path, staged(path));
      if (own) renameSync(replaced(path), path);
    }
    await this.#sync();
    await this.#end();
  }

  /** Decides for the new state: from now on the replacement is completed, and not undone. */
  async confirm(): Promise<void> {
    await this.#write({ ...this.#intent, confirmed: true });
  }

  /** Moves the old state under its name, in place of an earlier one. Only after `confirm`. */
  async keepOld(): Promise<void> {
    const folder = join(keptStates(this.#projectFolder), this.#intent.keep);
    const target = making(folder);
    for (const [part, path] of this.#paths()) {
      if (!existsSync(replaced(path))) continue;
      mkdirSync(target, { recursive: true, mode: 0o700 });
      if (!existsSync(join(target, part))) await moveInto(replaced(path), join(target, part));
      rmSync(replaced(path), { recursive: true, force: true });
    }
    if (existsSync(target)) {
      rmSync(folder, { recursive: true, force: true });
      renameSync(target, folder);
    }
    await syncFolders(dirname(folder));
    await this.#end();
  }

  get #file(): string {
    return join(stateFolderOf(this.#projectFolder), INTENT);
  }

  #paths(): [StatePart, string][] {
    const paths = statePaths(this.#projectFolder);
    return PARTS.map((part) => [part, paths[part]]);
  }

  async #write(intent: Intent): Promise<void> {
    this.#intent = intent;
    await replaceFile(this.#file, `${JSON.stringify(intent)}\n`);
  }

  async #end(): Promise<void> {
    rmSync(this.#file, { force: true });
    await syncFolders(dirname(this.#file));
  }

  #sync(): Promise<void> {
    return syncFolders(...this.#paths().map(([, path]) => dirname(path)));
  }
}

/**
 * Undoes or completes the replacement of a killed command, once no Postgres is left on the data. The caller holds the lock.
 * @returns what replaced the state, if it was undone
 */
export async function settleState(projectFolder: string): Promise<string | undefined> {
  rmSync(join(stateFolderOf(projectFolder), `${INTENT}.new`), { force: true });
  const swap = StateSwap.interrupted(projectFolder);
  if (!swap) {
    removeStaged(projectFolder);
    return undefined;
  }
  await Cluster.stopOrphanedServer(projectFolder);
  if (swap.confirmed) {
    await swap.keepOld();
    return undefined;
  }
  await swap.undo();
  return swap.by;
}

/** Removes copies that were prepared and not used. */
export function removeStaged(projectFolder: string): void {
  for (const path of Object.values(statePaths(projectFolder)))
    rmSync(staged(path), { recursive: true, force: true });
}

/** By its name; where the folder of Postgres's data is on another disk, as a copy that appears as a whole. */
async function moveInto(from: string, to: string): Promise<void> {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    const copying = join(dirname(to), `copying-${basename(to)}`);
    rmSync(copying, { recursive: true, force: true });
    cpSync(from, copying, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    const folder = lstatSync(from).isDirectory();
    // Only root's data is on another disk than `.homebase`, and it is another account's.
    if (folder) chownTree(copying, lstatSync(from));
    else lchownSync(copying, lstatSync(from).uid, lstatSync(from).gid);
    if (folder) await syncChanged(copying, 0);
    renameSync(copying, to);
  }
}

function readIntent(path: string): Intent {
  try {
    const { by, confirmed, had, keep } = JSON.parse(readFileSync(path, "utf8")) as Intent;
    const whole = [by, keep].every((one) => typeof one === "string") && typeof confirmed === "boolean";
    if (whole && /^[\w-]+$/.test(keep) && had.every((part) => PARTS.includes(part)))
      return { by, confirmed, had, keep };
  } catch {
    // Said below.
  }
  throw new DataFolderError(
    `${path} is damaged. It says how far a restore has come, so which data is whole is not known. Nothing was changed. ` +
      "Beside each part of the data, a name that ends with .replaced is the state before the restore: move these back, " +
      "and remove the file.",
  );
}
