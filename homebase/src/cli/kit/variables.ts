/** Owns the names and values that `status` prints: those of the Supabase CLI (docs/compat/platform.md 3.2). */
import type { Config } from "../../config/config.ts";
import { S3_ACCESS_KEY_ID, S3_ACCESS_KEY_SECRET, S3_REGION } from "../../storage/kit/s3-keys.ts";
import type { Keys } from "../../tokens/keys.ts";
import { CommandError } from "./terminal.ts";

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

/** The Supabase CLI's names of what status prints, for --override-name. */
const FIELDS: Readonly<Record<string, string>> = {
  "api.url": "API_URL",
  "api.rest_url": "REST_URL",
  "api.graphql_url": "GRAPHQL_URL",
  "api.functions_url": "FUNCTIONS_URL",
  "api.mcp_url": "MCP_URL",
  "api.storage_s3_url": "STORAGE_S3_URL",
  "db.url": "DB_URL",
  "studio.url": "STUDIO_URL",
  "inbucket.url": "INBUCKET_URL",
  "mailpit.url": "MAILPIT_URL",
  "auth.publishable_key": "PUBLISHABLE_KEY",
  "auth.secret_key": "SECRET_KEY",
  "auth.jwt_secret": "JWT_SECRET",
  "auth.anon_key": "ANON_KEY",
  "auth.service_role_key": "SERVICE_ROLE_KEY",
  "storage.s3_access_key_id": "S3_PROTOCOL_ACCESS_KEY_ID",
  "storage.s3_secret_access_key": "S3_PROTOCOL_ACCESS_KEY_SECRET",
  "storage.s3_region": "S3_PROTOCOL_REGION",
};

/**
 * Variables under other names, in alphabetical order.
 * @param overrides as `api.url=NEXT_PUBLIC_SUPABASE_URL` @throws CommandError for a field that the CLI does not have
 */
export function renamed(
  variables: Readonly<Record<string, string>>,
  overrides: readonly string[],
): Record<string, string> {
  const names = new Map<string, string>();
  for (const override of overrides) {
    const [field = "", name = ""] = override.split("=");
    const known = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    if (known === undefined || !/^[A-Za-z_]\w*$/.test(name)) {
      throw new CommandError(
        `--override-name takes FIELD=NAME, not ${override}. Fields: ${Object.keys(FIELDS).join(", ")}.`,
        2,
      );
    }
    names.set(known, name);
  }
  const entries = Object.entries(variables).map(([name, value]) => [names.get(name) ?? name, value] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
