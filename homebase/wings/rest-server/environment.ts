/**
 * Owns the configuration of the standalone service: from PostgREST's names, in a file and in the environment,
 * which takes precedence, to the service's options (PostgREST documentation, "Configuration").
 */
import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import {
  ACQUIRE_TIMEOUT_MS,
  aliasOf,
  applySetting,
  checkSettings,
  choice,
  flag,
  RestSettings,
  type Setting,
  SettingError,
  settingOf,
  TOKEN_CACHE_ENTRIES,
} from "../../src/rest/postgrest-settings.ts";
import { readConfigFile } from "./config-file.ts";

const LOG_LEVELS = ["crit", "error", "warn", "info", "debug"] as const;

/** The configuration of the standalone service, before anything is opened. */
export class StandaloneConfig {
  settings = new RestSettings();
  databaseUri = "postgresql://";
  channelName = "pgrst";
  /** Whether to use LISTEN. */
  channelEnabled = true;
  databaseSettings = true;
  tokenCacheEntries = TOKEN_CACHE_ENTRIES;
  poolSize = 10;
  acquireSeconds = ACQUIRE_TIMEOUT_MS / 1_000;
  poolIdleSeconds = 30;
  poolLifetimeSeconds = 1_800;
  /** The configured host, which may stand for several addresses. */
  hostText = "!4";
  port = 3_000;
  reusePort = false;
  /** Path of a Unix socket instead of host and port, and its permissions. */
  socket: string | undefined;
  socketMode = 0o660;
  adminHost: string | undefined;
  adminPort: number | undefined;
  adminSocket: string | undefined;
  adminSocketMode = 0o660;
  /** Whether to retry when the database cannot be reached; otherwise the process exits. */
  automaticRecovery = true;
  /** Grace period for requests in flight after SIGTERM. */
  shutdownSeconds = Number.POSITIVE_INFINITY;
  logLevel: (typeof LOG_LEVELS)[number] = "error";
  /** Whether log entries also have the main statement. */
  logQuery = false;
  /** Warnings to print at the start. */
  warnings: string[] = [];
}

const setting = settingOf<StandaloneConfig>();
const text = (value: string) => value;

/** By PostgREST's names, in lower case with underscores. */
export const STANDALONE_SETTINGS: Record<string, Setting<StandaloneConfig>> = {
  db_uri: setting("databaseUri", (value) => fromFile(value).toString("utf8").trim()),
  db_channel: setting("channelName", text),
  db_channel_enabled: setting("channelEnabled", flag(true)),
  db_config: setting("databaseSettings", flag(true)),
  db_pool: setting("poolSize", wholeFrom(1)),
  db_pool_acquisition_timeout: setting("acquireSeconds", wholeFrom(1)),
  db_pool_automatic_recovery: setting("automaticRecovery", flag(true)),
  db_pool_timeout: setting("poolIdleSeconds", wholeFrom(0)),
  db_pool_max_lifetime: setting("poolLifetimeSeconds", wholeFrom(0)),
  jwt_cache_max_entries: setting("tokenCacheEntries", wholeFrom(0)),
  server_shutdown_timeout: setting("shutdownSeconds", wholeFrom(0)),
  server_host: setting("hostText", text),
  server_port: setting("port", wholeFrom(0)),
  server_reuseport: setting("reusePort", flag(false)),
  server_unix_socket: setting("socket", text),
  server_unix_socket_mode: setting("socketMode", modeOf),
  admin_server_host: setting("adminHost", text),
  admin_server_port: setting("adminPort", wholeFrom(0)),
  admin_server_unix_socket: setting("adminSocket", text),
  admin_server_unix_socket_mode: setting("adminSocketMode", modeOf),
  log_level: setting("logLevel", choice("logging level", LOG_LEVELS)),
  log_query: setting("logQuery", flag(false)),
};

const PREFIX = "PGRST_";
const APP_PREFIX = "app.settings.";
/** The variables of these settings: the name after it keeps its case. */
const APP_VARIABLE = "APP_SETTINGS_";

/** A setting's value, and the name under which it was given. */
interface Given {
  value: string;
  called: string;
}

/**
 * Reads the file, if any, and the variables that begin with PGRST_, which take precedence.
 * @throws SettingError whose message begins with the invalid setting's name.
 */
export function readConfiguration(environment: NodeJS.ProcessEnv, file?: string): StandaloneConfig {
  const config = new StandaloneConfig();
  const { settings } = config;
  const given = gather(environment, file);
  const appSettings: [string, string][] = [];
  for (const [name, { value, called }] of given) {
    if (name.startsWith(APP_PREFIX)) {
      appSettings.push([name, value]);
      continue;
    }
    const newer = name === "db_pool_max_idletime" ? "db_pool_timeout" : aliasOf(name);
    if (newer !== undefined && given.has(newer)) continue;
    named(newer ?? name, () => readOne(config, called, newer ?? name, value));
  }
  // Postgres ignores the case of these names: of two spellings, the name in small letters is set last.
  settings.appSettings = appSettings.sort(([one], [other]) => (one < other ? -1 : 1));
  named("jwt_secret", () => checkSettings(settings));
  if (config.adminPort !== undefined && config.adminPort !== 0 && config.adminPort === config.port) {
    throw new SettingError("admin-server-port cannot be the same as server-port");
  }
  return config;
}

function gather(environment: NodeJS.ProcessEnv, file: string | undefined): Map<string, Given> {
  const given = new Map<string, Given>();
  if (file !== undefined) {
    for (const [called, value] of readConfigFile(file, environment)) {
      given.set(called.startsWith(APP_PREFIX) ? called : called.replaceAll("-", "_"), { value, called });
    }
  }
  for (const [called, value] of Object.entries(environment)) {
    if (!called.startsWith(PREFIX) || value === undefined) continue;
    const own = called.slice(PREFIX.length);
    const app = own.startsWith(APP_VARIABLE);
    given.set(app ? APP_PREFIX + own.slice(APP_VARIABLE.length) : own.toLowerCase(), { value, called });
  }
  // An empty value counts as absent, except for the one list that may be empty.
  for (const [name, { value }] of given) {
    if (value === "" && name !== "db_extra_search_path" && !name.startsWith(APP_PREFIX)) given.delete(name);
  }
  return given;
}

function readOne(config: StandaloneConfig, called: string, name: string, value: string): void {
  const own = Object.hasOwn(STANDALONE_SETTINGS, name) ? STANDALONE_SETTINGS[name] : undefined;
  if (own) own.set(config, value);
  else if (name === "jwt_secret") config.settings.jwtSecret = secretOf(value);
  else if (!applySetting(config.settings, name, value)) {
    config.warnings.push(`${called} is not a setting that is known here. It is ignored.`);
  }
}

/** Prefixes an error with the setting's name as upstream writes it, also for one of the environment. */
function named(name: string, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw new SettingError(`${name.replaceAll("_", "-")} ${error.message}.`);
  }
}

/** The value, or after an @ the bytes of the named file, e.g. @/dev/stdin. */
function fromFile(value: string): Buffer {
  if (!value.startsWith("@")) return Buffer.from(value, "utf8");
  try {
    const path = value.slice(1);
    // By file descriptor: an input that is a socket cannot be opened by its path.
    return readFileSync(path === "/dev/stdin" ? 0 : path);
  } catch (error) {
    throw new SettingError(`names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** A file's last newline is not part of a secret; content that is not text stays bytes. */
function secretOf(value: string): string | Buffer {
  const bytes = fromFile(value);
  const secret = value.startsWith("@") && bytes.at(-1) === LINE_END ? bytes.subarray(0, -1) : bytes;
  return isUtf8(secret) ? secret.toString("utf8") : secret;
}

const LINE_END = 0x0a;

function wholeFrom(least: number): (value: string) => number {
  return (value) => {
    if (!/^\d+$/.test(value) || Number(value) < least) {
      throw new SettingError(`must be a whole number from ${least}, not "${value}"`);
    }
    return Number(value);
  };
}

function modeOf(value: string): number {
  if (!/^[67][0-7]{2}$/.test(value)) throw new SettingError("must be an octal mode from 600 to 777");
  return Number.parseInt(value, 8);
}

/** Warp's wildcards, which PostgREST accepts: any address, IPv4 or IPv6. */
export function hostOf(value: string): string {
  if (value === "*4" || value === "!4") return "0.0.0.0";
  return value === "*" || value === "*6" || value === "!6" ? "::" : value;
}
