/**
 * Owns parsing settings that both the environment and the database can supply (PostgREST documentation,
 * "Configuration").
 */

import { parseSecret } from "./jwt-secret.ts";
import type { RestSettings } from "./options.ts";
import { parseRoleClaim } from "./role-claim.ts";

/** An invalid value of a setting. */
export class SettingError extends Error {}

const list = (value: string) =>
  value
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);

/** PostgREST's booleans: the words in any case, or a number above zero. Any other text is false. */
export const flag = (value: string) => /^true$/i.test(value.replace(/\P{L}/gu, "")) || Number(value) > 0;

const text = (value: string) => (value === "" ? undefined : value);

function choice<Name extends string>(value: string, names: readonly Name[]): Name {
  const found = names.find((one) => one === value);
  if (found === undefined) throw new SettingError(`must be one of ${names.join(", ")}, not "${value}"`);
  return found;
}

const PROXY = /^https?:\/\/(\[[\dA-Fa-f:.]+\]|[^\s/?#@:[\]]+)(?::(\d*))?(?:\/[^\s?#]*)?$/i;

/** An absolute HTTP URL, without user and query, with a valid port (PostgREST, Config/Proxy.hs). */
function isProxyAddress(value: string): boolean {
  const [, , port] = PROXY.exec(value) ?? [undefined, undefined, "none"];
  return port === undefined || (/^\d+$/.test(port) && Number(port) > 0 && Number(port) < 65_536);
}

type Reader = (settings: RestSettings, value: string) => void;

const TX_ENDS = ["commit", "commit-allow-override", "rollback", "rollback-allow-override"] as const;

const readers = {
  db_schemas: (settings, value) => {
    const schemas = list(value);
    if (schemas.length === 0) throw new SettingError("must name a schema");
    const inner = schemas.find((one) => one === "pg_catalog" || one === "information_schema");
    if (inner !== undefined) throw new SettingError(`does not allow schema: '${inner}'`);
    settings.schemas = schemas;
  },
  db_extra_search_path: (settings, value) => {
    settings.extraSearchPath = list(value);
  },
  db_anon_role: (settings, value) => {
    settings.anonRole = text(value);
  },
  db_max_rows: (settings, value) => {
    settings.maxRows = /^\d+$/.test(value) ? Number(value) : undefined;
  },
  db_aggregates_enabled: (settings, value) => {
    settings.aggregates = flag(value);
  },
  db_plan_enabled: (settings, value) => {
    settings.plan = flag(value);
  },
  db_pre_request: (settings, value) => {
    settings.preRequest = text(value);
  },
  db_pre_config: (settings, value) => {
    settings.preConfig = text(value);
  },
  db_root_spec: (settings, value) => {
    settings.rootSpec = text(value);
  },
  db_tx_end: (settings, value) => {
    const end = choice(value, TX_ENDS);
    settings.txEnd = end.startsWith("rollback") ? "rollback" : "commit";
    settings.txOverride = end.endsWith("-allow-override");
  },
  db_hoisted_tx_settings: (settings, value) => {
    settings.hoistedSettings = list(value);
  },
  db_prepared_statements: (settings, value) => {
    settings.preparedStatements = flag(value);
  },
  openapi_mode: (settings, value) => {
    settings.openApi = choice(value, ["follow-privileges", "ignore-privileges", "disabled"]);
  },
  openapi_security_active: (settings, value) => {
    settings.openApiSecurity = flag(value);
  },
  openapi_server_proxy_uri: (settings, value) => {
    if (value !== "" && !isProxyAddress(value)) {
      throw new SettingError(`must be an address like https://example.com:8443/basePath, not "${value}"`);
    }
    settings.openApiProxy = text(value);
  },
  jwt_aud: (settings, value) => {
    if (value.includes(":") && !URL.canParse(value))
      throw new SettingError("must be a string or a valid URI");
    settings.jwtAudience = text(value);
  },
  jwt_secret: (settings, value) => {
    settings.jwtSecret = text(value);
  },
  jwt_secret_is_base64: (settings, value) => {
    settings.jwtSecretIsBase64 = flag(value);
  },
  jwt_role_claim_key: (settings, value) => {
    const claim = parseRoleClaim(value);
    if (!claim) throw new SettingError(`must be a JSON path, not "${value}"`);
    settings.roleClaim = claim.read;
    settings.roleClaimKey = claim.path;
  },
  client_error_verbosity: (settings, value) => {
    settings.verbosity = choice(value, ["verbose", "minimal"]);
  },
  server_cors_allowed_origins: (settings, value) => {
    settings.corsOrigins = list(value).length === 0 ? undefined : list(value);
  },
  server_timing_enabled: (settings, value) => {
    settings.serverTiming = flag(value);
  },
  server_trace_header: (settings, value) => {
    settings.traceHeader = text(value)?.toLowerCase();
  },
  url_use_legacy_target_names: (settings, value) => {
    settings.legacyTargetNames = flag(value);
  },
} satisfies Record<string, Reader>;

const aliases: Record<string, keyof typeof readers> = {
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
export const SETTING_NAMES: readonly string[] = [...Object.keys(readers), ...Object.keys(aliases)];

/**
 * Sets one setting, named in PostgREST's spelling, lower case with underscores.
 * @returns false for an unknown setting.
 * @throws SettingError for an invalid value.
 */
export function applySetting(settings: RestSettings, name: string, value: string): boolean {
  const key = aliases[name] ?? name;
  if (!Object.hasOwn(readers, key)) return false;
  readers[key as keyof typeof readers](settings, value);
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
