/**
 * Puts the platform packages that npm left out back into package-lock.json. npm drops an optional package
 * from the lock when it cannot be had where the lock is made, and `npm ci` then refuses the lock
 * everywhere. Run it after every change of dependencies: `node scripts/complete-lock.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Entry {
  version?: string;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const file = join(import.meta.dirname, "..", "package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Entry> };

const SYSTEMS: Record<string, string> = {
  android: "android",
  darwin: "darwin",
  freebsd: "freebsd",
  linux: "linux",
  netbsd: "netbsd",
  openbsd: "openbsd",
  openharmony: "openharmony",
  sunos: "sunos",
  aix: "aix",
  win32: "win32",
  windows: "win32",
  wasm32: "",
};
const PROCESSORS = [
  "x64",
  "arm64",
  "arm",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "ppc64le",
  "riscv64",
  "s390x",
];

/** What a platform package's name says of where it belongs. */
function platformOf(name: string): Pick<Entry, "os" | "cpu" | "libc"> {
  const words = name.split("/").pop()?.split(/[-_.]/) ?? [];
  const os = words.map((word) => SYSTEMS[word]).find((system) => system !== undefined);
  const cpu = words.find((word) => PROCESSORS.includes(word));
  const libc = words.includes("musl") || words.includes("linuxmusl") ? "musl" : undefined;
  return {
    ...(cpu ? { cpu: [cpu] } : words.includes("wasm32") ? { cpu: ["wasm32"] } : {}),
    ...(os ? { os: [os] } : words.includes("linuxmusl") ? { os: ["linux"] } : {}),
    ...(libc ? { libc: [libc] } : {}),
  };
}

let added = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    const nested = path ? `${path}/node_modules/${name}` : `node_modules/${name}`;
    const hoisted = `node_modules/${name}`;
    if (lock.packages[nested] || lock.packages[hoisted]) continue;
    const platform = platformOf(name);
    if (!/^\d+\.\d+\.\d+/.test(range) || Object.keys(platform).length === 0) {
      console.error(
        `${name}@${range} (of ${path || "the project"}) is not in the lock, and no platform package.`,
      );
      continue;
    }
    lock.packages[hoisted] = {
      version: range,
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
      ...platform,
    };
    added += 1;
  }
}

const sorted = Object.fromEntries(
  Object.entries(lock.packages).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)),
);
writeFileSync(file, `${JSON.stringify({ ...lock, packages: sorted }, null, 2)}\n`);
console.log(`${added} packages of other platforms put back.`);
