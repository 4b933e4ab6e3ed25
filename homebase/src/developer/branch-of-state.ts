/** Owns which git branch the state belongs to, where a developer keeps one for each branch (docs/snapshots.md). */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { safeGit } from "../core/safe-git.ts";
import { readStart } from "../core/untrusted-files.ts";
import { UserError } from "../core/user-error.ts";
import { replaceFile, statePaths } from "./state-swap.ts";

/** The state belongs to another branch than the one that is checked out: nothing of this one is applied to it. */
export class OtherBranch extends UserError {}

const MOST_BYTES = 1_000;
/** What is there while a branch is not simply checked out. */
const UNDER_WAY = ["rebase-merge", "rebase-apply", "BISECT_LOG"];

/** The branch that the state belongs to; undefined where nobody keeps states by branch. */
export function branchOfState(projectFolder: string): string | undefined {
  const { branch } = statePaths(projectFolder);
  return existsSync(branch)
    ? readStart(branch, MOST_BYTES).replaceAll("\0", "").trim() || undefined
    : undefined;
}

/** The branch that is checked out; undefined for a commit without one, in a rebase or bisect, and outside of git. */
export function checkedOutBranch(projectFolder: string): string | undefined {
  try {
    const branch = safeGit(projectFolder, "symbolic-ref", "--quiet", "--short", "HEAD").trim();
    const paths = safeGit(
      projectFolder,
      "rev-parse",
      ...UNDER_WAY.flatMap((name) => ["--git-path", name]),
    ).trim();
    return paths.split("\n").some((path) => existsSync(resolve(projectFolder, path))) ? undefined : branch;
  } catch {
    return undefined;
  }
}

/** @throws OtherBranch */
export function requireOwnBranch(projectFolder: string): void {
  const own = branchOfState(projectFolder);
  if (own === undefined) return;
  const branch = checkedOutBranch(projectFolder);
  if (branch === own) return;
  throw new OtherBranch(
    branch === undefined
      ? `The local data is that of branch ${own}, and git has no branch checked out, or a rebase or bisect goes on. No migration is applied to it meanwhile.`
      : `The local data is that of branch ${own}, and git has ${branch} checked out. No migration is applied to it. Switch the data too: homebase snapshot branch`,
  );
}

/** @param path of the state's own, or of the one that is prepared */
export const writeBranch = (path: string, branch: string) => replaceFile(path, `${branch}\n`);
