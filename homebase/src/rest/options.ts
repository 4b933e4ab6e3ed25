/**
 * Owns the settings of the REST interface and all else that the service is made from. How a setting is
 * read from text is in `settings.ts` (PostgREST documentation, "Configuration").
 */

import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Notifications } from "../postgres/notifications.ts";
import type { PipelinePool } from "../postgres/pipeline/pool.ts";
import type { ServiceContext } from "../service-context.ts";
import type { TokenCheck } from "../tokens/verify.ts";
import type { Metrics } from "./metrics.ts";
import { DEFAULT_ROLE_CLAIM, type RoleClaim } from "./role-claim.ts";

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
  openApiSecurity: boolean;
  /** The address that the description names instead of the server's own. */
  openApiProxy: string | undefined;
  /** A function that answers the root instead of the description. */
  rootSpec: string | undefined;
  jwtAudience: string | undefined;
  /** Text, JWK or JWK set; undefined leaves checking to `RestOptions.checkToken`. */
  /** Bytes where a file has no text. */
  jwtSecret: string | Buffer | undefined;
  jwtSecretIsBase64: boolean;
  roleClaim: RoleClaim;
  /** The path that `roleClaim` follows, as RFC 9535 writes it. */
  roleClaimKey: string;
  /** Run before the database's settings are read; it may set some. */
  preConfig: string | undefined;
  /** "minimal" leaves details and hint out of errors. */
  verbosity: "verbose" | "minimal";
  serverTiming: boolean;
  /** Lower case: a request header that every response repeats. */
  traceHeader: string | undefined;
  /** Origins that browsers may ask from with credentials; undefined is any, without. */
  corsOrigins: readonly string[] | undefined;
  /** Whether filters may name an embed by its relation although it has an alias. */
  legacyTargetNames: boolean;
  /** Whether an unfiltered PATCH or DELETE is refused, as the safeupdate library does on hosted. */
  safeUpdate: boolean;
  preparedStatements: boolean;
  appSettings: readonly (readonly [name: string, value: string])[];
}

/** All that the service needs; by `homebase rest` from the environment, in a Backend from its context. */
export interface RestOptions {
  settings: RestSettings;
  /** Connections as the connecting role. Not closed by the service. */
  pool: PipelinePool;
  /** Where NOTIFY is heard of. Not closed by the service. */
  notifications: Notifications;
  /** Checks a token's signature; undefined when there is no secret. */
  checkToken: ((token: string) => Promise<TokenCheck>) | undefined;
  cachedCheck: ((token: string) => TokenCheck | undefined) | undefined;
  clock: Clock;
  log: Log;
  /** What to LISTEN on; undefined: nothing tells that the schema changed. */
  channel: string | undefined;
  /** Whether settings of the connecting role in the database count. */
  databaseSettings: boolean;
  /** How many tokens to remember the signature of, where a secret of the settings checks them. */
  tokenCacheEntries: number;
  /** How long the first request waits for the schema cache, in milliseconds. */
  loadTimeout: number;
  /** How long a request waits for a connection, in milliseconds. */
  acquireTimeout: number;
  /** Most bytes of a request body. */
  bodyLimit: number;
  metrics?: Metrics;
  /** The settings that those of the database come over; `again`: as a file has them now. */
  rereadSettings?: (again: boolean) => RestSettings;
  /** Called when the connection that notifications come on is lost. */
  onListenerLost?: () => void;
  /** Called with the failure when the schema cannot be read. */
  onLoadFailure?: (failure: unknown) => void;
  /** Called with a request's main statement before it runs. */
  onStatement?: (requestId: string, text: string) => void;
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
// Hosted refuses larger bodies at its gateway; a limit keeps one request from taking all memory.
export const BODY_LIMIT = 100 * 1024 * 1024;

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
      openApiProxy: `${context.url}/rest/v1`,
      safeUpdate: true,
    },
    pool: context.database.pipeline("authenticator"),
    notifications: context.database.notifications,
    checkToken: (token) => context.keys.checkToken(token),
    cachedCheck: (token) => context.keys.cachedCheck(token),
    clock: context.clock,
    log: context.log,
    channel: "pgrst",
    databaseSettings: true,
    tokenCacheEntries: TOKEN_CACHE_ENTRIES,
    loadTimeout: LOAD_TIMEOUT_MS,
    acquireTimeout: ACQUIRE_TIMEOUT_MS,
    bodyLimit: BODY_LIMIT,
  };
}
