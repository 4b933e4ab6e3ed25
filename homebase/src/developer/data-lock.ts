/**
 * Owns the lock on a project's `.homebase/`: a start, reset or check takes it before it reads anything else
 * there. It is a lock of the operating system (through SQLite, because Node has none), so it is released when
 * its holder's process ends, for whatever reason.
 */
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isAlive } from "../core/process-alive.ts";
import { UserError } from "../core/user-error.ts";
import { DataFolderError } from "../postgres/cluster/data-folder.ts";
import { claimStateFolder, isTrusted, stateFolderOf } from "../postgres/cluster/state-folder.ts";

/** What the holder of a lock publishes about itself. */
export interface LockHolder {
  pid: number;
  /** ISO 8601. */
  startedAt: string;
  /** e.g. "homebase start". */
  command: string;
  /** The folder in which it was started. */
  cwd: string;
  /** Id of the process that it ends with. */
  endWith?: number;
  /** Where it listens for commands, once it does. */
  controlSocket?: string;
}

/** Another process holds the lock. */
export class DataLocked extends UserError {
  readonly holder: LockHolder | undefined;
  constructor(holder: LockHolder | undefined) {
    super(
      holder
        ? `${holder.command} is already running for this project (pid ${holder.pid}, since ${localTime(holder.startedAt)}, in ${holder.cwd}).\n` +
            `See it with: homebase status. Stop it with: homebase stop, or: kill ${holder.pid}`
        : "Another homebase command is already running for this project. See it with: homebase status",
    );
    this.holder = holder;
  }
}

const FILE = "lock";
const HOLDER = "state.json";
const BUSY = 5;
const RETRY_MS = 25;
/** How long a holder that has just started, or a short command, may take to publish its details. */
const UNKNOWN_PATIENCE_MS = 1_000;
/** How long a holder may take to exit after its parent has; Postgres exits with it. */
const ENDING_PATIENCE_MS = 25_000;

/** Locks of this process, referenced here because garbage collection would release them. */
const held = new Set<DataLock>();

/** The lock on a project's `.homebase/`. */
export class DataLock {
  readonly #folder: string;
  readonly #file: DatabaseSync;
  #holder: LockHolder;
  /** The interrupted replacement of the state that taking the lock has undone. */
  undone: string | undefined;

  private constructor(folder: string, file: DatabaseSync, holder: LockHolder) {
    this.#folder = folder;
    this.#file = file;
    this.#holder = holder;
    held.add(this);
    this.say({});
  }

  /**
   * Acquires a project's lock, waiting for a holder that is exiting, and settles what a killed restore has left. @throws DataLocked, UntrustedFolder,
   * DataFolderError when the lock's file cannot be used.
   */
  static async take(
    projectFolder: string,
    { command, endWith }: { command: string; endWith?: number },
  ): Promise<DataLock> {
    const folder = claimStateFolder(projectFolder);
    const began = Date.now();
    for (;;) {
      const file = open(folder);
      if (file) {
        const startedAt = new Date().toISOString();
        const lock = new DataLock(folder, file, {
          pid: process.pid,
          startedAt,
          command,
          cwd: process.cwd(),
          endWith,
        });
        try {
          // Loaded here: commands that only look at the lock need none of it.
          const { settleState } = await import("./state-swap.ts");
          lock.undone = await settleState(projectFolder);
          return lock;
        } catch (error) {
          lock.release();
          throw error;
        }
      }
      const holder = readHolder(projectFolder);
      const ending = holder?.endWith !== undefined && !isAlive(holder.endWith);
      const patience = ending ? ENDING_PATIENCE_MS : holder ? 0 : UNKNOWN_PATIENCE_MS;
      if (Date.now() - began >= patience) throw new DataLocked(holder);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Adds to the published details. */
  say(more: Partial<LockHolder>): void {
    this.#holder = { ...this.#holder, ...more };
    const path = join(this.#folder, HOLDER);
    const temporary = `${path}.${process.pid}`;
    try {
      writeFileSync(temporary, `${JSON.stringify(this.#holder, null, 2)}\n`, { mode: 0o600 });
      renameSync(temporary, path);
    } catch {
      // The details are only information; the lock does not depend on them (e.g. a folder in their place, a
      // full disk).
      rmSync(temporary, { force: true });
    }
  }

  /** Releases the lock. */
  release(): void {
    if (!held.delete(this)) return;
    try {
      rmSync(join(this.#folder, HOLDER), { force: true });
    } catch {
      // A folder in its place is not removed.
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
    file = open(stateFolderOf(projectFolder));
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
    // Another user who could open the file could hold the lock.
    chmodSync(path, 0o600);
    // On an empty file this takes the exclusive lock and writes nothing.
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

/** The last holder's details, if its process still exists. */
export function readHolder(projectFolder: string): LockHolder | undefined {
  try {
    // Another folder's could name any process, and any socket for commands.
    if (!isTrusted(projectFolder)) return undefined;
    const path = join(stateFolderOf(projectFolder), HOLDER);
    const holder = JSON.parse(readFileSync(path, "utf8")) as Partial<LockHolder> | null;
    if (typeof holder?.pid !== "number" || !isAlive(holder.pid)) return undefined;
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

function localTime(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : time.toLocaleString("sv-SE");
}
