/**
 * Completes package-lock.json. npm omits an optional package of another platform from the lock when it cannot
 * install it, and `npm ci` then rejects the lock everywhere; and it adds no checksum to packages that it did
 * not download. Run this after every change of dependencies: `npm run complete-lock`.
 */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { exitWithHelp } from "./process.ts";

const HELP = `Usage: npm run complete-lock

Adds to package-lock.json the packages of other platforms that npm has left out, and missing checksums.`;
if (parseArgs({ options: { help: { type: "boolean", short: "h" } } }).values.help) exitWithHelp(HELP);

interface Entry {
  version?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  engines?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** The registry's fields of one version that a lock entry repeats. */
interface Published extends Pick<Entry, "os" | "cpu" | "libc" | "engines"> {
  "dist.integrity"?: string;
}

const AT_ONCE = 6;
const file = join(import.meta.dirname, "..", "package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Entry> };

/** A missing package is added only when its version is exact: resolving a range would need npm itself. */
function addMissing(): number {
  let added = 0;
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const nested = path ? `${path}/node_modules/${name}` : `node_modules/${name}`;
      const hoisted = `node_modules/${name}`;
      if (lock.packages[nested] || lock.packages[hoisted]) continue;
      if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) {
        throw new Error(`${name}@${version} (of ${path || "the project"}) is missing from the lock.`);
      }
      lock.packages[hoisted] = { version, ...(entry.dev ? { dev: true } : {}), optional: true };
      added += 1;
    }
  }
  return added;
}

/** Queries npm for the checksum and the platform of an entry without a checksum. */
async function complete(path: string, entry: Entry): Promise<void> {
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const fields = ["dist.integrity", "os", "cpu", "libc", "engines"];
  const { stdout } = await promisify(execFile)("npm", [
    "view",
    `${name}@${entry.version}`,
    ...fields,
    "--json",
  ]);
  const published = JSON.parse(stdout) as Published;
  const integrity = published["dist.integrity"];
  if (!integrity) throw new Error(`The registry has no checksum for ${name}@${entry.version}.`);
  const { os, cpu, libc, engines } = published;
  const { version, ...rest } = entry;
  lock.packages[path] = {
    ...(version ? { version } : {}),
    ...rest,
    integrity,
    ...(cpu ? { cpu } : {}),
    ...(os ? { os } : {}),
    ...(libc ? { libc: [libc].flat() } : {}),
    ...(engines ? { engines } : {}),
  };
}

const added = addMissing();
const incomplete = Object.entries(lock.packages).filter(
  ([path, entry]) => path.includes("node_modules/") && !entry.link && !entry.integrity,
);
for (let next = 0; next < incomplete.length; next += AT_ONCE) {
  await Promise.all(incomplete.slice(next, next + AT_ONCE).map(([path, entry]) => complete(path, entry)));
}

const sorted = Object.fromEntries(
  Object.entries(lock.packages).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)),
);
writeFileSync(file, `${JSON.stringify({ ...lock, packages: sorted }, null, 2)}\n`);
console.log(`${added} packages of other platforms added, ${incomplete.length} checksums filled in.`);
