/** Git's index is read as git writes it, in each of its versions. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { trackedPaths } from "../../src/postgres/cluster/git-index.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function repository(
  paths: readonly string[],
  ...options: string[]
): { git(...args: string[]): string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "homebase-index-"));
  folders.push(folder);
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: folder, encoding: "latin1", stdio: "pipe" });
  git("init", "-q", ...options);
  for (const path of paths) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), path);
  }
  git("add", ".");
  return { git, folder };
}

// An entry's path comes after its length: 46 is a dot, so that this one reads ".homebase/" in the bytes.
const DOTTED = `homebase/${"x".repeat(46 - "homebase/".length)}`;
const PATHS = [".homebase/a", DOTTED, `${"a/very/long/path/of/folders/".repeat(8)}b`, "é/ü"];
const listed = (git: (...args: string[]) => string) =>
  git("ls-files", "-z").split("\0").filter(Boolean).sort();

test.for([2, 3, 4])("version %i", (version) => {
  const { git, folder } = repository(PATHS);
  // An intended entry has extended flags, which only versions from 3 have.
  if (version > 2) {
    writeFileSync(join(folder, "later"), "");
    git("add", "-N", "later");
  }
  git("update-index", "--index-version", String(version));
  expect(trackedPaths(join(folder, ".git")).sort()).toEqual(listed(git));
});

test("a repository of SHA-256, and a split index", () => {
  const other = repository(PATHS, "--object-format=sha256");
  expect(trackedPaths(join(other.folder, ".git")).sort()).toEqual(listed(other.git));
  const { git, folder } = repository(PATHS);
  git("update-index", "--split-index");
  expect(trackedPaths(join(folder, ".git"))).toEqual(expect.arrayContaining(listed(git)));
});

test("a linked worktree's own index, and no repository", () => {
  const { git, folder } = repository(PATHS);
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "one");
  const tree = `${folder}-tree`;
  folders.push(tree);
  git("worktree", "add", "-q", tree);
  const [, place = ""] = /^gitdir: (.+)$/m.exec(readFileSync(join(tree, ".git"), "utf8")) ?? [];
  expect(trackedPaths(place).sort()).toEqual(listed(git));
  expect(trackedPaths(join(folder, "absent"))).toEqual([]);
});

test("an index that cannot be read is an error, not an empty one", () => {
  const { folder } = repository(PATHS);
  writeFileSync(join(folder, ".git/index"), "DIRC\0\0\0\u0009broken bytes");
  expect(() => trackedPaths(join(folder, ".git"))).toThrow();
});

test("a path of 46 bytes is not taken for one that begins with a dot", () => {
  const { folder } = repository([DOTTED]);
  expect(trackedPaths(join(folder, ".git"))).toEqual([DOTTED]);
});
