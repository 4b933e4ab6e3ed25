/**
 * Owns the output of `--dump-config`: every setting with its effective value, in a form that can be read back
 * (PostgREST documentation, "Configuration", "CLI").
 */
import type { RestSettings } from "../options.ts";
import type { StandaloneConfig } from "./environment.ts";

/** @param settings the effective ones; they may come from the database. */
export function dumpConfig(config: StandaloneConfig, settings: RestSettings): string {
  const ending = settings.txOverride ? "-allow-override" : "";
  const values: Record<string, string | number | boolean> = {
    "admin-server-host": config.adminHost ?? config.hostText,
    "admin-server-port": config.adminPort ?? "",
    "admin-server-unix-socket": config.adminSocket ?? "",
    "admin-server-unix-socket-mode": config.adminSocketMode.toString(8),
    "client-error-verbosity": settings.verbosity,
    "db-aggregates-enabled": settings.aggregates,
    "db-anon-role": settings.anonRole ?? "",
    "db-channel": config.channelName,
    "db-channel-enabled": config.channelEnabled,
    "db-config": config.databaseSettings,
    "db-extra-search-path": settings.extraSearchPath.join(","),
    "db-hoisted-tx-settings": settings.hoistedSettings.join(","),
    "db-max-rows": settings.maxRows ?? "",
    "db-plan-enabled": settings.plan,
    "db-pool": config.poolSize,
    "db-pool-acquisition-timeout": config.acquireTimeout / 1_000,
    "db-pool-automatic-recovery": config.automaticRecovery,
    "db-pool-max-idletime": config.poolIdleMs / 1_000,
    "db-pool-max-lifetime": config.poolLifetimeSeconds,
    "db-pre-config": settings.preConfig ?? "",
    "db-pre-request": settings.preRequest ?? "",
    "db-prepared-statements": settings.preparedStatements,
    "db-root-spec": settings.rootSpec ?? "",
    "db-schemas": settings.schemas.join(","),
    "db-tx-end": `${settings.txEnd}${ending}`,
    "db-uri": config.databaseUri,
    "jwt-aud": settings.jwtAudience ?? "",
    "jwt-cache-max-entries": config.tokenCacheEntries,
    "jwt-role-claim-key": settings.roleClaimKey,
    "jwt-secret": settings.jwtSecret?.toString() ?? "",
    "jwt-secret-is-base64": settings.jwtSecretIsBase64,
    "log-level": config.logLevel,
    "log-query": config.logQuery,
    "openapi-mode": settings.openApi,
    "openapi-security-active": settings.openApiSecurity,
    "openapi-server-proxy-uri": settings.openApiProxy ?? "",
    "server-cors-allowed-origins": settings.corsOrigins?.join(",") ?? "",
    "server-host": config.hostText,
    "server-port": config.port,
    "server-reuseport": config.reusePort,
    "server-timing-enabled": settings.serverTiming,
    "server-trace-header": settings.traceHeader ?? "",
    "server-unix-socket": config.socket ?? "",
    "server-unix-socket-mode": config.socketMode.toString(8),
    "url-use-legacy-target-names": settings.legacyTargetNames,
  };
  for (const [name, value] of settings.appSettings) values[name] = value;
  const lines = Object.entries(values).map(([name, value]) => {
    const text = typeof value === "string" ? quoted(value) : String(value);
    return `${name} = ${text}\n`;
  });
  return lines.sort().join("");
}

/** Dollar signs are doubled, because a file reads `$(NAME)` as a variable. */
function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("$", "$$$$")}"`;
}
