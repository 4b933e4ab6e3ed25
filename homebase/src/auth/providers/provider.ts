/** Owns a provider as a value: from the configuration, or added by an administrator. */
import type { Instant } from "../users/user.ts";

/** A row as Postgres returns it in JSON. */
export interface CustomProvider {
  id: string;
  provider_type: "oauth2" | "oidc";
  identifier: string;
  name: string;
  client_id: string;
  client_secret: string;
  acceptable_client_ids: string[];
  scopes: string[];
  pkce_enabled: boolean;
  attribute_mapping: Record<string, unknown>;
  /** Claims of the provider that are kept as they are, in `custom_claims`. */
  custom_claims_allowlist: string[];
  authorization_params: Record<string, unknown>;
  enabled: boolean;
  email_optional: boolean;
  issuer: string | null;
  discovery_url: string | null;
  skip_nonce_check: boolean;
  authorization_url: string | null;
  token_url: string | null;
  userinfo_url: string | null;
  jwks_uri: string | null;
  created_at: Instant;
  updated_at: Instant;
}

/** An enabled provider. */
export interface Provider {
  name: string;
  clientId: string;
  secret: string;
  /** The real provider's URL; "" when the local page stands in for it. */
  url: string;
  /** The callback URL. */
  redirectUri: string;
  scope: string;
  emailOptional: boolean;
  /** Set for a provider that an administrator added. */
  custom?: CustomProvider;
}
