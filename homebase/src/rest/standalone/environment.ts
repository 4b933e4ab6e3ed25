/**
 * Owns the environment of the service by itself: PostgREST's `PGRST_` names to what the service is made
 * from (PostgREST documentation, "Configuration").
 */
import { readFileSync } from "node:fs";
import { ACQUIRE_TIMEOUT_MS, DEFAULT_SETTINGS, type RestSettings, TOKEN_CACHE_ENTRIES } from "../options.ts";
import { applySetting, checkSettings, flag, SettingError } from "../settings.ts";

export const LOG_LEVELS = ["crit", "error", "warn", "info", "debug"] as const;
export type LogThreshold = (typeof LOG_LEVELS)[number];

/** The service by itself, before anything is opened. */
export interface StandaloneConfig {
  settings: RestSettings;
  databaseUri: string;
  /** Undefined: no LISTEN. */
  channel: string | undefined;
  databaseSettings: boolean;
  tokenCacheEntries: number;
  poolSize: number;
  /** Milliseconds. */
  acquireTimeout: number;
  poolIdleMs: number;
  poolLifetimeSeconds: number;
  host: string;
  port: number;
  /** Path of a Unix socket instead of host and port, and its permissions. */
  socket: string | undefined;
  socketMode: number;
  adminHost: string | undefined;
  adminPort: number | undefined;
  logLevel: LogThreshold;
  /** What is worth telling at the start. */
  warnings: string[];
}

/** PostgREST's own settings that change nothing here, and why. */
const WITHOUT_EFFECT: Record<string, string> = {
  db_pool_automatic_recovery: "connections always recover",
  server_reuseport: "not built",
  admin_server_unix_socket: "not built",
  admin_server_unix_socket_mode: "not built",
  log_query: "not built",
};

type Reader = (config: StandaloneConfig, value: string) => void;

const readers: Record<string, Reader> = {
  db_uri: (config, value) => {
    config.databaseUri = fromFile(value);
  },
  db_channel: (config, value) => {
    if (config.channel !== undefined) config.channel = value;
  },
  db_channel_enabled: (config, value) => {
    if (!flag(value)) config.channel = undefined;
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
  db_pool_max_idletime: (config, value) => {
    config.poolIdleMs = whole(value, 0) * 1_000;
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
  server_host: (config, value) => {
    config.host = hostOf(value);
  },
  server_port: (config, value) => {
    config.port = whole(value, 0);
  },
  server_unix_socket: (config, value) => {
    config.socket = value || undefined;
  },
  server_unix_socket_mode: (config, value) => {
    if (!/^[67][0-7]{2}$/.test(value)) throw new SettingError("must be an octal mode from 600 to 777");
    config.socketMode = Number.parseInt(value, 8);
  },
  admin_server_host: (config, value) => {
    config.adminHost = hostOf(value);
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
const APP_PREFIX = "PGRST_APP_SETTINGS_";

/**
 * Reads the names that begin with PGRST_.
 * @throws SettingError that begins with the name whose value cannot be used.
 */
export function readEnvironment(environment: NodeJS.ProcessEnv): StandaloneConfig {
  const settings = { ...DEFAULT_SETTINGS };
  const appSettings: [string, string][] = [];
  const config: StandaloneConfig = {
    settings,
    databaseUri: "postgresql://",
    channel: "pgrst",
    databaseSettings: true,
    tokenCacheEntries: TOKEN_CACHE_ENTRIES,
    poolSize: 10,
    acquireTimeout: ACQUIRE_TIMEOUT_MS,
    poolIdleMs: 30_000,
    poolLifetimeSeconds: 1_800,
    host: "0.0.0.0",
    port: 3_000,
    socket: undefined,
    socketMode: 0o660,
    adminHost: undefined,
    adminPort: undefined,
    logLevel: "error",
    warnings: [],
  };
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith(PREFIX) || value === undefined) continue;
    if (variable.startsWith(APP_PREFIX)) {
      appSettings.push([`app.settings.${variable.slice(APP_PREFIX.length).toLowerCase()}`, value]);
      continue;
    }
    const name = variable.slice(PREFIX.length).toLowerCase();
    named(variable, () => readOne(config, variable, name, value));
  }
  settings.appSettings = appSettings;
  named("PGRST_JWT_SECRET", () => checkSettings(settings));
  return config;
}

function readOne(config: StandaloneConfig, variable: string, name: string, value: string): void {
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (reader) {
    reader(config, value);
    return;
  }
  if (applySetting(config.settings, name, name === "jwt_secret" ? fromFile(value) : value)) return;
  const why = WITHOUT_EFFECT[name];
  config.warnings.push(
    why === undefined
      ? `${variable} is not a setting that is known here. It is ignored.`
      : `${variable} has no effect here: ${why}.`,
  );
}

function named(variable: string, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw new SettingError(`${variable} ${error.message}.`);
  }
}

/** `@path` stands for the file's content. */
function fromFile(value: string): string {
  if (!value.startsWith("@")) return value;
  try {
    return readFileSync(value.slice(1), "utf8").trimEnd();
  } catch (error) {
    throw new SettingError(`names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function whole(value: string, least: number): number {
  if (!/^\d+$/.test(value) || Number(value) < least) {
    throw new SettingError(`must be a whole number from ${least}, not "${value}"`);
  }
  return Number(value);
}

/** Warp's wildcards, which PostgREST takes: any address of either kind, or of one. */
function hostOf(value: string): string {
  if (value === "*4" || value === "!4") return "0.0.0.0";
  return value === "*" || value === "*6" || value === "!6" ? "::" : value;
}
