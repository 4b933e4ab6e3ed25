/**
 * Owns converting a `package.json` next to a function's entry to an import map of its dependencies
 * (docs/compat/functions.md 4). Deno itself would search next to its main module, which is generated.
 */
import { readFileSync } from "node:fs";
import { isRecord } from "../core/record.ts";
import { FunctionError } from "./errors.ts";

/** Written to a file for `--import-map`. */
export interface ImportMap {
  imports: Record<string, string>;
}

/**
 * Maps packages of npm and JSR. Dependencies on a folder, an archive or a repository are omitted, so that
 * importing one fails with its name. @throws FunctionError BOOT_ERROR for invalid JSON
 */
export function packageMap(path: string): ImportMap {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new FunctionError("BOOT_ERROR", `${path}: ${(error as Error).message}`);
  }
  const { dependencies, devDependencies } = tableOf(content);
  const imports: Record<string, string> = {};
  for (const [name, wanted] of Object.entries({ ...tableOf(devDependencies), ...tableOf(dependencies) })) {
    const specifier = specifierOf(name, String(wanted));
    if (!specifier) continue;
    imports[name] = specifier;
    // For subpaths: an import map can join a path to "npm:/".
    imports[`${name}/`] = `${specifier.replace(/^(npm|jsr):/, "$1:/")}/`;
  }
  return { imports };
}

function specifierOf(name: string, wanted: string): string | undefined {
  if (/^(npm|jsr):/.test(wanted)) return wanted;
  // An npm range or tag; anything with a colon or a slash is a URL or path.
  return /[:/]/.test(wanted) ? undefined : `npm:${name}@${wanted.trim() || "*"}`;
}

function tableOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
