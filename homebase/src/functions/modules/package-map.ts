/**
 * Owns converting a `package.json` next to a function's entry to an import map of its dependencies
 * (docs/compat/functions.md 4). Deno itself would search next to its main module, which is generated.
 */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { recordOf } from "../../core/record.ts";
import { FunctionError } from "../errors.ts";
import { type WorkspacePackage, workspacePackages } from "./workspace.ts";

/** Written to a file for `--import-map`. */
export interface ImportMap {
  imports: Record<string, string>;
  /** The dependencies of workspace packages, by their folder's address. */
  scopes?: Record<string, Record<string, string>>;
}

/**
 * Maps packages of npm, JSR and the npm workspace that the file is below. Dependencies on any other folder, an archive
 * or a repository are omitted, so that importing one fails with its name. @throws FunctionError BOOT_ERROR for invalid
 * JSON
 */
export function packageMap(path: string): ImportMap {
  const workspace = workspacePackages(dirname(path), "npm");
  const scopes: Record<string, Record<string, string>> = {};
  /** The dependencies of one package; those of workspace packages that it uses become scopes. */
  const mapOf = (manifest: string): Record<string, string> => {
    const imports: Record<string, string> = {};
    for (const [name, wanted] of dependenciesOf(manifest)) {
      const own = workspace.get(name);
      if (own && !/^(npm|jsr|https?|git):/.test(wanted)) {
        Object.assign(imports, workspaceImports(own));
        const scope = addressOf(own.folder);
        if (own.packageJson === undefined || scope in scopes) continue;
        scopes[scope] = {};
        Object.assign(scopes[scope], mapOf(own.packageJson));
        continue;
      }
      const specifier = specifierOf(name, wanted);
      if (!specifier) continue;
      imports[name] = specifier;
      // For subpaths: an import map can join a path to "npm:/".
      imports[`${name}/`] = `${specifier.replace(/^(npm|jsr):/, "$1:/")}/`;
    }
    return imports;
  };
  const imports = mapOf(path);
  return { imports, ...(Object.keys(scopes).length > 0 ? { scopes } : {}) };
}

/** Whether a package.json says that the files beside it are CommonJS. @throws FunctionError BOOT_ERROR for invalid JSON */
export function isCommonJs(path: string): boolean {
  return manifestOf(path).type === "commonjs";
}

function manifestOf(path: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw new FunctionError("BOOT_ERROR", `${path}: ${(error as Error).message}`);
  }
}

function dependenciesOf(path: string): [name: string, wanted: string][] {
  const { dependencies, devDependencies } = manifestOf(path);
  const all = Object.entries({ ...recordOf(devDependencies), ...recordOf(dependencies) });
  return all.map(([name, wanted]) => [name, String(wanted)]);
}

function workspaceImports({ name, folder, modules, open }: WorkspacePackage): Record<string, string> {
  const imports: Record<string, string> = {};
  for (const [specifier, file] of modules) imports[specifier] = pathToFileURL(file).href;
  if (open) imports[`${name}/`] = addressOf(folder);
  return imports;
}

/** A folder's address, with the slash that an import map needs. */
function addressOf(folder: string): string {
  return `${pathToFileURL(folder).href}/`;
}

function specifierOf(name: string, wanted: string): string | undefined {
  if (/^(npm|jsr):/.test(wanted)) return wanted;
  // An npm range or tag; anything with a colon or a slash is a URL or path.
  return /[:/]/.test(wanted) ? undefined : `npm:${name}@${wanted.trim() || "*"}`;
}
