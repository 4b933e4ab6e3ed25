/**
 * Owns finding the Deno executable (installed by npm next to this package or in the project, or downloaded on
 * demand), and the variables that it reads.
 */
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

/** The variables that Deno reads whenever it makes a client: they are set at its start only. */
export const PROXIES: readonly string[] = ["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap(
  (name) => [name, name.toLowerCase()],
);

/**
 * Absolute path of Deno, from the platform's own package, because the `deno` command is a wrapper that would
 * add a process for each function. @throws when it is not installed.
 */
export function denoExecutable(): string {
  const path = installedDeno() ?? cachedRuntime("deno");
  if (path) return path;
  throw new Error(
    `Deno is not installed for ${process.platform}-${process.arch}. Install it beside Homebase: npm install --save-dev deno`,
  );
}

/**
 * Ensures that Deno is installed. @param onProgress called while it is downloaded, also by an earlier call.
 * @throws RuntimeError
 */
export async function ensureDeno(onProgress?: (text: string) => void): Promise<void> {
  if (installedDeno() || !fetchable("deno")) return;
  if (onProgress && !waiting.has(onProgress)) {
    waiting.add(onProgress);
    if (fetching && latest !== "") onProgress(latest);
  }
  const tell = (text: string) => {
    latest = text;
    for (const one of waiting) one(text);
  };
  fetching ??= fetchRuntime("deno", tell).finally(() => {
    fetching = undefined;
    waiting.clear();
  });
  await fetching;
}

let fetching: Promise<string> | undefined;
let latest = "";
const waiting = new Set<(text: string) => void>();

let installed: string | undefined;

/** Found once: each call of a function asks. */
function installedDeno(): string | undefined {
  installed ??= findDeno();
  return installed;
}

function findDeno(): string | undefined {
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
