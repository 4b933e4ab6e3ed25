/**
 * Owns the settings of the REST interface, where they come from, and how the database overrides them
 * (PostgREST documentation, "Configuration").
 */
import type pg from "pg";
import type { Clock } from "../service/clock.ts";
import type { ServiceContext } from "../service/context.ts";
import type { TokenCheck } from "../service/keys.ts";
import type { Log } from "../service/log.ts";

/** Settings that `alter role authenticator set pgrst.…` can change. */
export interface RestSettings {
  schemas: readonly string[];
  extraSearchPath: readonly string[];
  anonRole: string | undefined;
  /** Most rows of any node of a read or call; undefined is no limit. */
  maxRows: number | undefined;
  aggregates: boolean;
  plan: boolean;
  preRequest: string | undefined;
  txEnd: "commit" | "rollback";
  txOverride: boolean;
  hoistedSettings: readonly string[];
  openApi: "follow-privileges" | "ignore-privileges" | "disabled";
  jwtAudience: string | undefined;
  preparedStatements: boolean;
  appSettings: readonly (readonly [name: string, value: string])[];
}

/** All that the service needs; by `homebase rest` from the environment, in a Backend from its context. */
export interface RestOptions {
  settings: RestSettings;
  /** Pipelining connections as the connecting role, values as text. Not ended by the service. */
  pool: pg.Pool;
  /** For connections of one's own: LISTEN and cancelling. */
  connection: pg.ClientConfig;
  /** Checks a token's signature; undefined when there is no secret. */
  checkToken: ((token: string) => Promise<TokenCheck>) | undefined;
  cachedCheck: ((token: string) => TokenCheck | undefined) | undefined;
  clock: Clock;
  log: Log;
  channel: string;
  /** How long a request waits for a connection, in milliseconds. */
  acquireTimeout: number;
  /** Most bytes of a request body. */
  bodyLimit: number;
}

export const DEFAULT_SETTINGS: RestSettings = {
  schemas: ["public"],
  extraSearchPath: ["public"],
  anonRole: undefined,
  maxRows: undefined,
  aggregates: false,
  plan: false,
  preRequest: undefined,
  txEnd: "commit",
  txOverride: false,
  hoistedSettings: ["statement_timeout", "plan_filter.statement_cost_limit", "default_transaction_isolation"],
  openApi: "follow-privileges",
  jwtAudience: undefined,
  preparedStatements: true,
  appSettings: [],
};

const ACQUIRE_TIMEOUT_MS = 10_000;
// Hosted refuses larger bodies at its gateway; a limit keeps one request from taking all memory.
const BODY_LIMIT = 100 * 1024 * 1024;

/** The settings of a hosted project, as the Supabase CLI passes them on from `[api]`. */
export function restOptions(context: ServiceContext): RestOptions {
  const { api } = context.config;
  return {
    settings: {
      ...DEFAULT_SETTINGS,
      schemas: api.schemas,
      extraSearchPath: api.extra_search_path,
      anonRole: "anon",
      maxRows: api.max_rows > 0 ? api.max_rows : undefined,
    },
    pool: context.database.pool("authenticator", "text"),
    connection: context.database.connection("authenticator"),
    checkToken: (token) => context.keys.checkToken(token),
    cachedCheck: (token) => context.keys.cachedCheck(token),
    clock: context.clock,
    log: context.log,
    channel: "pgrst",
    acquireTimeout: ACQUIRE_TIMEOUT_MS,
    bodyLimit: BODY_LIMIT,
  };
}

const list = (value: string) =>
  value
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
const flag = (value: string) => /^true$/i.test(value) || Number(value) > 0;
const text = (value: string) => (value === "" ? undefined : value);

/**
 * Applies `pgrst.name=value` entries over `base`. Unknown names and invalid values are left alone.
 * @param entries as in `pg_db_role_setting`, weakest first.
 */
export function withDatabaseSettings(base: RestSettings, entries: readonly string[]): RestSettings {
  const settings = { ...base };
  const appSettings = [...base.appSettings];
  for (const entry of entries) {
    const equals = entry.indexOf("=");
    const name = entry.slice(0, equals);
    const value = entry.slice(equals + 1);
    if (name.startsWith("pgrst.app.settings.")) appSettings.push([name.slice("pgrst.".length), value]);
    else if (name.startsWith("pgrst.")) applySetting(settings, name.slice("pgrst.".length), value);
  }
  return { ...settings, appSettings };
}

function applySetting(settings: RestSettings, name: string, value: string): void {
  switch (name) {
    case "db_schemas":
    case "db_schema":
      if (list(value).length > 0) settings.schemas = list(value);
      return;
    case "db_extra_search_path":
      settings.extraSearchPath = list(value);
      return;
    case "db_anon_role":
      settings.anonRole = text(value);
      return;
    case "db_max_rows":
    case "max_rows":
      settings.maxRows = /^\d+$/.test(value) ? Number(value) : undefined;
      return;
    case "db_aggregates_enabled":
      settings.aggregates = flag(value);
      return;
    case "db_plan_enabled":
      settings.plan = flag(value);
      return;
    case "db_pre_request":
    case "pre_request":
      settings.preRequest = text(value);
      return;
    case "db_tx_end":
      settings.txEnd = value.startsWith("rollback") ? "rollback" : "commit";
      settings.txOverride = value.endsWith("-allow-override");
      return;
    case "db_hoisted_tx_settings":
      settings.hoistedSettings = list(value);
      return;
    case "db_prepared_statements":
      settings.preparedStatements = flag(value);
      return;
    case "openapi_mode":
      if (value === "follow-privileges" || value === "ignore-privileges" || value === "disabled") {
        settings.openApi = value;
      }
      return;
    case "jwt_aud":
      settings.jwtAudience = text(value);
      return;
  }
}
