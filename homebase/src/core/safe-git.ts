/** Owns running git in a project that may come from somebody else. */
import { execFileSync } from "node:child_process";

/** What git sets for its hooks, and what would hold for another folder. */
const OF_A_REPOSITORY = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"];

/**
 * Runs git in a folder and returns its output. A monitor program in the repository's settings does not run, and git does not use a
 * bare repository among committed files, whose settings could name other programs.
 */
export function safeGit(folder: string, ...args: string[]): string {
  const safe = ["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "safe.bareRepository=explicit"];
  return execFileSync("git", [...safe, ...args], {
    cwd: folder,
    env: { ...process.env, ...Object.fromEntries(OF_A_REPOSITORY.map((name) => [name, undefined])) },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}
