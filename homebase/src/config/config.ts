/**
 * Owns loading a project's `supabase/` folder as a typed Config: finding the file, `env(NAME)`, dotenv files,
 * `SUPABASE_<SECTION>_<KEY>` overrides, renamed keys, warnings for unknown ones (docs/compat/platform.md
 * 3.3).
 */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { recordOf } from "../core/record.ts";
import { UserError } from "../core/user-error.ts";
import { CONFIG_FILES, configFile, configFiles, parseConfigFile, readConfigFile } from "./config-file.ts";
import { parseDotenv } from "./dotenv.ts";
import { findProject } from "./find-project.ts";
import { keyLines } from "./key-lines.ts";
import { KNOWN_NAMES, nearest, unusedKey, unusedKeysIn } from "./keys.ts";
import { linkThatLeaves, pathsThatLeave } from "./project-paths.ts";
import { type ConfigFile, configSchema } from "./schema.ts";
import { thirdPartyFaults, thirdPartyWarnings } from "./third-party.ts";

/** Where a value comes from: the line of config.toml, an environment variable, or a line that names one by `env()`. */
export interface Origin {
  line?: number | undefined;
  variable?: string;
  /** Of a port that a start has moved: by how much. */
  moved?: number;
}

/** A project's configuration, checked and complete. */
export interface Config extends ConfigFile {
  /** The folder that holds `supabase/`. Absolute. */
  readonly projectFolder: string;
  /** `supabase/` itself. Paths in the file are relative to it. Absolute. */
  readonly supabaseFolder: string;
  /** Warnings for the developer: unknown keys, unresolved `env()`. */
  readonly warnings: readonly string[];
  /** Keys of the file that the Supabase CLI uses and Homebase ignores. */
  readonly ignored: readonly string[];
  /**
   * Variables for `env()` and functions' secrets: the process environment takes precedence over dotenv files.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** By the paths of keys, e.g. `api.port`; a key that is missing has its default. */
  readonly origins: Map<string, Origin>;
  /** Whether functions run with an inspector, from `edge_runtime.inspector_port` on. */
  readonly inspectFunctions?: boolean;
  /** Codes of mails that are fixed for tests, by lower-case address. No key of config.toml, which the Supabase CLI reads too. */
  readonly mailCodes?: Readonly<Record<string, string>>;
  /** Whether statements that hosted rejects, and Homebase would run, are rejected here too. */
  readonly strict?: boolean;
  /** Set by a start that leaves the console out, and keeps the rest of `[studio]`. */
  page?: { enabled: boolean };
}

/** An invalid configuration; the message names file and key. */
export class ConfigError extends UserError {}

export interface LoadOptions {
  /** Where to start searching for `supabase/`, including parent folders. */
  from?: string;
  /** A folder that the caller has named: its own project is meant, also without a config.toml below another project. */
  named?: string | undefined;
  environment?: Record<string, string | undefined>;
  /** Merges `[remotes.<label>]` over the file, as the Supabase CLI does for a hosted project. */
  remote?: string;
  /** What to read in place of the file: an earlier state of it. */
  text?: string;
}

/** The configuration for one hosted project. */
export interface RemoteConfig {
  config: Config;
  /** The file's own values after the merge, before defaults: only declared settings are deployed. */
  declared: Readonly<Record<string, unknown>>;
  /** The content of `[remotes.<label>]` itself. */
  overlay: Readonly<Record<string, unknown>>;
}

/**
 * Finds and reads the project's configuration. A folder without `supabase/` gets defaults.
 * @throws ConfigError for bad TOML, a wrong type, or a value out of range.
 */
export function loadConfig(options: LoadOptions): Config {
  return load(options).config;
}

/** What a deploy asks of every project. */
const REMOTE_EXAMPLE = `[remotes.NAME]
project_id = "REF"

[remotes.NAME.auth]
site_url = "https://example.org"
additional_redirect_urls = []

[remotes.NAME.auth.email]
enable_confirmations = true
max_frequency = "1m"`;

/**
 * The configuration of the hosted project that `[remotes.<label>]` describes.
 * @param options.ref the project's reference, for the section that the error proposes.
 * @param options.assumed whether that section stands for one that is missing: for a rehearsal
 * @throws ConfigError also when the file has no such section.
 */
export function loadRemoteConfig(
  options: LoadOptions & { remote: string; ref?: string; assumed?: boolean | undefined },
): RemoteConfig {
  const example = REMOTE_EXAMPLE.replaceAll("NAME", options.remote).replace(
    "REF",
    options.ref ?? "abcdefghijklmnopqrst",
  );
  const { config, raw, overlay } = load({ ...options, assumed: options.assumed ? example : "" });
  if (!overlay) {
    throw new ConfigError(
      `supabase/${configFile(config.supabaseFolder)} has no [remotes.${options.remote}]. The file's other values are for development and are never deployed without it. ` +
        `Add it with the values of your hosted project:\n\n${example}`,
    );
  }
  return { config, declared: raw, overlay };
}

function load({
  named,
  from = named ?? process.cwd(),
  environment: given = process.env,
  remote,
  text,
  assumed = "",
}: LoadOptions & { assumed?: string }): {
  config: Config;
  raw: Tree;
  overlay: Tree | undefined;
} {
  const projectFolder = findProject(from, given, named !== undefined);
  const supabaseFolder = join(projectFolder, "supabase");
  for (const part of PARTS) refuseLink(projectFolder, join(supabaseFolder, part));
  const environment = readEnvironment(projectFolder, supabaseFolder, given);
  const warnings: string[] = [];
  const file = configFile(supabaseFolder);
  const [, ...unread] = configFiles(supabaseFolder);
  warnings.push(...unread.map((other) => `supabase/${other} is not read: ${file} stands beside it.`));
  const written = text ?? readConfigFile(supabaseFolder);
  const raw = parse(file, written);
  const remotes = { ...recordOf(parse("config.toml", assumed).remotes), ...recordOf(raw.remotes) };
  const described = remote === undefined ? undefined : remotes[remote];
  const overlay = isTree(described) ? structuredClone(described) : undefined;
  if (overlay) mergeInto(raw, structuredClone(overlay));
  if (isTree(raw.inbucket))
    warnings.push(`supabase/${file}: the Supabase CLI 3 refuses [inbucket]: call it [local_smtp].`);
  rename(raw);
  const variables = override(raw, given);
  const unset = substitute(raw, environment, variables);
  const ignored: string[] = [];
  const found: string[] = [];
  warnUnknown(raw, configSchema, [], found);
  warnUnused(raw, [], found, ignored);
  warnings.push(...found.map((one) => `supabase/${file}: ${one}`));
  const dropped = dropUnresolved(raw);
  const parsed = configSchema.safeParse(raw, { jitless: true });
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
    throw new ConfigError(`supabase/${file} cannot be used:\n${issues.join("\n")}`);
  }
  const faults = [
    ...pathsThatLeave(parsed.data, projectFolder, supabaseFolder),
    ...thirdPartyFaults(parsed.data.auth),
  ];
  if (faults.length > 0) throw new ConfigError(`supabase/${file} cannot be used:\n  ${faults.join("\n  ")}`);
  warnings.push(
    ...unsetVariables(unset, dropped, parsed.data),
    ...missingTemplates(parsed.data, projectFolder, supabaseFolder),
    ...unknownHooks(parsed.data),
    ...thirdPartyWarnings(parsed.data.auth),
  );
  // Of JSON no lines are known.
  const lines = file.endsWith(".toml") ? keyLines(written) : new Map<string, number>();
  const origins = originsOf(raw, lines, variables);
  const config = { ...parsed.data, projectFolder, supabaseFolder, warnings, ignored, environment, origins };
  return { config, raw, overlay };
}

/** Mails whose text is in a file that is not there: the standard text is sent. */
function missingTemplates({ auth }: ConfigFile, projectFolder: string, supabaseFolder: string): string[] {
  // Template paths are relative to the project, notification paths to supabase/.
  return (["template", "notification"] as const).flatMap((kind) =>
    Object.entries(auth.email[kind]).flatMap(([name, { content_path: path }]) => {
      if (!path || existsSync(resolve(kind === "template" ? projectFolder : supabaseFolder, path))) return [];
      return `auth.email.${kind}.${name}.content_path: there is no file ${path}; the standard mail is sent.`;
    }),
  );
}

/** Hooks that cannot be called: requests that need them fail. Hooks of unknown names are never called. */
function unknownHooks({ auth }: ConfigFile): string[] {
  return Object.entries(auth.hook).flatMap(([name, { enabled, uri }]) =>
    !enabled || !KNOWN_NAMES["auth.hook"]?.includes(name) || /^(https?|pg-functions):\/\//.test(uri)
      ? []
      : `auth.hook.${name}.uri: ${JSON.stringify(uri)} cannot be called; it begins with http://, https:// or pg-functions://.`,
  );
}

/** Tables are merged, everything else is replaced. */
function mergeInto(base: Tree, change: Tree): void {
  for (const [key, value] of Object.entries(change)) {
    const present = base[key];
    if (isTree(value) && isTree(present)) mergeInto(present, value);
    else base[key] = value;
  }
}

/** What the commands read in `supabase/` whatever config.toml says. */
const PARTS = ["", ...CONFIG_FILES, "migrations", "functions", "schemas", "tests", "roles.sql"];

/** @throws ConfigError */
function refuseLink(projectFolder: string, path: string): void {
  const leaving = linkThatLeaves(projectFolder, path);
  if (leaving) throw new ConfigError(`This project cannot be used: ${leaving}.`);
}

type Tree = Record<string, unknown>;

/** @throws ConfigError */
function parse(name: string, text: string): Tree {
  try {
    return parseConfigFile(name, text);
  } catch (error) {
    throw new ConfigError(`supabase/${name} ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/**
 * The process environment takes precedence over files, specific files over general ones, `supabase/` over the
 * root.
 */
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
      refuseLink(projectFolder, file);
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
  const { email, sms } = isTree(raw.auth) ? raw.auth : {};
  for (const way of [email, sms]) {
    if (isTree(way) && way.enabled !== undefined) way.enable_signup = way.enabled;
  }
}

/** The origin of each value that is set. A key of an inline table has the table's line. */
function originsOf(
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
function override(raw: Tree, environment: Record<string, string | undefined>): Map<string, Origin> {
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
function substitute(
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
function unsetVariables(unset: readonly Unset[], dropped: ReadonlySet<string>, file: ConfigFile): string[] {
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

/** Reports keys that neither the schema nor the Supabase CLI knows, with the most similar known key. */
function warnUnknown(node: Tree, schema: z.ZodType, path: readonly string[], warnings: string[]): void {
  const shape = shapeOf(schema);
  const entries = entriesOf(schema);
  if (!shape && !entries) return;
  for (const [key, value] of Object.entries(node)) {
    const here = [...path, key];
    if (unusedKey(here)) continue;
    const inner = shape ? (Object.hasOwn(shape, key) ? shape[key] : undefined) : entries;
    const names = KNOWN_NAMES[path.join(".")];
    if (inner && (!names || names.includes(key))) {
      if (isTree(value)) warnUnknown(value, inner, here, warnings);
      continue;
    }
    const meant = nearest(key, [...(names ?? []), ...Object.keys(shape ?? {}), ...unusedKeysIn(path)]);
    warnings.push(`unknown key ${here.join(".")}, ignored.${meant ? ` Did you mean ${meant}?` : ""}`);
  }
}

/** Lists settings without effect, and warns of those that a project may depend on. */
function warnUnused(node: Tree, path: readonly string[], warnings: string[], ignored: string[]): void {
  for (const [key, value] of Object.entries(node)) {
    const here = [...path, key];
    const unused = unusedKey(here);
    if (unused?.notable?.(value)) {
      warnings.push(`${here.join(".")} has no effect: ${unused.why}.`);
    }
    // `inbucket` is the older name of a section that is supported.
    if (unused && here.join(".") !== "inbucket") ignored.push(here.join("."));
    if (!unused && isTree(value)) warnUnused(value, here, warnings, ignored);
  }
  const version = path.length === 1 && path[0] === "db" ? node.major_version : undefined;
  if (typeof version === "number" && version !== POSTGRES) {
    warnings.push(`db.major_version is ${version}; Homebase runs Postgres ${POSTGRES} anyway.`);
  }
}

const POSTGRES = 17;

/** An unset variable, e.g. in place of a number, leaves that key at its default. @returns these keys. */
function dropUnresolved(raw: Tree): Set<string> {
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

/** What a default or an optional value wraps. */
export function unwrap(schema: z.ZodType): z.ZodType {
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

/** The schema of each entry in a section with the project's own names, e.g. of `[functions]`. */
function entriesOf(schema: z.ZodType): z.ZodType | undefined {
  const inner = unwrap(schema);
  return inner instanceof z.ZodRecord ? (inner.valueType as z.ZodType) : undefined;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
