/**
 * Owns which files of the project a function is made of, as far as they lie outside the functions' folder:
 * they are watched too (docs/compat/functions.md 4).
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import type { FunctionDefinition } from "./catalog.ts";

/** `import … from "x"`, `export … from "x"`, `import "x"`, `import("x")`. */
const SPECIFIER = /\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g;
const MODULE = /\.[cm]?[jt]sx?$/;

/**
 * Absolute paths of the modules outside `folder` that a function imports, directly or through others. Read
 * from their text: what is imported by a computed name is not found.
 */
export function importsOutside(definition: FunctionDefinition, folder: string): string[] {
  return modulesOf(definition).files.filter((file) => !file.startsWith(folder + sep));
}

/** The project's files that a function imports, its entry first, and those that are not there. Absolute paths. */
export function modulesOf(definition: FunctionDefinition): { files: string[]; missing: string[] } {
  const names = importMapOf(definition.importMap?.path);
  const seen = new Set<string>();
  const missing = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    if (!existsSync(file)) return void missing.add(file);
    seen.add(file);
    if (!MODULE.test(file)) return;
    for (const [, specifier = ""] of withoutComments(readFileSync(file, "utf8")).matchAll(SPECIFIER)) {
      const path = specifier.startsWith(".") ? resolve(dirname(file), specifier) : mapped(specifier, names);
      if (path !== undefined) visit(path);
    }
  };
  visit(definition.entry);
  return { files: [...seen], missing: [...missing] };
}

/** What a function's modules import by an address or from JSR, directly. */
export function remoteImports(definition: FunctionDefinition): string[] {
  const found = new Set<string>();
  for (const file of modulesOf(definition).files.filter((one) => MODULE.test(one))) {
    for (const [, specifier = ""] of withoutComments(readFileSync(file, "utf8")).matchAll(SPECIFIER)) {
      if (/^(https?|jsr):/.test(specifier)) found.add(specifier);
    }
  }
  return [...found];
}

/** An import in a comment is none. Strings are passed over whole: an address in one holds two slashes. */
function withoutComments(source: string): string {
  return source.replace(/("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "$1");
}

/** Names of an import map that stand for files: absolute paths by name, folders with the slash at their end. */
function importMapOf(path: string | undefined): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  if (path === undefined) return files;
  try {
    const { imports = {} } = JSON.parse(readFileSync(path, "utf8")) as { imports?: Record<string, string> };
    for (const [name, target] of Object.entries(imports)) {
      if (!target.startsWith(".")) continue;
      files.set(name, resolve(dirname(path), target) + (target.endsWith("/") ? sep : ""));
    }
  } catch {
    // Not there, or with comments: Deno says what is wrong with it, and nothing is watched for it.
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
