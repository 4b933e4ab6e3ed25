/**
 * Owns what a `package.json` beside a function's entry means to it: its dependencies by their bare names, as an
 * import map (docs/compat/functions.md 4). Deno would look for the file beside its main module, which is ours.
 */
import { readFileSync } from "node:fs";
import { isRecord } from "../core/record.ts";
import { FunctionError } from "./errors.ts";

/** As written to a file for `--import-map`. */
export interface ImportMap {
  imports: Record<string, string>;
}

/**
 * Packages of npm and JSR are mapped. What names a folder, an archive or a repository is left out, so that
 * importing it fails with its name.
 * @throws FunctionError BOOT_ERROR when the file is no JSON
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
    // Below a package: "npm:/" is the form that an import map can join a path to.
    imports[`${name}/`] = `${specifier.replace(/^(npm|jsr):/, "$1:/")}/`;
  }
  return { imports };
}

function specifierOf(name: string, wanted: string): string | undefined {
  if (/^(npm|jsr):/.test(wanted)) return wanted;
  // A range or a tag of npm; anything with a colon or a slash is an address.
  return /[:/]/.test(wanted) ? undefined : `npm:${name}@${wanted.trim() || "*"}`;
}

function tableOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
