/**
 * Owns the output of `--dump-config`: every setting with its effective value, in a form that can be read back
 * (PostgREST documentation, "Configuration", "CLI").
 */
import { REST_SETTINGS, type RestSettings, type Setting } from "../../src/rest/postgrest-settings.ts";
import { STANDALONE_SETTINGS, type StandaloneConfig } from "./environment.ts";

/** @param settings the effective ones; they may come from the database. */
export function dumpConfig(config: StandaloneConfig, settings: RestSettings): string {
  // These two have a newer name, and no value by default.
  const { db_pool_timeout, server_shutdown_timeout, ...standalone } = STANDALONE_SETTINGS;
  const values: Record<string, unknown> = {
    ...valuesOf(standalone, config),
    ...valuesOf(REST_SETTINGS, settings),
    "admin-server-host": config.adminHost ?? config.hostText,
    "admin-server-unix-socket-mode": config.adminSocketMode.toString(8),
    "db-pool-max-idletime": config.poolIdleSeconds,
    "jwt-role-claim-key": settings.roleClaim.path,
    ...(settings.jwtSecretIsBase64 ? { "jwt-secret": recoded(settings.jwtSecret) } : {}),
    "server-unix-socket-mode": config.socketMode.toString(8),
    ...Object.fromEntries(settings.appSettings),
  };
  const lines = Object.entries(values).map(([name, value]) => {
    const plain = typeof value === "number" || typeof value === "boolean";
    // A list as text has commas between its items.
    return `${name} = ${plain ? value : quoted(String(value ?? ""))}\n`;
  });
  return lines.sort().join("");
}

function valuesOf<Settings>(
  table: Record<string, Setting<Settings>>,
  settings: Settings,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(table).map(([name, { key }]) => [name.replaceAll("_", "-"), settings[key]]),
  );
}

/** A secret in base64: PostgREST prints it in the standard alphabet with padding. */
function recoded(secret: string | Buffer | undefined): string {
  return Buffer.from(
    String(secret ?? "")
      .trim()
      .replaceAll(".", "="),
    "base64url",
  ).toString("base64");
}

/** Dollar signs are doubled, because a file reads `$(NAME)` as a variable. */
function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("$", "$$$$")}"`;
}
