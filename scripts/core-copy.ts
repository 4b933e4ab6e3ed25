/** Owns a copy of the repository without any wing of Homebase, and which tests are the core's own. */
import { execFileSync } from "node:child_process";
import {
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

/** The tests of Homebase that name no wing, nor the folder. Paths from the repository's root. */
export function coreTests(): string[] {
  return globSync("homebase/test/**/*.test.ts", { cwd: root })
    .filter((path) => !/\bwings?\b/.test(readFileSync(join(root, path), "utf8")))
    .sort();
}

/** The files of git in a temporary folder, with the same packages and an empty list of wings. */
export function copyWithoutWings(): { folder: string } & AsyncDisposable {
  const folder = mkdtempSync(join(tmpdir(), "homebase-core-"));
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
