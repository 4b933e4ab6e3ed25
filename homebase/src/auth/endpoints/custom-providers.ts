/** Owns /admin/custom-providers: adding, changing and removing custom providers (docs/compat/auth.md 1). */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { isRecord } from "../../core/record.ts";
import type { ServiceResponse } from "../../http/exchange.ts";
import { read } from "../kit/as-auth-admin.ts";
import { type Auth, currentTime } from "../kit/auth.ts";
import type { AuthEndpoint } from "../kit/endpoint.ts";
import { badRequest, DatabaseFailure, notFound, validationFailed } from "../kit/errors.ts";
import { type AuthRequest, fields, json } from "../kit/request-fields.ts";
import { CUSTOM_PREFIX, customProviderJson, findCustomProvider } from "../providers/added-providers.ts";
import type { CustomProvider } from "../providers/provider.ts";
import { PROVIDERS } from "../providers/providers.ts";

const names = z.array(z.string());
const body = z.object({
  provider_type: z.string().default(""),
  identifier: z.string().default(""),
  name: z.string().default(""),
  client_id: z.string().default(""),
  client_secret: z.string().default(""),
  acceptable_client_ids: names.optional(),
  scopes: names.optional(),
  pkce_enabled: z.boolean().optional(),
  attribute_mapping: z.record(z.string(), z.unknown()).optional(),
  custom_claims_allowlist: names.optional(),
  authorization_params: z.record(z.string(), z.unknown()).optional(),
  enabled: z.boolean().optional(),
  email_optional: z.boolean().optional(),
  issuer: z.string().default(""),
  discovery_url: z.string().optional(),
  skip_nonce_check: z.boolean().optional(),
  authorization_url: z.string().default(""),
  token_url: z.string().default(""),
  userinfo_url: z.string().default(""),
  jwks_uri: z.string().optional(),
});

type Given = z.output<typeof body>;

/** OAuth parameters that only the server sets. */
const RESERVED_PARAMETERS = [
  "client_id",
  "client_secret",
  "redirect_uri",
  "response_type",
  "state",
  "code_challenge",
  "code_challenge_method",
  "code_verifier",
  "nonce",
];
/** User attributes that a provider must not set. */
const PROTECTED_FIELDS = [
  "id",
  "aud",
  "role",
  "app_metadata",
  "created_at",
  "updated_at",
  "confirmed_at",
  "email_confirmed_at",
  "phone_confirmed_at",
  "banned_until",
  "is_super_admin",
];
const BUILT_IN = new Set<string>([...PROVIDERS, "x", "zoom"]);
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

const unknown = () => notFound("custom_provider_not_found", "Custom OAuth provider not found");

/** GET /admin/custom-providers */
export async function listCustomProviders(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const type = request.query.get("type") ?? "";
  if (type !== "" && type !== "oauth2" && type !== "oidc") {
    throw validationFailed("type must be either 'oauth2' or 'oidc'");
  }
  const rows = await read<{ provider: CustomProvider }>(
    auth.context.database,
    `select to_jsonb(p) as provider from custom_oauth_providers p where $1 = '' or provider_type = $1
     order by created_at desc`,
    [type],
  );
  return json(200, { providers: rows.map(({ provider }) => customProviderJson(provider)) });
}

/** POST /admin/custom-providers */
export async function createCustomProvider(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const given = await fields(request, body);
  const type = given.provider_type;
  if (type !== "oauth2" && type !== "oidc") {
    throw validationFailed("provider_type must be either 'oauth2' or 'oidc'");
  }
  const identifier = checkComplete(given, type);
  checkMappings(given);
  await requireRoom(auth);
  checkAddresses(given);
  if (await findCustomProvider(auth, identifier)) {
    throw badRequest("conflict", "A custom OAuth provider with this identifier already exists");
  }
  const now = currentTime(auth);
  const oidc = type === "oidc";
  const row: CustomProvider = {
    id: randomUUID(),
    provider_type: type,
    identifier,
    name: given.name,
    client_id: given.client_id,
    client_secret: given.client_secret,
    acceptable_client_ids: given.acceptable_client_ids ?? [],
    scopes: withOpenId(oidc, given.scopes ?? []),
    pkce_enabled: given.pkce_enabled ?? true,
    attribute_mapping: given.attribute_mapping ?? {},
    custom_claims_allowlist: given.custom_claims_allowlist ?? [],
    authorization_params: given.authorization_params ?? {},
    enabled: given.enabled ?? true,
    email_optional: given.email_optional ?? false,
    issuer: oidc ? given.issuer : null,
    discovery_url: oidc ? (given.discovery_url ?? null) : null,
    skip_nonce_check: oidc && (given.skip_nonce_check ?? false),
    authorization_url: oidc ? null : given.authorization_url,
    token_url: oidc ? null : given.token_url,
    userinfo_url: oidc ? null : given.userinfo_url,
    jwks_uri: oidc ? null : (given.jwks_uri ?? null),
    created_at: now,
    updated_at: now,
  };
  await write(auth, "insert", row);
  return json(201, customProviderJson(row));
}

/** GET /admin/custom-providers/{identifier} */
export const getCustomProvider: AuthEndpoint<"id"> = async (auth, _request, { id }) => {
  return json(200, customProviderJson(await named(auth, id)));
};

/** PUT /admin/custom-providers/{identifier} */
export const updateCustomProvider: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  checkPrefix(id);
  const given = await fields(request, body);
  checkMappings(given);
  checkAddresses(given);
  const row = await named(auth, id);
  const oidc = row.provider_type === "oidc";
  const changed: CustomProvider = {
    ...row,
    name: given.name || row.name,
    client_id: given.client_id || row.client_id,
    client_secret: given.client_secret || row.client_secret,
    acceptable_client_ids: given.acceptable_client_ids ?? row.acceptable_client_ids,
    scopes: given.scopes ? withOpenId(oidc, given.scopes) : row.scopes,
    pkce_enabled: given.pkce_enabled ?? row.pkce_enabled,
    attribute_mapping: given.attribute_mapping ?? row.attribute_mapping,
    custom_claims_allowlist: given.custom_claims_allowlist ?? row.custom_claims_allowlist,
    authorization_params: given.authorization_params ?? row.authorization_params,
    enabled: given.enabled ?? row.enabled,
    email_optional: given.email_optional ?? row.email_optional,
    issuer: oidc ? given.issuer || row.issuer : null,
    discovery_url: oidc ? (given.discovery_url ?? row.discovery_url) : null,
    skip_nonce_check: oidc && (given.skip_nonce_check ?? row.skip_nonce_check),
    authorization_url: oidc ? null : given.authorization_url || row.authorization_url,
    token_url: oidc ? null : given.token_url || row.token_url,
    userinfo_url: oidc ? null : given.userinfo_url || row.userinfo_url,
    jwks_uri: oidc ? null : (given.jwks_uri ?? row.jwks_uri),
    updated_at: currentTime(auth),
  };
  await write(auth, "update", changed);
  return json(200, customProviderJson(changed));
};

/** DELETE /admin/custom-providers/{identifier} */
export const deleteCustomProvider: AuthEndpoint<"id"> = async (auth, _request, { id }) => {
  const row = await named(auth, id);
  await read(auth.context.database, "delete from custom_oauth_providers where id = $1", [row.id]);
  return { status: 204, headers: {}, body: "" };
};

/** @throws AuthError over_custom_provider_quota */
async function requireRoom(auth: Auth): Promise<void> {
  const most = auth.settings.mostCustomProviders;
  if (most === undefined) return;
  const [count] = await read<{ count: string }>(
    auth.context.database,
    "select count(*) from custom_oauth_providers",
  );
  if (Number(count?.count) < most) return;
  throw badRequest("over_custom_provider_quota", "Maximum number of custom OAuth/OIDC providers reached");
}

function checkPrefix(identifier: string): void {
  if (!identifier.startsWith(CUSTOM_PREFIX)) {
    throw validationFailed("identifier must start with 'custom:' prefix");
  }
}

async function named(auth: Auth, identifier: string): Promise<CustomProvider> {
  checkPrefix(identifier);
  const row = await findCustomProvider(auth, identifier);
  if (!row) throw unknown();
  return row;
}

/**
 * @returns the identifier, prefixed. @throws AuthError validation_failed when a new provider lacks a required
 * field.
 */
function checkComplete(given: Given, type: "oauth2" | "oidc"): string {
  if (given.identifier === "") throw validationFailed("identifier is required");
  const base = given.identifier.replace(/^custom:/, "");
  if (BUILT_IN.has(base.toLowerCase())) {
    throw validationFailed(
      `Cannot use reserved provider name: ${base}. This provider is already built into Supabase Auth.`,
    );
  }
  for (const member of ["name", "client_id", "client_secret"] as const) {
    if (given[member] === "") throw validationFailed(`${member} is required`);
  }
  if (type === "oidc" && given.issuer === "") throw validationFailed("issuer is required for OIDC providers");
  for (const member of ["authorization_url", "token_url", "userinfo_url"] as const) {
    if (type === "oauth2" && given[member] === "") {
      throw validationFailed(`${member} is required for OAuth2 providers`);
    }
  }
  return CUSTOM_PREFIX + base;
}

function checkMappings(given: Given): void {
  const parameter = RESERVED_PARAMETERS.find((name) => Object.hasOwn(given.authorization_params ?? {}, name));
  if (parameter) throw validationFailed(`Cannot override reserved OAuth parameter: ${parameter}`);
  const field = PROTECTED_FIELDS.find((name) => Object.hasOwn(given.attribute_mapping ?? {}, name));
  if (field) throw validationFailed(`Cannot map to protected system field: ${field}`);
}

/** Secrets are sent to these URLs: they must use https, except on this machine. */
function checkAddresses(given: Given): void {
  const { issuer, discovery_url, authorization_url, token_url, userinfo_url, jwks_uri } = given;
  for (const address of [issuer, discovery_url, authorization_url, token_url, userinfo_url, jwks_uri]) {
    if (!address) continue;
    if (!URL.canParse(address)) throw validationFailed(`Invalid URL: ${address}`);
    const url = new URL(address);
    if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.has(url.hostname))) {
      throw validationFailed(`URL must use HTTPS: ${address}`);
    }
  }
}

function withOpenId(oidc: boolean, scopes: string[]): string[] {
  return oidc && !scopes.includes("openid") ? ["openid", ...scopes] : scopes;
}

async function write(auth: Auth, how: "insert" | "update", row: CustomProvider): Promise<void> {
  const columns = Object.keys(row);
  const values = columns.map((column) => {
    const value = row[column as keyof CustomProvider];
    return isRecord(value) ? JSON.stringify(value) : value;
  });
  const marks = columns.map((_, index) => `$${index + 1}`);
  const text =
    how === "insert"
      ? `insert into custom_oauth_providers (${columns.join(", ")}) values (${marks.join(", ")})`
      : `update custom_oauth_providers set (${columns.join(", ")}) = row(${marks.join(", ")}) where id = $1`;
  await read(auth.context.database, text, values).catch((error: unknown) => {
    throw new DatabaseFailure(
      `Error ${how === "insert" ? "creating" : "updating"} custom OAuth provider`,
      error,
    );
  });
}
