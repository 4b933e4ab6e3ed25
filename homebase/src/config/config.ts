/**
 * Owns the way from a project's `supabase/` folder to a typed Config: finding the file, `env(NAME)`,
 * dotenv files, `SUPABASE_<SECTION>_<KEY>` overrides, renamed keys, warnings for unknown ones
 * (docs/compat/platform.md 3.3).
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import { z } from "zod";
import { parseDotenv } from "./dotenv.ts";
import { type ConfigFile, configSchema } from "./schema.ts";

/** A project's configuration, checked and complete. */
export interface Config extends ConfigFile {
  /** The folder that holds `supabase/`. Absolute. */
  readonly projectFolder: string;
  /** `supabase/` itself. Paths in the file are relative to it. Absolute. */
  readonly supabaseFolder: string;
  /** Things worth telling the developer: unknown keys, unresolved `env()`. */
  readonly warnings: readonly string[];
  /** What `env()` and functions' secrets may draw on: process environment over dotenv files. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether functions run with an inspector, from `edge_runtime.inspector_port` on. */
  readonly inspectFunctions?: boolean;
}

/** A configuration that cannot be used; the message names file and key. */
export class ConfigError extends Error {}

export interface LoadOptions {
  /** Where to begin looking for `supabase/config.toml`; its parents are searched too. */
  from: string;
  environment?: Record<string, string | undefined>;
}

/** Sections of the CLI's template that mean nothing here and deserve no warning. */
const IGNORED_SECTIONS = new Set([
  "analytics",
  "remotes",
  "inbucket",
  "workdir",
  "api.tls",
  "db.pooler",
  "db.network_restrictions",
  "db.ssl_enforcement",
  "db.health_timeout",
  "db.root_key",
  "storage.analytics",
  "storage.vector",
  "edge_runtime.deno_version",
  "realtime.ip_version",
  "realtime.max_header_length",
]);

/**
 * Finds and reads the project's configuration. A folder without `supabase/config.toml` gets defaults.
 * @throws ConfigError for bad TOML, a wrong type, or a value out of range.
 */
export function loadConfig({ from, environment: given = process.env }: LoadOptions): Config {
  const projectFolder = findProject(from, given);
  const supabaseFolder = join(projectFolder, "supabase");
  const environment = readEnvironment(projectFolder, supabaseFolder, given);
  const warnings: string[] = [];
  const raw = readFile(supabaseFolder);
  rename(raw);
  override(raw, given);
  substitute(raw, environment, warnings, "");
  warnUnknown(raw, configSchema, "", warnings);
  const parsed = configSchema.safeParse(raw);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
    throw new ConfigError(`supabase/config.toml cannot be used:\n${issues.join("\n")}`);
  }
  return { ...parsed.data, projectFolder, supabaseFolder, warnings, environment };
}

function findProject(from: string, environment: Record<string, string | undefined>): string {
  const exact = environment.SUPABASE_WORKDIR;
  if (exact) return resolve(exact);
  const start = resolve(from);
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "supabase", "config.toml"))) return folder;
    if (folder === dirname(folder)) return start;
  }
}

type Tree = Record<string, unknown>;

function readFile(supabaseFolder: string): Tree {
  const file = join(supabaseFolder, "config.toml");
  if (!existsSync(file)) return {};
  try {
    return parseToml(readFileSync(file, "utf8")) as Tree;
  } catch (error) {
    if (error instanceof TomlError)
      throw new ConfigError(`supabase/config.toml is not valid TOML: ${error.message}`);
    throw error;
  }
}

/** Process environment beats files; the more specific file wins; `supabase/` beats the root. */
function readEnvironment(
  projectFolder: string,
  supabaseFolder: string,
  given: Record<string, string | undefined>,
): Record<string, string> {
  const mode = given.SUPABASE_ENV ?? "development";
  const names = [".env", ...(mode === "test" ? [] : [".env.local"]), `.env.${mode}`, `.env.${mode}.local`];
  const values: Record<string, string> = {};
  for (const folder of [projectFolder, supabaseFolder]) {
    for (const name of names) {
      const file = join(folder, name);
      if (existsSync(file))
        Object.assign(values, parseDotenv(readFileSync(file, "utf8"), { ...values, ...given }));
    }
  }
  for (const [name, value] of Object.entries(given)) if (value !== undefined) values[name] = value;
  return values;
}

/** Older and newer names of the same key. */
function rename(raw: Tree): void {
  if (isTree(raw.inbucket) && raw.local_smtp === undefined) raw.local_smtp = raw.inbucket;
}

/** `SUPABASE_API_MAX_ROWS=7` sets `api.max_rows`; only keys that the schema knows are looked for. */
function override(raw: Tree, environment: Record<string, string | undefined>): void {
  const walk = (schema: z.ZodType, path: string[]): void => {
    const shape = shapeOf(schema);
    if (shape) {
      for (const [key, inner] of Object.entries(shape)) walk(inner, [...path, key]);
      return;
    }
    const value = environment[`SUPABASE_${path.join("_").toUpperCase()}`];
    if (value === undefined || path.length < 2) return;
    let node = raw;
    for (const key of path.slice(0, -1)) {
      if (!isTree(node[key])) node[key] = {};
      node = node[key] as Tree;
    }
    node[path[path.length - 1] ?? ""] = coerce(value, schema);
  };
  walk(configSchema, []);
}

function coerce(value: string, schema: z.ZodType): unknown {
  if (schema.safeParse(value).success) return value;
  if (value !== "" && !Number.isNaN(Number(value)) && schema.safeParse(Number(value)).success)
    return Number(value);
  if (/^(1|t|true)$/i.test(value)) return true;
  if (/^(0|f|false)$/i.test(value)) return false;
  return value.split(",").map((part) => part.trim());
}

/** Replaces whole-string `env(NAME)` values in place. */
function substitute(node: Tree, environment: Record<string, string>, warnings: string[], path: string): void {
  for (const [key, value] of Object.entries(node)) {
    const here = path ? `${path}.${key}` : key;
    if (isTree(value)) substitute(value, environment, warnings, here);
    if (Array.isArray(value)) {
      node[key] = value.map((item) => (typeof item === "string" ? resolveEnv(item, environment) : item));
    }
    if (typeof value !== "string") continue;
    const resolved = resolveEnv(value, environment);
    if (resolved !== value) node[key] = typed(resolved);
    else if (/^env\(.+\)$/.test(value)) {
      warnings.push(`${here}: ${value} is not set; the text stands as it is.`);
    }
  }
}

function resolveEnv(value: string, environment: Record<string, string>): string {
  const name = /^env\((.+)\)$/.exec(value)?.[1];
  return (name && environment[name]) || value;
}

function typed(value: string): unknown {
  if (value === "true" || value === "false") return value === "true";
  return /^-?\d+(\.\d+)?$/.test(value) && value.length < 16 ? Number(value) : value;
}

function warnUnknown(node: Tree, schema: z.ZodType, path: string, warnings: string[]): void {
  const shape = shapeOf(schema);
  if (!shape) return;
  for (const [key, value] of Object.entries(node)) {
    const here = path ? `${path}.${key}` : key;
    if (IGNORED_SECTIONS.has(here)) continue;
    const inner = shape[key];
    if (!inner) {
      if (!isLoose(schema)) warnings.push(`supabase/config.toml: unknown key ${here}, ignored.`);
    } else if (isTree(value)) warnUnknown(value, inner, here, warnings);
  }
}

function unwrap(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault || inner instanceof z.ZodOptional) {
    inner = inner.unwrap() as z.ZodType;
  }
  return inner;
}

function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  const inner = unwrap(schema);
  return inner instanceof z.ZodObject ? (inner.shape as Record<string, z.ZodType>) : undefined;
}

function isLoose(schema: z.ZodType): boolean {
  const inner = unwrap(schema);
  return inner instanceof z.ZodObject && inner.def.catchall !== undefined;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
