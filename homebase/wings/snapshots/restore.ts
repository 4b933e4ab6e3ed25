/**
 * Owns preparing a restore: a copy of the snapshot beside each part of the state, and the description of the state that it
 * replaces, which is kept as a snapshot: `before-restore` until the next restore (for going back, at the cost of its
 * disk space), or that of the git branch that is left. The replacement itself is the core's (state-swap.ts).
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { CommandError } from "../../src/cli/kit/terminal.ts";
import { branchOfState, writeBranch } from "../../src/developer/branch-of-state.ts";
import type { RestoredState } from "../../src/developer/stack-wing.ts";
import {
  removeStaged,
  type StatePart,
  StateSwap,
  staged,
  statePaths,
  syncFolders,
} from "../../src/developer/state-swap.ts";
import { makeTraversableFolder, serverUser } from "../../src/postgres/cluster/system-user.ts";
import { syncCopies } from "./copy-sync.ts";
import { RULES } from "./save.ts";
import {
  BEFORE_RESTORE,
  beginSnapshot,
  describeSnapshot,
  findSnapshot,
  tidySnapshots,
} from "./snapshot-folder.ts";
import { type CopyProgress, copyTree, sizeOf } from "./tree-copy.ts";
import { unfitReason, type Versions } from "./versions.ts";

interface Restoring {
  projectFolder: string;
  name: string;
  progress: CopyProgress;
  /** The snapshot that the replaced state becomes. */
  keep?: string;
  /** The git branch that the state belongs to afterwards; undefined where nobody keeps states by branch. */
  branch?: string | undefined;
  /** Of the state that is replaced; undefined when its database cannot be opened. */
  versions(): Promise<Versions | undefined>;
}

export interface Restored extends RestoredState {
  reflink: boolean;
  /** How long requests waited; undefined without a running stack. */
  waited?: number;
  milliseconds: number;
}

/** Prepares a restore; the state is still the old one. @throws CommandError when the snapshot does not fit */
export async function prepareRestore({
  projectFolder,
  name,
  progress,
  keep = BEFORE_RESTORE,
  branch = branchOfState(projectFolder),
  versions,
}: Restoring): Promise<StateSwap> {
  await tidySnapshots(projectFolder);
  const snapshot = findSnapshot(projectFolder, name);
  const reason = snapshot.versions && unfitReason(snapshot.versions);
  if (reason !== undefined)
    throw new CommandError(`The snapshot ${name} cannot be restored: ${reason}. Nothing was changed.`);
  removeStaged(projectFolder);
  const paths = statePaths(projectFolder);
  makeTraversableFolder(dirname(paths.data), serverUser());
  const present = Object.values(paths).filter((path) => existsSync(path));
  const written: string[] = [];
  try {
    for (const [part, path] of Object.entries(paths) as [StatePart, string][]) {
      const from = join(snapshot.folder, part);
      // A state of any branch can be restored on any.
      if (part === "branch" || !existsSync(from)) continue;
      const copied = await copyTree(from, staged(path), progress, RULES[part]);
      for (const one of copied.written) written.push(one);
    }
    if (branch !== undefined) await writeBranch(staged(paths.branch), branch);
    await syncCopies(projectFolder, written, progress);
    await syncFolders(...Object.values(paths).map((path) => dirname(path)));
    if (present.length > 0) {
      const old = beginSnapshot(projectFolder, keep);
      const bytes = present.reduce((sum, path) => sum + sizeOf(path), 0);
      await describeSnapshot(old, { made: new Date().toISOString(), bytes, versions: await versions() });
      await syncFolders(old, dirname(old));
    }
    return new StateSwap(projectFolder, `restore of the snapshot ${name}`, keep);
  } catch (error) {
    removeStaged(projectFolder);
    throw error;
  }
}
