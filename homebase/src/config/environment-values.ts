/**
 * Owns the values of config.toml that come from the environment: `env(NAME)` in the file, and variables that stand for a
 * key; and the origin of each value.
 */
import type { z } from "zod";
import { unusedKey } from "./ignored-keys.ts";
import { isTree, shapeOf, type Tree } from "./keyed-values.ts";
import { type ConfigFile, configSchema } from "./schema.ts";

/** Where a value comes from: the line of config.toml, an environment variable, or a line that names one by `env()`. */
export interface Origin {
  line?: number | undefined;
  variable?: string;
  /** Of a port that a start has moved: by how much. */
  moved?: number;
}

/** The origin of each value that is set. A key of an inline table has the table's line. */
export function originsOf(
  raw: Tree,
  lines: ReadonlyMap<string, number>,
  variables: ReadonlyMap<string, Origin>,
): Map<string, Origin> {
  const origins = new Map<string, Origin>();
  const walk = (node: Tree, path: string, above: number | undefined) => {
    for (const [key, value] of Object.entries(node)) {
      const here = path === "" ? key : `${path}.${key}`;
      const line = lines.get(here) ?? above;
      if (isTree(value)) walk(value, here, line);
      else origins.set(here, { ...(line === undefined ? {} : { line }), ...variables.get(here) });
    }
  };
  walk(raw, "", undefined);
  return origins;
}

/**
 * `SUPABASE_API_MAX_ROWS=7` sets `api.max_rows`; only keys in the schema are checked.
 * @returns the keys that were set so.
 */
export function override(raw: Tree, environment: Record<string, string | undefined>): Map<string, Origin> {
  const variables = new Map<string, Origin>();
  const walk = (schema: z.ZodType, path: string[]): void => {
    const shape = shapeOf(schema);
    if (shape) {
      for (const [key, inner] of Object.entries(shape)) walk(inner, [...path, key]);
      return;
    }
    const variable = `SUPABASE_${path.join("_").toUpperCase()}`;
    const value = environment[variable];
    if (value === undefined || path.length < 2) return;
    variables.set(path.join("."), { variable, line: undefined });
    let node = raw;
    for (const key of path.slice(0, -1)) {
      if (!isTree(node[key])) node[key] = {};
      node = node[key] as Tree;
    }
    node[path[path.length - 1] ?? ""] = coerce(value, schema);
  };
  walk(configSchema, []);
  return variables;
}

function coerce(value: string, schema: z.ZodType): unknown {
  if (schema.safeParse(value).success) return value;
  if (value !== "" && !Number.isNaN(Number(value)) && schema.safeParse(Number(value)).success)
    return Number(value);
  if (/^(1|t|true)$/i.test(value)) return true;
  if (/^(0|f|false)$/i.test(value)) return false;
  return value.split(",").map((part) => part.trim());
}

/** A value that names a variable. */
interface Unset {
  path: string;
  value: string;
}

/** Replaces whole-string `env(NAME)` values in place, and notes their variables. @returns those whose variable is not set. */
export function substitute(
  node: Tree,
  environment: Record<string, string>,
  variables: Map<string, Origin>,
  path = "",
): Unset[] {
  return Object.entries(node).flatMap(([key, value]) => {
    const here = path ? `${path}.${key}` : key;
    if (isTree(value)) return substitute(value, environment, variables, here);
    const resolve = (text: string) => {
      const resolved = resolveEnv(text, environment);
      const variable = ENV.exec(text)?.[1];
      if (resolved !== text && variable !== undefined)
        variables.set(here, { ...variables.get(here), variable });
      return resolved;
    };
    if (Array.isArray(value)) {
      node[key] = value.map((item) => (typeof item === "string" ? resolve(item) : item));
    }
    if (typeof value !== "string") return [];
    const resolved = resolve(value);
    if (resolved !== value) node[key] = typed(resolved);
    return resolved === value && ENV.test(value) ? [{ path: here, value }] : [];
  });
}

/** Warnings of variables that are not set, with the consequence, where this stack uses their keys. */
export function unsetVariables(
  unset: readonly Unset[],
  dropped: ReadonlySet<string>,
  file: ConfigFile,
): string[] {
  return unset.flatMap(({ path, value }) => {
    const keys = path.split(".");
    // A function's optional secret is usual; homebase doctor lists it.
    if (unusedKey(keys) || path.startsWith("edge_runtime.secrets.") || isDisabled(keys, file)) return [];
    const consequence = dropped.has(path)
      ? "its default is used"
      : (CONSEQUENCES.find(([pattern]) => pattern.test(path))?.[1] ?? `the value is the text ${value}`);
    return `${path}: ${ENV.exec(value)?.[1]} is not set; ${consequence}.`;
  });
}

/** Whether a section around the key is disabled, by the file or by its default. */
function isDisabled(keys: readonly string[], file: ConfigFile): boolean {
  let section: unknown = file;
  return keys.slice(0, -1).some((key) => {
    section = isTree(section) ? section[key] : undefined;
    return isTree(section) && section.enabled === false;
  });
}

const ENV = /^env\((.+)\)$/;
const CONSEQUENCES: readonly (readonly [path: RegExp, text: string])[] = [
  [/^auth\.external\./, "signing in with this provider fails until it is"],
  [/^auth\.email\.smtp\./, "mails are not sent until it is"],
  [/^auth\.hook\..*\.secrets$/, "requests to the hook are not signed in a way that it accepts"],
  [/^auth\.captcha\./, "captcha answers are not accepted until it is"],
];

function resolveEnv(value: string, environment: Record<string, string>): string {
  const name = ENV.exec(value)?.[1];
  return (name && environment[name]) || value;
}

function typed(value: string): unknown {
  if (value === "true" || value === "false") return value === "true";
  return /^-?\d+(\.\d+)?$/.test(value) && value.length < 16 ? Number(value) : value;
}

/** An unset variable, e.g. in place of a number, leaves that key at its default. @returns these keys. */
export function dropUnresolved(raw: Tree): Set<string> {
  const dropped = new Set<string>();
  for (const issue of configSchema.safeParse(raw, { jitless: true }).error?.issues ?? []) {
    let node: unknown = raw;
    for (const key of issue.path.slice(0, -1)) node = isTree(node) ? node[String(key)] : undefined;
    const key = String(issue.path.at(-1));
    if (!isTree(node) || typeof node[key] !== "string" || !ENV.test(node[key])) continue;
    delete node[key];
    dropped.add(issue.path.join("."));
  }
  return dropped;
}
