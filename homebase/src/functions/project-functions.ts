/**
 * Owns finding a project's functions and the inputs of each: entry file, import map, secrets
 * (docs/compat/functions.md 3 and 4). Read at each start of a worker, because files may change.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { parseDotenv } from "../config/dotenv.ts";
import { linkThatLeaves } from "../config/project-paths.ts";
import type { FunctionConfig } from "../config/schema.ts";
import type { Log } from "../core/log.ts";

/** Names that the platform accepts. This excludes folders such as `_shared`. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** A function's definition for its worker. */
export interface FunctionDefinition {
  name: string;
  /** Absolute path of the entry file. */
  entry: string;
  verifyJwt: boolean;
  /** `deno.json` or import map, absolute; undefined when the function has none. */
  importMap:
    | { kind: "config" | "import-map"; path: string; deprecated?: boolean; shared?: boolean }
    | undefined;
  /** A `package.json` next to the entry, absolute; used only without an import map. */
  packageJson: string | undefined;
  /** Folders of its `static_files`, absolute: it may read deployed files. */
  staticFolders: string[];
}

/** The folder of all functions. */
export function functionsFolder(config: Config): string {
  return join(config.supabaseFolder, "functions");
}

export function isFunctionName(name: string): boolean {
  return NAME.test(name);
}

/** The entry file of a function whose section names no other. */
export function functionFile(config: Config, name: string): string {
  return join(functionsFolder(config), name, "index.ts");
}

/** Finds a function by name; undefined when it does not exist or is disabled. */
export function findFunction(config: Config, name: string): FunctionDefinition | undefined {
  if (!NAME.test(name)) return undefined;
  const declared: FunctionConfig | undefined = Object.hasOwn(config.functions, name)
    ? config.functions[name]
    : undefined;
  if (declared?.enabled === false) return undefined;
  const entry = declared?.entrypoint
    ? resolve(config.supabaseFolder, declared.entrypoint)
    : functionFile(config, name);
  if (!existsSync(entry)) return undefined;
  const packageJson = join(dirname(entry), "package.json");
  const ownPackage = existsSync(packageJson);
  const found = findImportMap(config, declared, entry);
  const importMap = found?.shared && ownPackage ? undefined : found;
  return {
    name,
    entry,
    verifyJwt: declared?.verify_jwt ?? true,
    importMap,
    packageJson: !importMap && ownPackage ? packageJson : undefined,
    staticFolders: (declared?.static_files ?? []).map((pattern) => staticFolder(config, pattern)),
  };
}

/** The folder that contains every possible match of a pattern. */
function staticFolder(config: Config, pattern: string): string {
  const fixed = /^[^*?[{]*/.exec(pattern)?.[0] ?? "";
  const path = resolve(config.supabaseFolder, fixed);
  return fixed.endsWith("/") ? path : dirname(path);
}

/** Names of all served functions. */
export function listFunctions(config: Config): string[] {
  const folder = functionsFolder(config);
  const found = existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((item) => item.isDirectory())
        .map((item) => item.name)
    : [];
  const names = new Set([...found, ...Object.keys(config.functions)]);
  return [...names].filter((name) => findFunction(config, name)).sort();
}

/**
 * The first existing file applies, in the platform's order; a function inherits none but the folder's deno.json, which
 * a deploy does not take.
 */
function findImportMap(
  config: Config,
  declared: FunctionConfig | undefined,
  entry: string,
): FunctionDefinition["importMap"] {
  const kindOf = (path: string) =>
    (/deno\.jsonc?$/.test(path) ? "config" : "import-map") as "config" | "import-map";
  if (declared?.import_map) {
    const path = resolve(config.supabaseFolder, declared.import_map);
    return { kind: kindOf(path), path };
  }
  const beside = dirname(entry);
  const candidates = [
    join(beside, "deno.json"),
    join(beside, "deno.jsonc"),
    join(beside, "import_map.json"),
    join(functionsFolder(config), "import_map.json"),
    join(functionsFolder(config), "deno.json"),
    join(functionsFolder(config), "deno.jsonc"),
  ];
  const path = candidates.find((candidate) => existsSync(candidate));
  if (!path) return undefined;
  const kind = kindOf(path);
  const shared = kind === "config" && dirname(path) === functionsFolder(config);
  return { kind, path, deprecated: kind === "import-map", ...(shared ? { shared } : {}) };
}

/**
 * A function's secrets: `[edge_runtime.secrets]`, then `supabase/functions/.env`, then a `.env` next to its
 * entry. The platform's reserved names are skipped with a warning.
 */
export function readSecrets(config: Config, { entry }: FunctionDefinition, log: Log): Record<string, string> {
  const files = new Set([join(functionsFolder(config), ".env"), join(dirname(entry), ".env")]);
  const secrets: Record<string, string> = {};
  for (const [name, value] of Object.entries(config.edge_runtime.secrets)) {
    // An unresolved `env(NAME)` is omitted rather than passed on as text.
    if (!/^env\(.+\)$/.test(value)) secrets[name] = value;
  }
  for (const file of files) {
    const leaving = linkThatLeaves(dirname(config.supabaseFolder), file);
    if (leaving) log.warn(`${leaving}.`);
    else if (existsSync(file))
      Object.assign(secrets, parseDotenv(readFileSync(file, "utf8"), config.environment));
  }
  for (const name of Object.keys(secrets)) {
    if (!name.startsWith("SUPABASE_")) continue;
    log.warn(`Env name cannot start with SUPABASE_, skipping: ${name}`);
    delete secrets[name];
  }
  return secrets;
}
