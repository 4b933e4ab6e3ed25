/** Owns a state for each git branch: which snapshot is a branch's, and what a checkout of another branch makes necessary. */
import { createHash } from "node:crypto";
import { branchOfState, checkedOutBranch, writeBranch } from "../../src/developer/branch-of-state.ts";
import { statePaths } from "../../src/developer/state-swap.ts";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import type { Restored } from "./restore.ts";
import { listSnapshots } from "./snapshot-folder.ts";

/** What a switch has come to. */
export type Switched = { milliseconds: number } & (Unchanged | Begun | Moved);

interface Unchanged {
  outcome: "no branch";
}

interface Begun {
  outcome: "same" | "begun";
  branch: string;
}

interface Moved {
  outcome: "forked" | "switched";
  branch: string;
  from: string;
  /** Migrations that the branch has brought. */
  applied: string[];
  failed: string | undefined;
}

/** How the state is copied and replaced: in the running stack, or without one. */
export interface Switching {
  /** Saves the state as this snapshot, in place of an earlier one, then calls `written`. @returns migrations applied since */
  save(name: string, written: () => Promise<void>): Promise<Pick<Restored, "applied" | "failed">>;
  restore(name: string, options: { keep: string; branch: string }): Promise<Restored>;
}

const LONGEST = 40;
const PLAIN = /^[a-z0-9_-]+$/;

/** The snapshot of a branch's state. Names that a file system could mix up end with a part of their hash. */
export function branchSnapshot(branch: string): string {
  if (PLAIN.test(branch) && branch.length <= LONGEST) return `branch-${branch}`;
  const plain = branch.replace(/[^A-Za-z0-9_-]/g, "-").slice(0, LONGEST);
  return `branch-${plain}-${createHash("sha256").update(branch).digest("hex").slice(0, 8)}`;
}

/**
 * Brings the state to the branch that is checked out: to the one that it had when it was left, or to a copy of the one that
 * is there. A kill in the middle leaves both whole.
 */
export async function switchBranch(projectFolder: string, { save, restore }: Switching): Promise<Switched> {
  const began = performance.now();
  const branch = checkedOutBranch(projectFolder);
  const from = branchOfState(projectFolder);
  const done = async (): Promise<Unchanged | Begun | Moved> => {
    if (branch === undefined) return { outcome: "no branch" };
    if (branch === from) return { outcome: "same", branch };
    const path = statePaths(projectFolder).branch;
    if (from === undefined || !Cluster.exists(projectFolder)) {
      await writeBranch(path, branch);
      return { outcome: "begun", branch };
    }
    const keep = branchSnapshot(from);
    const own = branchSnapshot(branch);
    const known = listSnapshots(projectFolder).some(({ name }) => name === own);
    const { applied, failed } = known
      ? await restore(own, { keep, branch })
      : await save(keep, () => writeBranch(path, branch));
    return { outcome: known ? "switched" : "forked", branch, from, applied, failed };
  };
  return { ...(await done()), milliseconds: Math.round(performance.now() - began) };
}
