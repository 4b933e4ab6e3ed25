/**
 * Owns the settings of the REST interface, which the environment, the database and config.toml supply, and the
 * service's other dependencies (PostgREST documentation, "Configuration").
 */

import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { UserError } from "../core/user-error.ts";
import type { Foreign } from "../http/exchange.ts";
import { requireOwnRole } from "../http/secret-rights.ts";
import type { Notifications } from "../postgres/notifications.ts";
import type { PipelinePool } from "../postgres/pipeline/pool.ts";
import type { ServiceContext } from "../service-context.ts";
import type { TokenCheck } from "../tokens/verify-token.ts";
import type { RestError } from "./errors.ts";
import { parseSecret } from "./jwt-secret.ts";
import { Metrics } from "./metrics.ts";
import { DEFAULT_ROLE_CLAIM, parseRoleClaim, type RoleClaim } from "./role-claim.ts";

const TX_ENDS = ["commit", "commit-allow-override", "rollback", "rollback-allow-override"] as const;
const OPENAPI_MODES = ["follow-privileges", "ignore-privileges", "disabled"] as const;
const VERBOSITIES = ["verbose", "minimal"] as const;

/** Settings that `alter role authenticator set pgrst.…` can change, with their defaults. */
export class RestSettings {
  schemas: readonly string[] = ["public"];
  extraSearchPath: readonly string[] = ["public"];
  anonRole: string | undefined;
  /** Maximum number of rows of any node of a read or call; undefined for no limit. */
  maxRows: number | undefined;
  aggregates = false;
  plan = false;
  preRequest: string | undefined;
  txEnd: (typeof TX_ENDS)[number] = "commit";
  hoistedSettings: readonly string[] = [
    "statement_timeout",
    "plan_filter.statement_cost_limit",
    "default_transaction_isolation",
  ];
  openApi: (typeof OPENAPI_MODES)[number] = "follow-privileges";
  openApiSecurity = false;
  /** The public URL in the description; defaults to the server's own. */
  openApiProxy: string | undefined;
  /** A function that handles requests to the root instead of the description. */
  rootSpec: string | undefined;
  jwtAudience: string | undefined;
  /** Text, JWK or JWK set, or bytes that are not text; undefined leaves checking to `RestOptions.checkToken`. */
  jwtSecret: string | Buffer | undefined;
  jwtSecretIsBase64 = false;
  roleClaim: RoleClaim = DEFAULT_ROLE_CLAIM;
  /** A function that runs before the database's settings are read; it may set some. */
  preConfig: string | undefined;
  /** "minimal" omits details and hint from errors. */
  verbosity: (typeof VERBOSITIES)[number] = "verbose";
  serverTiming = false;
  /** A request header that every response repeats. */
  traceHeader: string | undefined;
  /** Origins that browsers may use with credentials; undefined allows any, without credentials. */
  corsOrigins: readonly string[] | undefined;
  /** Whether filters may refer to an embed by its relation although it has an alias. */
  legacyTargetNames = true;
  /** Whether an unfiltered PATCH or DELETE is rejected, as the safeupdate library does on hosted. */
  safeUpdate = false;
  preparedStatements = true;
  appSettings: readonly (readonly [name: string, value: string])[] = [];
}

/**
 * The service's dependencies; `homebase rest` makes them from the environment, a Backend from its context.
 */
export interface RestOptions {
  settings: RestSettings;
  /** Connections as the connecting role. The caller closes them. */
  pool: PipelinePool;
  /** The connection for NOTIFY. The caller closes it. */
  notifications: Notifications;
  /** Checks a token's signature; undefined when there is no secret. */
  checkToken: ((token: string) => Promise<TokenCheck>) | undefined;
  cachedCheck: ((token: string) => TokenCheck | undefined) | undefined;
  /** Refuses a role to a foreign request; undefined where none is marked as foreign. */
  requireOwnRole?: (foreign: Foreign, role: string) => Promise<void>;
  clock: Clock;
  log: Log;
  /** The LISTEN channel; undefined when the service gets no notification of schema changes. */
  channel: string | undefined;
  /** Whether to read the connecting role's settings from the database. */
  databaseSettings: boolean;
  /** Number of cached signature checks, when a secret in the settings verifies tokens. */
  tokenCacheEntries: number;
  /** Timeout in milliseconds of the first request's wait for the schema cache. */
  loadTimeout: number;
  /** Timeout in milliseconds for acquiring a connection. */
  acquireTimeout: number;
  /** Maximum size of a request body in bytes. */
  bodyLimit: number;
  metrics?: Metrics;
  /** Whether the log names requests that use what hosted's version does not have. */
  strict?: boolean;
  /** The base settings, which those of the database override; `again` rereads the configuration file. */
  rereadSettings?: (again: boolean) => RestSettings;
  observer?: RestObserver;
}

/** Of a service that has a process to itself: what an operator wants to know beside the responses. */
export interface RestObserver {
  /** A line in PostgREST's words (Logger.hs, observationMessages). */
  tell(line: string): void;
  requestFailed(error: RestError): void;
  /** The schema could not be read. */
  loadFailed(failure: unknown): void;
  /** The connection for notifications is lost, or cannot be opened. */
  listenerLost(): void;
}

export const ACQUIRE_TIMEOUT_MS = 10_000;
export const LOAD_TIMEOUT_MS = 10_000;
export const TOKEN_CACHE_ENTRIES = 1_000;
// Hosted rejects larger bodies at its gateway; the limit protects the memory from a single request.
export const BODY_LIMIT = 100 * 1024 * 1024;

/** The settings of a hosted project, as the Supabase CLI derives them from `[api]`. */
export function restOptions(context: ServiceContext): RestOptions {
  const { api } = context.config;
  return {
    settings: {
      ...new RestSettings(),
      schemas: api.schemas,
      extraSearchPath: api.extra_search_path,
      anonRole: "anon",
      maxRows: api.max_rows > 0 ? api.max_rows : undefined,
      openApiProxy: `${context.url}/rest/v1`,
      safeUpdate: true,
    },
    pool: context.database.pipeline("authenticator"),
    notifications: context.database.notifications,
    checkToken: (token) => context.keys.checkToken(token),
    cachedCheck: (token) => context.keys.cachedCheck(token),
    requireOwnRole: (foreign, role) => requireOwnRole(context.database, foreign, role),
    clock: context.clock,
    log: context.log,
    metrics: new Metrics(),
    channel: "pgrst",
    databaseSettings: true,
    tokenCacheEntries: TOKEN_CACHE_ENTRIES,
    loadTimeout: LOAD_TIMEOUT_MS,
    acquireTimeout: ACQUIRE_TIMEOUT_MS,
    bodyLimit: BODY_LIMIT,
    strict: context.config.strict ?? false,
  };
}

/** Whether a request may choose the end of its transaction. */
export function mayOverrideEnd({ txEnd }: RestSettings): boolean {
  return txEnd.endsWith("-allow-override");
}

/** An invalid value of a setting. */
export class SettingError extends UserError {}

const list = (value: string) =>
  value
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);

/** PostgREST's booleans: the words in any case, or a number above zero. Any other text leaves the default. */
export const flag =
  (standard: boolean) =>
  (value: string): boolean => {
    const word = value.replace(/\P{L}/gu, "").toLowerCase();
    if (word === "true" || word === "false") return word === "true";
    return /^\s*-?\d+\s*$/.test(value) ? Number(value) > 0 : standard;
  };

const text = (value: string) => (value === "" ? undefined : value);

/** Parses one of the names. @param what PostgREST's name of the setting, in the sentence that scripts look for. */
export const choice =
  <Name extends string>(what: string, names: readonly Name[]) =>
  (value: string): Name => {
    const found = names.find((one) => one === value);
    if (found !== undefined) return found;
    const allowed = `must be one of ${names.join(", ")}, not "${value}"`;
    throw new SettingError(`${allowed}. Invalid ${what}. Check your configuration`);
  };

const PROXY = /^https?:\/\/(\[[\dA-Fa-f:.]+\]|[^\s/?#@:[\]]+)(?::(\d*))?(?:\/[^\s?#]*)?$/i;

/** An absolute HTTP URL, without user and query, with a valid port (PostgREST, Config/Proxy.hs). */
function isProxyAddress(value: string): boolean {
  const [, , port] = PROXY.exec(value) ?? [undefined, undefined, "none"];
  return port === undefined || (/^\d+$/.test(port) && Number(port) > 0 && Number(port) < 65_536);
}

/** A setting: the member of `Settings` that it sets from a text. */
export interface Setting<Settings> {
  key: keyof Settings;
  set(settings: Settings, value: string): void;
}

/** Makes settings of one class, so that each parser returns the type of its member. */
export function settingOf<Settings>() {
  return <Key extends keyof Settings>(
    key: Key,
    parse: (value: string) => Settings[Key],
  ): Setting<Settings> => ({
    key,
    set: (settings, value) => {
      settings[key] = parse(value);
    },
  });
}

const setting = settingOf<RestSettings>();

/** By PostgREST's names, in lower case with underscores. */
export const REST_SETTINGS = {
  db_schemas: setting("schemas", (value) => {
    const schemas = list(value);
    if (schemas.length === 0) throw new SettingError("must name a schema");
    const inner = schemas.find((one) => one === "pg_catalog" || one === "information_schema");
    if (inner !== undefined) throw new SettingError(`does not allow schema: '${inner}'`);
    return schemas;
  }),
  db_extra_search_path: setting("extraSearchPath", list),
  db_anon_role: setting("anonRole", text),
  db_max_rows: setting("maxRows", (value) => (/^\d+$/.test(value) ? Number(value) : undefined)),
  db_aggregates_enabled: setting("aggregates", flag(false)),
  db_plan_enabled: setting("plan", flag(false)),
  db_pre_request: setting("preRequest", text),
  db_pre_config: setting("preConfig", text),
  db_root_spec: setting("rootSpec", text),
  db_tx_end: setting("txEnd", choice("transaction termination", TX_ENDS)),
  db_hoisted_tx_settings: setting("hoistedSettings", list),
  db_prepared_statements: setting("preparedStatements", flag(true)),
  openapi_mode: setting("openApi", choice("openapi-mode", OPENAPI_MODES)),
  openapi_security_active: setting("openApiSecurity", flag(false)),
  openapi_server_proxy_uri: setting("openApiProxy", (value) => {
    if (value !== "" && !isProxyAddress(value)) {
      throw new SettingError(
        `is "${value}": Malformed proxy uri, a correct example: https://example.com:8443/basePath`,
      );
    }
    return text(value);
  }),
  jwt_aud: setting("jwtAudience", (value) => {
    if (value.includes(":") && !URL.canParse(value))
      throw new SettingError("should be a string or a valid URI");
    return text(value);
  }),
  jwt_secret: setting("jwtSecret", text),
  jwt_secret_is_base64: setting("jwtSecretIsBase64", flag(false)),
  jwt_role_claim_key: setting("roleClaim", (value) => {
    const claim = parseRoleClaim(value);
    if (!claim) throw new SettingError(`failed to parse role-claim-key value (${value})`);
    return claim;
  }),
  client_error_verbosity: setting("verbosity", choice("client-error-verbosity", VERBOSITIES)),
  server_cors_allowed_origins: setting("corsOrigins", (value) =>
    list(value).length === 0 ? undefined : list(value),
  ),
  server_timing_enabled: setting("serverTiming", flag(false)),
  server_trace_header: setting("traceHeader", text),
  url_use_legacy_target_names: setting("legacyTargetNames", flag(true)),
} satisfies Record<string, Setting<RestSettings>>;

const aliases: Record<string, keyof typeof REST_SETTINGS> = {
  db_schema: "db_schemas",
  max_rows: "db_max_rows",
  pre_request: "db_pre_request",
  root_spec: "db_root_spec",
  role_claim_key: "jwt_role_claim_key",
  secret_is_base64: "jwt_secret_is_base64",
};

/** The current name of an alias; undefined when the name is not an alias. */
export function aliasOf(name: string): string | undefined {
  return Object.hasOwn(aliases, name) ? aliases[name] : undefined;
}

/** Settings that `db_pre_config` may make, without the prefix. */
export const SETTING_NAMES: readonly string[] = [...Object.keys(REST_SETTINGS), ...Object.keys(aliases)];

/**
 * Sets one setting, named in PostgREST's spelling, lower case with underscores.
 * @returns false for an unknown setting.
 * @throws SettingError for an invalid value.
 */
export function applySetting(settings: RestSettings, name: string, value: string): boolean {
  const key = aliases[name] ?? name;
  if (!Object.hasOwn(REST_SETTINGS, key)) return false;
  REST_SETTINGS[key as keyof typeof REST_SETTINGS].set(settings, value);
  return true;
}

/** Validates settings that depend on each other. @throws SettingError */
export function checkSettings(settings: RestSettings): void {
  if (settings.jwtSecret === undefined) return;
  const problem = parseSecret(settings.jwtSecret, settings.jwtSecretIsBase64).problem;
  if (problem !== undefined) throw new SettingError(problem);
}

/**
 * Applies `pgrst.name=value` entries over `base`. Invalid entries are skipped and reported.
 * @param entries as in `pg_db_role_setting`, lowest precedence first.
 */
export function withDatabaseSettings(
  base: RestSettings,
  entries: readonly string[],
  tell: (problem: string) => void,
): RestSettings {
  let settings = { ...base };
  const appSettings = [...base.appSettings];
  const given = new Set(entries.map((entry) => entry.slice(0, entry.indexOf("="))));
  for (const entry of entries) {
    const equals = entry.indexOf("=");
    const name = entry.slice(0, equals);
    const value = entry.slice(equals + 1);
    if (!name.startsWith("pgrst.")) continue;
    const own = name.slice("pgrst.".length);
    // The newer name takes precedence over its alias, wherever each was set.
    const newer = aliasOf(own);
    if (newer !== undefined && given.has(`pgrst.${newer}`)) continue;
    if (own.startsWith("app.settings.")) appSettings.push([own, value]);
    else {
      const changed = { ...settings };
      try {
        if (!applySetting(changed, own, value)) tell(`${name} is not a setting that the database can give.`);
        settings = changed;
      } catch (error) {
        if (!(error instanceof SettingError)) throw error;
        tell(`${name} ${error.message}. It is ignored.`);
      }
    }
  }
  try {
    checkSettings(settings);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    tell(`pgrst.jwt_secret ${error.message}. It is ignored.`);
    settings = { ...settings, jwtSecret: base.jwtSecret, jwtSecretIsBase64: base.jwtSecretIsBase64 };
  }
  return { ...settings, appSettings };
}
