/** Owns saving a snapshot: the parts of the state are copied while nothing uses them, and get their name last. */
import { closeSync, existsSync, openSync, readSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { CommandError } from "../../src/cli/kit/terminal.ts";
import { type StatePart, statePaths, syncFolders } from "../../src/developer/state-swap.ts";
import { syncCopies } from "./copy-sync.ts";
import {
  BEFORE_RESTORE,
  beginSnapshot,
  describeSnapshot,
  leaving,
  listSnapshots,
  snapshotPath,
  tidySnapshots,
} from "./snapshot-folder.ts";
import { type CopyProgress, type CopyRules, copyTree } from "./tree-copy.ts";
import type { Versions } from "./versions.ts";

export interface Saved {
  bytes: number;
  /** Whether the file system shares the bytes of the copy. */
  reflink: boolean;
  /** How long requests waited; undefined without a running stack. */
  waited: number | undefined;
  milliseconds: number;
}

interface Saving {
  projectFolder: string;
  name: string;
  progress: CopyProgress;
  /** Whether it takes the place of an earlier one of this name. */
  replace?: boolean;
  versions(): Promise<Versions>;
  /** Runs the copy while nothing uses the state. @returns how long requests waited, in ms, where there are any */
  atRest(copy: () => Promise<void>): Promise<number | undefined>;
}

/** @throws CommandError when the name is taken or not a plain one */
export async function saveSnapshot({
  projectFolder,
  name,
  progress,
  replace = false,
  versions,
  atRest,
}: Saving): Promise<Saved> {
  const began = performance.now();
  const folder = snapshotPath(projectFolder, name);
  if (name === BEFORE_RESTORE)
    throw new CommandError(
      `${name} is the name of what the last restore has replaced. Choose another one.`,
      2,
    );
  await tidySnapshots(projectFolder);
  if (!replace) refuseTaken(projectFolder, name, folder);
  const own = await versions();
  const target = beginSnapshot(projectFolder, name);
  try {
    let bytes = 0;
    const written: string[] = [];
    const copyParts = async () => {
      for (const [part, path] of Object.entries(statePaths(projectFolder)) as [StatePart, string][]) {
        if (!existsSync(path)) continue;
        const copied = await copyTree(path, join(target, part), progress, RULES[part]);
        bytes += copied.bytes;
        for (const one of copied.written) written.push(one);
      }
    };
    const waited = await atRest(() =>
      copyParts().catch((error: unknown) => {
        // At once: the server does not start again on a disk that the copy has filled.
        rmSync(target, { recursive: true, force: true });
        throw error;
      }),
    );
    await syncCopies(projectFolder, written, progress);
    await describeSnapshot(target, { made: new Date().toISOString(), bytes, versions: own });
    await syncFolders(target);
    if (replace && existsSync(folder)) renameSync(folder, leaving(folder));
    renameSync(target, folder);
    await syncFolders(dirname(folder));
    rmSync(leaving(folder), { recursive: true, force: true });
    return {
      bytes,
      reflink: progress.reflink ?? false,
      waited,
      milliseconds: Math.round(performance.now() - began),
    };
  } catch (error) {
    rmSync(target, { recursive: true, force: true });
    throw error;
  }
}

/** File systems may not tell upper and lower case apart. */
function refuseTaken(projectFolder: string, name: string, folder: string): void {
  const taken = listSnapshots(projectFolder).find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (taken)
    throw new CommandError(
      `There is a snapshot ${taken.name} already. Choose another name, or remove it: homebase snapshot delete ${taken.name}`,
    );
  if (existsSync(folder))
    throw new CommandError(`${folder} exists already and is no snapshot. Move it away first.`);
}

/** How each part of a state is copied, into a snapshot and out of it. */
export const RULES: Record<StatePart, CopyRules> = {
  data: {
    leaveOut: (path, file) => SERVERS_OWN.has(path) || (SEGMENT.test(path) && isReserved(file)),
  },
  "vault-key": {},
  storage: {
    leaveOut: (path) => MADE_AGAIN.has(path),
    // A stored version and a part of an upload are written under another name and never again (storage/disk).
    share: (path) => /^(objects|parts)\//.test(path),
  },
  inbox: {},
  branch: {},
};

/** What a start of the server makes: its lock, and the guard against base backups (login-access.ts), which is a link. */
const SERVERS_OWN = new Set(["postmaster.pid", "postmaster.opts", "homebase_guard", "pg_tblspc/1"]);
/** Rendered pictures, and uploads of requests that have ended. */
const MADE_AGAIN = new Set(["renders", "tmp"]);
const SEGMENT = /^pg_wal\/[0-9A-F]{24}$/;

/**
 * Whether a segment of the write-ahead log is only reserved for later: the address in its first page (XLogPageHeaderData)
 * is that of the segment that it was before. Of a gigabyte of log, a server at rest needs one segment.
 */
function isReserved(file: string): boolean {
  const handle = openSync(file, "r");
  try {
    const header = Buffer.alloc(16);
    readSync(handle, header);
    const name = file.slice(-24);
    const high = Number.parseInt(name.slice(8, 16), 16);
    const low = Number.parseInt(name.slice(16), 16) * SEGMENT_BYTES;
    return header.readUInt32LE(12) !== high || header.readUInt32LE(8) !== low;
  } finally {
    closeSync(handle);
  }
}

/** As initdb makes it. */
const SEGMENT_BYTES = 16 * 1024 ** 2;
