/**
 * Owns the configuration of the standalone service: from PostgREST's names, in a file and in the environment,
 * which takes precedence, to the service's options (PostgREST documentation, "Configuration").
 */
import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { ACQUIRE_TIMEOUT_MS, DEFAULT_SETTINGS, type RestSettings, TOKEN_CACHE_ENTRIES } from "../options.ts";
import { aliasOf, applySetting, checkSettings, flag, SettingError } from "../settings.ts";
import { readConfigFile } from "./config-file.ts";

export const LOG_LEVELS = ["crit", "error", "warn", "info", "debug"] as const;
export type LogThreshold = (typeof LOG_LEVELS)[number];

/** The configuration of the standalone service, before anything is opened. */
export interface StandaloneConfig {
  settings: RestSettings;
  databaseUri: string;
  channelName: string;
  /** Whether to use LISTEN. */
  channelEnabled: boolean;
  databaseSettings: boolean;
  tokenCacheEntries: number;
  poolSize: number;
  /** Milliseconds. */
  acquireTimeout: number;
  poolIdleMs: number;
  poolLifetimeSeconds: number;
  /** The configured host, which may stand for several addresses. */
  hostText: string;
  port: number;
  reusePort: boolean;
  /** Path of a Unix socket instead of host and port, and its permissions. */
  socket: string | undefined;
  socketMode: number;
  adminHost: string | undefined;
  adminPort: number | undefined;
  adminSocket: string | undefined;
  adminSocketMode: number;
  /** Whether to retry when the database cannot be reached; otherwise the process exits. */
  automaticRecovery: boolean;
  /** Grace period in milliseconds for requests in flight after SIGTERM; undefined for no limit. */
  shutdownMs: number | undefined;
  logLevel: LogThreshold;
  /** Whether log entries also have the main statement. */
  logQuery: boolean;
  /** Warnings to print at the start. */
  warnings: string[];
}

type Reader = (config: StandaloneConfig, value: string) => void;

const readers: Record<string, Reader> = {
  db_uri: (config, value) => {
    config.databaseUri = fromFile(value).toString("utf8").trim();
  },
  db_channel: (config, value) => {
    config.channelName = value;
  },
  db_channel_enabled: (config, value) => {
    config.channelEnabled = flag(value);
  },
  db_config: (config, value) => {
    config.databaseSettings = flag(value);
  },
  db_pool: (config, value) => {
    config.poolSize = whole(value, 1);
  },
  db_pool_acquisition_timeout: (config, value) => {
    config.acquireTimeout = whole(value, 1) * 1_000;
  },
  db_pool_automatic_recovery: (config, value) => {
    config.automaticRecovery = flag(value);
  },
  db_pool_timeout: (config, value) => {
    config.poolIdleMs = whole(value, 0) * 1_000;
  },
  db_pool_max_lifetime: (config, value) => {
    config.poolLifetimeSeconds = whole(value, 0);
  },
  jwt_cache_max_entries: (config, value) => {
    config.tokenCacheEntries = whole(value, 0);
  },
  server_shutdown_timeout: (config, value) => {
    config.shutdownMs = whole(value, 0) * 1_000;
  },
  server_host: (config, value) => {
    config.hostText = value;
  },
  server_port: (config, value) => {
    config.port = whole(value, 0);
  },
  server_reuseport: (config, value) => {
    config.reusePort = flag(value);
  },
  server_unix_socket: (config, value) => {
    config.socket = value;
  },
  server_unix_socket_mode: (config, value) => {
    config.socketMode = modeOf(value);
  },
  admin_server_host: (config, value) => {
    config.adminHost = value;
  },
  admin_server_unix_socket: (config, value) => {
    config.adminSocket = value;
  },
  admin_server_unix_socket_mode: (config, value) => {
    config.adminSocketMode = modeOf(value);
  },
  log_query: (config, value) => {
    config.logQuery = flag(value) || value === "main-query";
  },
  admin_server_port: (config, value) => {
    config.adminPort = whole(value, 0);
  },
  log_level: (config, value) => {
    const level = LOG_LEVELS.find((one) => one === value);
    if (!level) throw new SettingError(`must be one of ${LOG_LEVELS.join(", ")}, not "${value}"`);
    config.logLevel = level;
  },
};

const PREFIX = "PGRST_";
const APP_PREFIX = "app.settings.";

/** A setting's value, and its name in error messages. */
interface Given {
  value: string;
  called: string;
}

/**
 * Reads the file, if any, and the variables that begin with PGRST_, which take precedence.
 * @throws SettingError whose message begins with the invalid setting's name.
 */
export function readConfiguration(environment: NodeJS.ProcessEnv, file?: string): StandaloneConfig {
  const settings: RestSettings = { ...DEFAULT_SETTINGS };
  const config: StandaloneConfig = {
    settings,
    databaseUri: "postgresql://",
    channelName: "pgrst",
    channelEnabled: true,
    databaseSettings: true,
    tokenCacheEntries: TOKEN_CACHE_ENTRIES,
    poolSize: 10,
    acquireTimeout: ACQUIRE_TIMEOUT_MS,
    poolIdleMs: 30_000,
    poolLifetimeSeconds: 1_800,
    hostText: "!4",
    port: 3_000,
    reusePort: false,
    socket: undefined,
    socketMode: 0o660,
    adminHost: undefined,
    adminPort: undefined,
    adminSocket: undefined,
    adminSocketMode: 0o660,
    automaticRecovery: true,
    shutdownMs: undefined,
    logLevel: "error",
    logQuery: false,
    warnings: [],
  };
  const given = gather(environment, file);
  const appSettings: [string, string][] = [];
  for (const [name, { value, called }] of given) {
    if (name.startsWith(APP_PREFIX)) {
      appSettings.push([name, value]);
      continue;
    }
    const newer = name === "db_pool_max_idletime" ? "db_pool_timeout" : aliasOf(name);
    if (newer !== undefined && given.has(newer)) continue;
    named(called, () => readOne(config, called, newer ?? name, value));
  }
  settings.appSettings = appSettings;
  named(given.get("jwt_secret")?.called ?? "jwt-secret", () => checkSettings(settings));
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
    const own = called.slice(PREFIX.length).toLowerCase();
    const app = own.startsWith("app_settings_");
    given.set(app ? APP_PREFIX + own.slice("app_settings_".length) : own, { value, called });
  }
  // An empty value counts as absent, except for the one list that may be empty.
  for (const [name, { value }] of given) {
    if (value === "" && name !== "db_extra_search_path" && !name.startsWith(APP_PREFIX)) given.delete(name);
  }
  return given;
}

function readOne(config: StandaloneConfig, called: string, name: string, value: string): void {
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (reader) reader(config, value);
  else if (name === "jwt_secret") config.settings.jwtSecret = secretOf(value);
  else if (!applySetting(config.settings, name, value)) {
    config.warnings.push(`${called} is not a setting that is known here. It is ignored.`);
  }
}

/** Prefixes an error with the name of its setting. */
function named(variable: string, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw new SettingError(`${variable} ${error.message}.`);
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

function whole(value: string, least: number): number {
  if (!/^\d+$/.test(value) || Number(value) < least) {
    throw new SettingError(`must be a whole number from ${least}, not "${value}"`);
  }
  return Number(value);
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
