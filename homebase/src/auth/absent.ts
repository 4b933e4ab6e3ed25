/**
 * Owns the endpoints of features that are not built: switched off in configuration they answer as the
 * real server does then; switched on they say that they are missing (501).
 */
import type { Auth } from "./auth.ts";
import { notBuilt, notFound } from "./errors.ts";

/** /sso */
export function sso(): never {
  throw notFound("saml_provider_disabled", "SAML 2.0 is disabled");
}

/** /oauth: Auth as a provider itself. */
export function oauthServer(auth: Auth): never {
  if (auth.config.oauth_server.enabled) throw notBuilt("the OAuth server");
  throw notFound("feature_disabled", "OAuth server is disabled");
}

/** /scim */
export function scim(): never {
  throw notFound("feature_disabled", "SCIM is disabled");
}
