/**
 * Owns the programs that are too large for every install: Node for machines with an older one, and Deno for
 * projects with functions. npm downloads each on first use, verified against the checksum that this package
 * was built with, into a cache shared by all projects. The launcher loads this file on Node 20, so it uses no
 * newer features.
 */
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The programs that this package may download; the build writes them to its package.json. */
export interface Runtime {
  version: string;
  /** By platform and architecture, e.g. `linux-x64`. */
  packages: Record<string, { name: string; integrity: string; executable: string }>;
}

export type RuntimeName = "node" | "deno";

/** A required program is not available; the message says why and lists alternatives. */
export class RuntimeError extends Error {}

const MANIFEST = join(import.meta.dirname, "..", "..", "package.json");
/** Settings of a parent npm that would install the packages elsewhere. */
const FOREIGN_SETTINGS =
  /^npm_config_(global|prefix|local_prefix|workspaces?|omit|include|only|package|call|dry_run)$/i;

/** The executable in the cache; undefined when it has not been downloaded. */
export function cachedRuntime(name: RuntimeName): string | undefined {
  const wanted = lookUp(name);
  const path = wanted && join(wanted.folder, "node_modules", wanted.package.name, wanted.package.executable);
  return path && existsSync(path) ? path : undefined;
}

/** Whether this installation can download the program for this machine. */
export function fetchable(name: RuntimeName): boolean {
  return lookUp(name) !== undefined;
}

/** Downloads the program with npm, unless the cache has it. @returns the executable. @throws RuntimeError */
export async function fetchRuntime(name: RuntimeName, onProgress: (text: string) => void): Promise<string> {
  const cached = cachedRuntime(name);
  if (cached) return cached;
  const wanted = lookUp(name);
  const platform = `${process.platform}-${process.arch}`;
  if (!wanted) throw new RuntimeError(`There is no npm package of ${name} for ${platform}.`);
  const { folder, version, package: found } = wanted;
  onProgress(`Fetching ${name} ${version} from npm (once for this machine)`);
  mkdirSync(cacheFolder(), { recursive: true, mode: 0o700 });
  const making = mkdtempSync(`${folder}-`);
  try {
    writeLock(making, found.name, version, found.integrity);
    await npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"], making).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") {
          throw new RuntimeError(
            `${found.name}@${version} is fetched with npm, and there is no npm in PATH. Install npm, or add its folder to PATH.`,
          );
        }
        throw new RuntimeError(
          `npm could not fetch ${found.name}@${version}: ${error.message}\n` +
            `Without a connection, install it beforehand: npm install --save-dev ${name === "deno" ? "deno" : found.name}@${version}`,
        );
      },
    );
    const own = join(making, "node_modules", found.name);
    // Headers and manuals, a third of the package; nothing here is compiled.
    for (const part of ["include", "share"]) rmSync(join(own, part), { recursive: true, force: true });
    chmodSync(join(own, found.executable), 0o755);
    renameSync(making, folder);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    // Another process may have been faster.
    const other = cachedRuntime(name);
    if (!other) throw error;
  }
  return join(folder, "node_modules", found.name, found.executable);
}

function lookUp(name: RuntimeName) {
  const { runtimes } = JSON.parse(readFileSync(MANIFEST, "utf8")) as {
    runtimes?: Partial<Record<RuntimeName, Runtime>>;
  };
  const platform = `${process.platform}-${process.arch}`;
  const runtime = runtimes?.[name];
  const found = runtime?.packages[platform];
  if (!runtime || !found) return undefined;
  const folder = join(cacheFolder(), `${name}-${runtime.version}-${platform}`);
  return { folder, version: runtime.version, package: found };
}

/** `HOMEBASE_CACHE`, or this user's cache folder. */
export function cacheFolder(): string {
  const { HOMEBASE_CACHE: own, XDG_CACHE_HOME: shared } = process.env;
  if (own) return own;
  if (shared) return join(shared, "homebase-stack");
  const usual = process.platform === "darwin" ? ["Library", "Caches"] : [".cache"];
  return join(homedir(), ...usual, "homebase-stack");
}

/** A project of one package with its checksum: `npm ci` rejects any other content. */
function writeLock(folder: string, name: string, version: string, integrity: string): void {
  const root = { name: "homebase-runtime", version: "1.0.0", dependencies: { [name]: version } };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...root, private: true }));
  const packages = { "": root, [`node_modules/${name}`]: { version, integrity } };
  writeFileSync(
    join(folder, "package-lock.json"),
    JSON.stringify({ name: root.name, version: root.version, lockfileVersion: 3, requires: true, packages }),
  );
}

function npm(args: string[], cwd: string): Promise<void> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !FOREIGN_SETTINGS.test(key)));
  return new Promise((resolve, reject) => {
    const child = spawn("npm", args, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
    let words = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      words += text;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) return resolve();
      const errors = words.split("\n").filter((line) => line.startsWith("npm error"));
      reject(new Error(errors.slice(0, 4).join("\n") || words.trim() || `exit code ${code}`));
    });
  });
}
