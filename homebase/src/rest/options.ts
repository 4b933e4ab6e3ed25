/**
 * Owns the settings of the REST interface and the service's other dependencies. `settings.ts` parses settings
 * from text (PostgREST documentation, "Configuration").
 */

import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Foreign } from "../http/exchange.ts";
import { requireOwnRole } from "../http/secret-rights.ts";
import type { Notifications } from "../postgres/notifications.ts";
import type { PipelinePool } from "../postgres/pipeline/pool.ts";
import type { ServiceContext } from "../service-context.ts";
import type { TokenCheck } from "../tokens/verify.ts";
import { Metrics } from "./metrics.ts";
import { DEFAULT_ROLE_CLAIM, type RoleClaim } from "./role-claim.ts";

/** Settings that `alter role authenticator set pgrst.…` can change. */
export interface RestSettings {
  schemas: readonly string[];
  extraSearchPath: readonly string[];
  anonRole: string | undefined;
  /** Maximum number of rows of any node of a read or call; undefined for no limit. */
  maxRows: number | undefined;
  aggregates: boolean;
  plan: boolean;
  preRequest: string | undefined;
  txEnd: "commit" | "rollback";
  txOverride: boolean;
  hoistedSettings: readonly string[];
  openApi: "follow-privileges" | "ignore-privileges" | "disabled";
  openApiSecurity: boolean;
  /** The public URL in the description; defaults to the server's own. */
  openApiProxy: string | undefined;
  /** A function that handles requests to the root instead of the description. */
  rootSpec: string | undefined;
  jwtAudience: string | undefined;
  /** Text, JWK or JWK set; undefined leaves checking to `RestOptions.checkToken`. */
  /** Bytes when a file is not text. */
  jwtSecret: string | Buffer | undefined;
  jwtSecretIsBase64: boolean;
  roleClaim: RoleClaim;
  /** The path of `roleClaim` in the notation of RFC 9535. */
  roleClaimKey: string;
  /** A function that runs before the database's settings are read; it may set some. */
  preConfig: string | undefined;
  /** "minimal" omits details and hint from errors. */
  verbosity: "verbose" | "minimal";
  serverTiming: boolean;
  /** Lower case: a request header that every response repeats. */
  traceHeader: string | undefined;
  /** Origins that browsers may use with credentials; undefined allows any, without credentials. */
  corsOrigins: readonly string[] | undefined;
  /** Whether filters may refer to an embed by its relation although it has an alias. */
  legacyTargetNames: boolean;
  /** Whether an unfiltered PATCH or DELETE is rejected, as the safeupdate library does on hosted. */
  safeUpdate: boolean;
  preparedStatements: boolean;
  appSettings: readonly (readonly [name: string, value: string])[];
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
  /** The base settings, which those of the database override; `again` rereads the configuration file. */
  rereadSettings?: (again: boolean) => RestSettings;
  /** Called when the connection for notifications is lost. */
  onListenerLost?: () => void;
  /** A request's connection was ended by the server (57P01). */
  onConnectionEnded?: () => void;
  /** Called with the error when the schema cannot be read. */
  onLoadFailure?: (failure: unknown) => void;
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
  openApiSecurity: false,
  openApiProxy: undefined,
  rootSpec: undefined,
  jwtAudience: undefined,
  jwtSecret: undefined,
  jwtSecretIsBase64: false,
  roleClaim: DEFAULT_ROLE_CLAIM,
  roleClaimKey: "$.role",
  preConfig: undefined,
  verbosity: "verbose",
  serverTiming: false,
  traceHeader: undefined,
  corsOrigins: undefined,
  legacyTargetNames: true,
  safeUpdate: false,
  preparedStatements: true,
  appSettings: [],
};

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
      ...DEFAULT_SETTINGS,
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
  };
}
