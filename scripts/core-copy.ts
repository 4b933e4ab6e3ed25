/** Owns a copy of the repository without any wing of Homebase, and which tests are the core's own. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "./process.ts";

const LIST = "homebase/wings/index.ts";

const IMPORTED = / from "(\.[^"]+\.ts)"/g;

/** The tests of Homebase that name no wing and import none, nor do their helpers. Paths from the repository's root. */
export function coreTests(): string[] {
  return globSync("homebase/test/**/*.test.ts", { cwd: root })
    .filter((path) => {
      const words = readFileSync(join(root, path), "utf8").replaceAll(IMPORTED, "");
      return !/\bwings?\b/.test(words) && !importsWing(path);
    })
    .sort();
}

/** Whether a file of tests, or one that it imports from there, imports more of the wings than their list. */
function importsWing(path: string, seen = new Set<string>()): boolean {
  if (path.startsWith("homebase/wings/")) return path !== LIST;
  if (seen.has(path) || !path.startsWith("homebase/test/") || !existsSync(join(root, path))) return false;
  seen.add(path);
  const imported = [...readFileSync(join(root, path), "utf8").matchAll(IMPORTED)];
  return imported.some(([, to = ""]) => importsWing(join(dirname(path), to), seen));
}

/** The files of git in a temporary folder, with the same packages and an empty list of wings. */
export function copyWithoutWings(): { folder: string } & AsyncDisposable {
  const folder = mkdtempSync(join(tmpdir(), "homebase-core-"));
  // Some tests run its command as another user.
  chmodSync(folder, 0o755);
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const path of listed.split("\0").filter((one) => one && existsSync(join(root, one)))) {
    if (path.startsWith("homebase/wings/") && path !== LIST) continue;
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    cpSync(join(root, path), join(folder, path), { verbatimSymlinks: true });
  }
  writeFileSync(
    join(folder, LIST),
    'import type { Wing } from "../src/cli/wing.ts";\n\nexport const wings: readonly Wing[] = [];\n',
  );
  for (const path of ["node_modules", "homebase/node_modules", "web/node_modules"])
    if (existsSync(join(root, path))) symlinkSync(join(root, path), join(folder, path), "dir");
  return {
    folder,
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
