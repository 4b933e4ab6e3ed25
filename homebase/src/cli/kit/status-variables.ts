/** Owns the names and values that `status` prints: those of the Supabase CLI (docs/compat/platform.md 3.2). */
import type { Config } from "../../config/config.ts";
import { S3_ACCESS_KEY_ID, S3_ACCESS_KEY_SECRET, S3_REGION } from "../../storage/kit/s3-keys.ts";
import type { Keys } from "../../tokens/keys.ts";

/**
 * Variables by name, in alphabetical order. Those of disabled sections are omitted.
 * @param mcpToken of this start; not for what a start prints, which may be kept.
 */
export function statusVariables(
  config: Config,
  keys: Keys,
  url: string,
  mcpToken?: string,
): Record<string, string> {
  const inbox = `http://127.0.0.1:${config.local_smtp.port}`;
  const variables: Record<string, string | false> = {
    ANON_KEY: keys.anonKey,
    API_URL: url,
    DB_URL: `postgresql://postgres:postgres@127.0.0.1:${config.db.port}/postgres`,
    FUNCTIONS_URL: config.edge_runtime.enabled && `${url}/functions/v1`,
    GRAPHQL_URL: `${url}/graphql/v1`,
    INBUCKET_URL: config.local_smtp.enabled && inbox,
    JWT_SECRET: keys.jwtSecret,
    MAILPIT_URL: config.local_smtp.enabled && inbox,
    MCP_TOKEN: config.studio.enabled && mcpToken !== undefined && mcpToken,
    MCP_URL: config.studio.enabled && `http://127.0.0.1:${config.api.port}/mcp`,
    PUBLISHABLE_KEY: keys.publishableKey,
    REST_URL: `${url}/rest/v1`,
    S3_PROTOCOL_ACCESS_KEY_ID: config.storage.s3_protocol.enabled && S3_ACCESS_KEY_ID,
    S3_PROTOCOL_ACCESS_KEY_SECRET: config.storage.s3_protocol.enabled && S3_ACCESS_KEY_SECRET,
    S3_PROTOCOL_REGION: config.storage.s3_protocol.enabled && S3_REGION,
    SECRET_KEY: keys.secretKey,
    SERVICE_ROLE_KEY: keys.serviceRoleKey,
    STORAGE_S3_URL: config.storage.s3_protocol.enabled && `${url}/storage/v1/s3`,
  };
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** A variable for `eval` in a shell. Values come from config.toml, so what a shell reads within quotes is escaped. */
export function variableLine(name: string, value: string): string {
  return `${name}="${value.replace(/[\\"$`]/g, "\\$&")}"\n`;
}
