/** Owns the document that describes Auth to OpenID Connect and OAuth clients. */
import type { ServiceResponse } from "../../http/exchange.ts";
import type { Auth } from "./auth.ts";
import { json } from "./request-fields.ts";

/** Headers of public documents that seldom change. */
export const CACHED = { "cache-control": "public, max-age=600" };

/**
 * GET /.well-known/openid-configuration, and /.well-known/oauth-authorization-server when the OAuth server is
 * on. One document satisfies OpenID Connect Discovery and RFC 8414.
 */
export function openidConfiguration({ settings: { issuer }, config }: Auth): ServiceResponse {
  const { enabled, allow_dynamic_registration: open } = config.oauth_server;
  return json(
    200,
    {
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      userinfo_endpoint: `${issuer}/oauth/userinfo`,
      ...(enabled && open ? { registration_endpoint: `${issuer}/oauth/clients/register` } : {}),
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256", "HS256", "ES256"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
      claims_supported: [
        "sub",
        "aud",
        "iss",
        "exp",
        "iat",
        "auth_time",
        "nonce",
        "email",
        "email_verified",
        "phone_number",
        "phone_number_verified",
        "name",
        "picture",
        "preferred_username",
        "updated_at",
      ],
      code_challenge_methods_supported: ["S256", "plain"],
      scopes_supported: ["openid", "profile", "email", "phone"],
    },
    CACHED,
  );
}
