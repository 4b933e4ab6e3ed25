/** Owns installing the lock file's dependencies. Runs on the system's Node, so it is JavaScript. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/**
 * Installs when the lock file has changed since the last time. Packages that ask for a newer Node than the system's
 * run on the pinned one later, so npm's warnings about them (of level `warn`) are left out.
 * @param root the repository's folder
 * @param run starts a program on this terminal and resolves to its exit code
 * @returns npm's exit code, 0 when nothing had to be done
 */
export async function installDependencies(root, run) {
  const stamp = join(root, "node_modules", ".installed-lock");
  const lock = readFileSync(join(root, "package-lock.json"));
  const lockHash = createHash("sha256").update(lock).digest("hex");
  if (pinnedNode(root) && existsSync(stamp) && readFileSync(stamp, "utf8") === lockHash) return 0;

  console.error("Installing dependencies (once per change of package-lock.json) ...");
  const args = ["ci", "--no-audit", "--no-fund", "--no-engine-strict", "--loglevel=error"];
  const code = await run("npm", args, { shell: process.platform === "win32" });
  if (code === 0) writeFileSync(stamp, lockHash);
  return code;
}

/** The Node that npm installed below a folder. Not `.bin/node`: not every npm links the command. */
export function pinnedNode(folder) {
  const platform = `${process.platform}-${process.arch}`;
  return [`node-${platform}`, `node-bin-${platform}`]
    .map((name) => join(folder, "node_modules", name, "bin", "node"))
    .find((path) => existsSync(path));
}
