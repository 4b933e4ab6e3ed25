/** Owns finding the Deno executable: what npm installed beside us or in the project, or what is fetched when needed. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { cachedRuntime, fetchable, fetchRuntime } from "../core/runtime.ts";

const PLATFORMS: Record<string, string> = {
  "linux-x64": "@deno/linux-x64-glibc",
  "linux-arm64": "@deno/linux-arm64-glibc",
  "darwin-x64": "@deno/darwin-x64",
  "darwin-arm64": "@deno/darwin-arm64",
};

/**
 * Absolute path of Deno. The platform's own package is asked, not the `deno` command, whose wrapper would
 * be one more process for each function.
 * @throws when it is not there.
 */
export function denoExecutable(): string {
  const path = installedDeno() ?? cachedRuntime("deno");
  if (path) return path;
  throw new Error(
    `Deno is not installed for ${process.platform}-${process.arch}. Install it beside Homebase: npm install --save-dev deno`,
  );
}

/**
 * Makes sure that Deno is there.
 * @param onProgress told when it has to be fetched.
 * @throws RuntimeError
 */
export async function ensureDeno(onProgress: (text: string) => void): Promise<void> {
  if (installedDeno() || !fetchable("deno")) return;
  fetching ??= fetchRuntime("deno", onProgress).finally(() => {
    fetching = undefined;
  });
  await fetching;
}

let fetching: Promise<string> | undefined;

function installedDeno(): string | undefined {
  const name = PLATFORMS[`${process.platform}-${process.arch}`];
  if (!name) return undefined;
  try {
    const fromDeno = createRequire(createRequire(import.meta.url).resolve("deno/package.json"));
    const path = join(dirname(fromDeno.resolve(`${name}/package.json`)), "deno");
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
