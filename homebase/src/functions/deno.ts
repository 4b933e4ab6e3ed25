/** Owns finding the Deno executable that npm installed. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const PLATFORMS: Record<string, string> = {
  "linux-x64": "@deno/linux-x64-glibc",
  "linux-arm64": "@deno/linux-arm64-glibc",
  "darwin-x64": "@deno/darwin-x64",
  "darwin-arm64": "@deno/darwin-arm64",
};

/**
 * Absolute path of Deno. The platform's own package is asked, not the `deno` command, whose wrapper would
 * be one more process for each function.
 * @throws when it is not installed.
 */
export function denoExecutable(): string {
  const name = PLATFORMS[`${process.platform}-${process.arch}`];
  if (name) {
    try {
      const fromDeno = createRequire(createRequire(import.meta.url).resolve("deno/package.json"));
      const path = join(dirname(fromDeno.resolve(`${name}/package.json`)), "deno");
      if (existsSync(path)) return path;
    } catch {
      // Not installed; said below.
    }
  }
  throw new Error(
    `Deno is not installed for ${process.platform}-${process.arch}: run npm install without --omit=optional.`,
  );
}
