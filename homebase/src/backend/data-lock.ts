/**
 * Owns the lock on a project's `.homebase/`: whoever starts, resets or checks it takes the lock before the
 * first look at anything else. It is a lock of the operating system (through SQLite, as Node has none of
 * its own), so it ends with its holder, however the holder ends.
 */
import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DataFolderError } from "../postgres/cluster/data-folder.ts";

/** What the holder of a lock says of itself. */
export interface LockHolder {
  pid: number;
  /** ISO 8601. */
  startedAt: string;
  /** e.g. "homebase start". */
  command: string;
  /** The folder that it was started in. */
  cwd: string;
  /** The process that it ends with. */
  endWith?: number;
  /** Where it listens for commands, once it does. */
  controlSocket?: string;
}

/** Another process holds the lock. */
export class DataLocked extends Error {
  readonly holder: LockHolder | undefined;
  constructor(holder: LockHolder | undefined) {
    super(
      holder
        ? `${holder.command} is running already for this project (pid ${holder.pid}, since ${localTime(holder.startedAt)}, in ${holder.cwd}).\n` +
            `See it with: homebase status. Stop it with: homebase stop, or: kill ${holder.pid}`
        : "Another homebase command is running already for this project. See it with: homebase status",
    );
    this.holder = holder;
  }
}

const FILE = "lock";
const HOLDER = "state.json";
const BUSY = 5;
const RETRY_MS = 25;
/** A holder that has only just begun, or a command that only looks, may need this long to say who it is. */
const UNKNOWN_PATIENCE_MS = 1_000;
/** A holder whose parent is gone is on its way down; so is Postgres below it. */
const ENDING_PATIENCE_MS = 25_000;

/** Locks that this process holds: one that is collected as garbage would be given up. */
const held = new Set<DataLock>();

/** See the file's head. */
export class DataLock {
  readonly #folder: string;
  readonly #file: DatabaseSync;
  #holder: LockHolder;

  private constructor(folder: string, file: DatabaseSync, holder: LockHolder) {
    this.#folder = folder;
    this.#file = file;
    this.#holder = holder;
    held.add(this);
    this.say({});
  }

  /**
   * Takes the lock of a project, waiting for a holder that is ending.
   * @throws DataLocked, DataFolderError when the lock's file cannot be used.
   */
  static async take(
    projectFolder: string,
    { command, endWith }: { command: string; endWith?: number },
  ): Promise<DataLock> {
    const folder = join(projectFolder, ".homebase");
    makeStateFolder(folder);
    const began = Date.now();
    for (;;) {
      const file = open(folder);
      if (file) {
        const startedAt = new Date().toISOString();
        return new DataLock(folder, file, {
          pid: process.pid,
          startedAt,
          command,
          cwd: process.cwd(),
          ...(endWith === undefined ? {} : { endWith }),
        });
      }
      const holder = readHolder(projectFolder);
      const ending = holder?.endWith !== undefined && !alive(holder.endWith);
      const patience = ending ? ENDING_PATIENCE_MS : holder ? 0 : UNKNOWN_PATIENCE_MS;
      if (Date.now() - began >= patience) throw new DataLocked(holder);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Adds to what others can read about this holder. */
  say(more: Partial<LockHolder>): void {
    this.#holder = { ...this.#holder, ...more };
    const path = join(this.#folder, HOLDER);
    const temporary = `${path}.${process.pid}`;
    try {
      writeFileSync(temporary, `${JSON.stringify(this.#holder, null, 2)}\n`, { mode: 0o600 });
      renameSync(temporary, path);
    } catch {
      // It only helps people; the lock is held without it (e.g. a folder in its place, a full disk).
      rmSync(temporary, { force: true });
    }
  }

  /** Gives the lock back. */
  release(): void {
    if (!held.delete(this)) return;
    try {
      rmSync(join(this.#folder, HOLDER), { force: true });
    } catch {
      // A folder in its place is not ours to remove.
    }
    this.#file.close();
  }
}

/** The process that holds the lock; undefined when it is free, or its holder is unknown. */
export function lockHolder(projectFolder: string): LockHolder | undefined {
  const holder = readHolder(projectFolder);
  if (!holder || holder.pid === process.pid) return undefined;
  let file: DatabaseSync | undefined;
  try {
    file = open(join(projectFolder, ".homebase"));
  } catch {
    return undefined;
  }
  file?.close();
  return file ? undefined : holder;
}

/** @returns undefined when another process holds it. */
function open(folder: string): DatabaseSync | undefined {
  const path = join(folder, FILE);
  let file: DatabaseSync | undefined;
  try {
    file = new DatabaseSync(path, { timeout: 0 });
    // Another user who could open it could hold it.
    chmodSync(path, 0o600);
    // Of an empty file this takes the exclusive lock and writes nothing.
    file.exec("pragma journal_mode = memory; begin exclusive");
    return file;
  } catch (error) {
    file?.close();
    if ((error as { errcode?: number }).errcode === BUSY) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataFolderError(
      `The lock file ${path} cannot be used (${reason}). It holds no data. ` +
        "When no homebase command runs for this project, remove it and start again.",
    );
  }
}

/** Makes `.homebase/`; as root, Postgres runs as another user and must get through. */
function makeStateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    realpathSync(folder);
  } catch (error) {
    const reason = (error as Error).message;
    throw new DataFolderError(`${folder} cannot be used as the folder for data (${reason}).`);
  }
}

/** What the last holder said of itself, when its process is still there. */
export function readHolder(projectFolder: string): LockHolder | undefined {
  try {
    const path = join(projectFolder, ".homebase", HOLDER);
    const holder = JSON.parse(readFileSync(path, "utf8")) as Partial<LockHolder> | null;
    if (typeof holder?.pid !== "number" || !alive(holder.pid)) return undefined;
    return {
      ...holder,
      pid: holder.pid,
      startedAt: String(holder.startedAt),
      command: String(holder.command ?? "homebase start"),
      cwd: String(holder.cwd ?? projectFolder),
    };
  } catch {
    return undefined;
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function localTime(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : time.toLocaleString("sv-SE");
}
