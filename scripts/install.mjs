/**
 * Owns installing the lock file's dependencies. Runs on the system's Node, so it is JavaScript. npm itself
 * runs on the project's pinned Node, because dependencies may need a newer one than the system's.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";

/**
 * Installs when the lock file has changed since the last time.
 * @param root the repository's folder
 * @param run starts a program on this terminal and resolves to its exit code
 * @returns npm's exit code, 0 when nothing had to be done
 */
export async function installDependencies(root, run) {
  const stamp = join(root, "node_modules", ".installed-lock");
  const lock = readFileSync(join(root, "package-lock.json"), "utf8");
  const lockHash = createHash("sha256").update(lock).digest("hex");
  if (pinnedNode(root) && existsSync(stamp) && readFileSync(stamp, "utf8") === lockHash) return 0;

  console.error("Installing dependencies (once per change of package-lock.json) ...");
  // Outside node_modules: npm ci empties that folder while it runs.
  const folder = mkdtempSync(join(tmpdir(), "nosh-install-"));
  try {
    const code = await installNode(JSON.parse(lock), folder, run);
    if (code !== 0) return code;
    const node = pinnedNode(folder);
    const code2 = await npm(["ci", "--no-audit", "--no-fund"], root, node, run);
    if (code2 !== 0) return code2;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, lockHash);
  return 0;
}

/** The Node that npm installed below a folder. Not `.bin/node`: not every npm links the command. */
export function pinnedNode(folder) {
  return platformPackages()
    .map((name) => join(folder, "node_modules", name, "bin", "node"))
    .find((path) => existsSync(path));
}

function platformPackages() {
  const platform = `${process.platform}-${process.arch}`;
  return [`node-${platform}`, `node-bin-${platform}`];
}

/** Installs only the pinned Node, by its lock entry, so that its checksum is verified. */
async function installNode(lock, folder, run) {
  const name = platformPackages().find((one) => lock.packages[`node_modules/${one}`]);
  // Without one, npm ci runs on the system's Node, and bootstrap reports the supported platforms afterwards.
  if (!name) return 0;
  const entry = { ...lock.packages[`node_modules/${name}`], optional: undefined };
  const dependencies = { [name]: entry.version };
  const own = { name: "nosh-node", version: "1.0.0", dependencies };
  const packages = { "": own, [`node_modules/${name}`]: entry };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...own, private: true }));
  writeFileSync(
    join(folder, "package-lock.json"),
    JSON.stringify({ name: own.name, version: own.version, lockfileVersion: 3, requires: true, packages }),
  );
  return npm(
    ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"],
    folder,
    undefined,
    run,
  );
}

/** Runs npm: the one that started this process if known, else the command. */
function npm(args, cwd, node, run) {
  const script = process.env.npm_execpath;
  const options = { cwd };
  if (!node) return run("npm", args, { ...options, shell: process.platform === "win32" });
  // Install scripts of dependencies run `node` too: put the pinned one first in PATH.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}` };
  if (script && /\.c?js$/.test(script)) return run(node, [script, ...args], { ...options, env });
  return run("npm", args, { ...options, env, shell: process.platform === "win32" });
}
