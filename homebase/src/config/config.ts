/**
 * Owns loading a project's `supabase/` folder as a typed Config: finding the file, `env(NAME)`, dotenv files,
 * `SUPABASE_<SECTION>_<KEY>` overrides, renamed keys, warnings for unknown ones (docs/compat/platform.md
 * 3.3).
 */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { z } from "zod";
import { recordOf } from "../core/record.ts";
import { UserError } from "../core/user-error.ts";
import {
  asWritten,
  CONFIG_FILES,
  configFile,
  configFiles,
  parseConfigFile,
  readConfigFile,
} from "./config-file.ts";
import { parseDotenv } from "./dotenv.ts";
import {
  dropUnresolved,
  type Origin,
  originsOf,
  override,
  substitute,
  unsetVariables,
} from "./environment-values.ts";
import { findProject } from "./find-project.ts";
import { KNOWN_NAMES, nearest, unusedKey, unusedKeysIn } from "./ignored-keys.ts";
import { keyLines } from "./key-lines.ts";
import { entriesOf, isTree, shapeOf, type Tree } from "./keyed-values.ts";
import { linkThatLeaves, pathsThatLeave } from "./project-paths.ts";
import { type ConfigFile, configSchema } from "./schema.ts";
import { thirdPartyFaults, thirdPartyWarnings } from "./third-party.ts";

/** A project's configuration, checked and complete. */
export interface Config extends ConfigFile {
  /** The folder that holds `supabase/`. Absolute. */
  readonly projectFolder: string;
  /** The name of the file that was read, e.g. config.json; config.toml where there is none. */
  readonly file: string;
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
  /** Whether functions get numbers of hashed words from gte-small, where running it would be refused. */
  readonly modelStandIn?: boolean;
  /** Codes of mails that are fixed for tests, by lower-case address. No key of config.toml, which the Supabase CLI reads too. */
  readonly mailCodes?: Readonly<Record<string, string>>;
  /** Whether statements that hosted rejects are rejected here too, and requests that it does not know are named. */
  readonly strict?: boolean;
  /** Migrations with a later version are as if they had no file: a reset ends with this one. */
  readonly lastMigration?: string;
  /** Set by a start that leaves the console out, and keeps the rest of `[studio]`. */
  page?: { enabled: boolean };
}

/** What a project is told that gives new tables to the API because it does not say whether it should. */
const OPEN_TABLES =
  "New tables are open here because api.auto_expose_new_tables is not set; hosted projects made since 2026-05-30 are closed, and all new tables there since 2026-10-30.";

/** That sentence, where it is so. */
export const openTables = ({ api }: ConfigFile): string | undefined =>
  api.auto_expose_new_tables === undefined ? OPEN_TABLES : undefined;

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
      `supabase/${config.file} has no [remotes.${options.remote}]. The file's other values are for development and are never deployed without it. ` +
        `Add it with the values of your hosted project:\n\n${asWritten(config.file, example)}`,
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
  const origins = originsOf(raw, linesOf(file, written), variables);
  const read = { projectFolder, supabaseFolder, file, warnings, ignored, environment, origins };
  const config = { ...parsed.data, ...read };
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

/** The lines of the file's keys, by their newer names too. */
function linesOf(file: string, text: string): ReadonlyMap<string, number> {
  const lines = keyLines(file, text);
  const newer = [...lines].map(([path, line]): [string, number] => [
    path.replace(/^inbucket\b/, "local_smtp").replace(/^(auth\.(?:email|sms))\.enabled$/, "$1.enable_signup"),
    line,
  ]);
  return new Map([...newer, ...lines]);
}

/** Older and newer names of the same key. */
function rename(raw: Tree): void {
  if (isTree(raw.inbucket) && raw.local_smtp === undefined) {
    raw.local_smtp = raw.inbucket;
    delete raw.inbucket;
  }
  const { email, sms } = isTree(raw.auth) ? raw.auth : {};
  for (const way of [email, sms]) {
    if (isTree(way) && way.enabled !== undefined) way.enable_signup = way.enabled;
  }
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
