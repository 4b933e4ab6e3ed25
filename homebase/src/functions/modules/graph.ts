/**
 * Owns finding the modules of a function in the project: those outside the functions' folder are watched too, and a
 * deploy uploads all (docs/compat/functions.md 4, 9).
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { parseJsonc } from "../../core/jsonc.ts";
import type { FunctionDefinition } from "../project-functions.ts";
import { type WorkspacePackage, workspaceModule, workspacePackages } from "./workspace.ts";

/** `import … from "x"`, `export … from "x"`, `import "x"`, `import("x")`. */
const SPECIFIER = /\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g;
/** Of a comment that names where the functions of JSX come from. */
const JSX_SOURCE = /@jsxImportSource\s+(\S+)/g;
const MODULE = /\.[cm]?[jt]sx?$/;

/** The modules of a function in the project. */
export interface ProjectModules {
  /** Absolute paths, the entry first. */
  files: string[];
  /** Its import map, and the one that a deno.json names in its place. */
  maps: string[];
  /** Imported files that are not there. */
  missing: string[];
  /** The specifiers that name a package of the project's workspace. */
  workspace: string[];
}

/**
 * The project files that a function imports, directly or indirectly. Parsed from the text: dynamic imports with a
 * computed name are not found.
 */
export function modulesOf(definition: FunctionDefinition): ProjectModules {
  const maps = importMapsOf(definition);
  const names = importMapOf(maps.at(-1));
  const workspace = workspaceOf(definition);
  const seen = new Set<string>();
  const missing = new Set<string>();
  const named = new Set<string>();
  const ofWorkspace = (specifier: string) => {
    const path = workspaceModule(specifier, workspace);
    if (path !== undefined) named.add(specifier);
    return path;
  };
  const visit = (file: string) => {
    if (seen.has(file)) return;
    if (!existsSync(file)) return void missing.add(file);
    seen.add(file);
    if (!MODULE.test(file)) return;
    for (const [, specifier = ""] of withoutComments(readFileSync(file, "utf8")).matchAll(SPECIFIER)) {
      const path = specifier.startsWith(".")
        ? resolve(dirname(file), specifier)
        : (mapped(specifier, names) ?? ofWorkspace(specifier));
      if (path !== undefined) visit(path);
    }
  };
  visit(definition.entry);
  return { files: [...seen], maps, missing: [...missing], workspace: [...named] };
}

/** The packages of the project that a function may import by name. */
export function workspaceOf({
  importMap,
  packageJson,
}: FunctionDefinition): ReadonlyMap<string, WorkspacePackage> {
  if (importMap?.kind === "config") return workspacePackages(dirname(importMap.path), "deno");
  return packageJson === undefined ? new Map() : workspacePackages(dirname(packageJson), "npm");
}

/** What a function's modules import by an address or from JSR, directly. */
export function remoteImports(definition: FunctionDefinition): string[] {
  const found = new Set<string>();
  for (const file of modulesOf(definition).files.filter((one) => MODULE.test(one))) {
    const source = readFileSync(file, "utf8");
    const imported = [...withoutComments(source).matchAll(SPECIFIER)].map(([, specifier = ""]) => specifier);
    const jsx = [...source.matchAll(JSX_SOURCE)].map(([, specifier]) => `${specifier}/jsx-runtime`);
    for (const specifier of [...imported, ...jsx]) if (/^(https?|jsr):/.test(specifier)) found.add(specifier);
  }
  return [...found];
}

/** Imports in comments are ignored. Strings are skipped as a whole, because URLs contain two slashes. */
function withoutComments(source: string): string {
  return source.replace(/("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "$1");
}

/** An import map; after a deno.json, the file that it names in its place (docs/compat/functions.md 4). */
export function importMapsOf({ importMap }: FunctionDefinition): string[] {
  if (importMap === undefined) return [];
  try {
    const { importMap: named } = parseJsonc(readFileSync(importMap.path, "utf8")) as { importMap?: unknown };
    if (typeof named === "string" && !/^\w+:/.test(named)) {
      return [importMap.path, resolve(dirname(importMap.path), named)];
    }
  } catch {
    // Missing, or no JSON: Deno reports the error.
  }
  return [importMap.path];
}

/** Entries of an import map that map to files: absolute paths by name, folders with a trailing slash. */
function importMapOf(path: string | undefined): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  if (path === undefined) return files;
  try {
    const { imports = {} } = parseJsonc(readFileSync(path, "utf8")) as { imports?: Record<string, string> };
    for (const [name, target] of Object.entries(imports)) {
      if (!target.startsWith(".")) continue;
      files.set(name, resolve(dirname(path), target) + (target.endsWith("/") ? sep : ""));
    }
  } catch {
    // Missing, or no JSON: Deno reports the error, and nothing is watched.
  }
  return files;
}

function mapped(specifier: string, names: ReadonlyMap<string, string>): string | undefined {
  const whole = names.get(specifier);
  if (whole !== undefined) return whole;
  for (const [name, target] of names) {
    if (name.endsWith("/") && specifier.startsWith(name)) return target + specifier.slice(name.length);
  }
  return undefined;
}
