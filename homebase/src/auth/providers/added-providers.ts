/** Owns the providers that an administrator adds at run time: auth.custom_oauth_providers. */

import { read } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { validationFailed } from "../kit/errors.ts";
import { rfc3339 } from "../users/user.ts";
import type { CustomProvider, Provider } from "./provider.ts";

export const CUSTOM_PREFIX = "custom:";

/** The provider as administrators see it: without its secret. */
export function customProviderJson(row: CustomProvider): Record<string, unknown> {
  return {
    id: row.id,
    provider_type: row.provider_type,
    identifier: row.identifier,
    name: row.name,
    client_id: row.client_id,
    acceptable_client_ids: row.acceptable_client_ids,
    scopes: row.scopes,
    pkce_enabled: row.pkce_enabled,
    attribute_mapping: row.attribute_mapping,
    custom_claims_allowlist: row.custom_claims_allowlist,
    authorization_params: row.authorization_params,
    enabled: row.enabled,
    email_optional: row.email_optional,
    issuer: row.issuer ?? undefined,
    discovery_url: row.discovery_url ?? undefined,
    skip_nonce_check: row.provider_type === "oidc" ? row.skip_nonce_check : undefined,
    authorization_url: row.authorization_url ?? undefined,
    token_url: row.token_url ?? undefined,
    userinfo_url: row.userinfo_url ?? undefined,
    jwks_uri: row.jwks_uri ?? undefined,
    created_at: rfc3339(row.created_at),
    updated_at: rfc3339(row.updated_at),
  };
}

/** A provider by its identifier, prefix included. */
export async function findCustomProvider(
  auth: Auth,
  identifier: string,
): Promise<CustomProvider | undefined> {
  const [found] = await read<{ provider: CustomProvider }>(
    auth.context.database,
    "select to_jsonb(p) as provider from custom_oauth_providers p where identifier = $1",
    [identifier],
  );
  return found?.provider;
}

/** A provider for sign-in. @throws AuthError validation_failed when it is unknown or disabled. */
export async function customProviderNamed(auth: Auth, name: string, scopes: string): Promise<Provider> {
  const row = await findCustomProvider(auth, name);
  if (!row) throw validationFailed(`Unsupported provider: Provider ${name} could not be found`);
  if (!row.enabled) throw validationFailed("Unsupported provider: provider is not enabled");
  const extra = scopes.split(",").map((scope) => scope.trim());
  return {
    name,
    clientId: row.client_id,
    secret: row.client_secret,
    url: row.issuer ?? row.authorization_url ?? "",
    redirectUri: `${auth.settings.issuer}/callback`,
    scope: [...row.scopes, ...extra].filter(Boolean).join(" "),
    emailOptional: row.email_optional,
    custom: row,
  };
}
