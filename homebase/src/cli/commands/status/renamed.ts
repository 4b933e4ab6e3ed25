/** Owns `status --override-name`: variables under other names. */
import { CommandError } from "../../kit/terminal.ts";

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
