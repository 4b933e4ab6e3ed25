/** Owns the endpoints that describe Auth: health, settings, keys, OpenID configuration. */
import type { ServiceResponse } from "../http/exchange.ts";
import type { Auth } from "./dependencies.ts";
import { PROVIDERS } from "./providers/providers.ts";
import { json } from "./request.ts";

/** The upstream version whose behaviour is emulated (docs/compat/auth.md). */
const VERSION = "v2.196.0";
const CACHED = { "cache-control": "public, max-age=600" };

/** GET /health */
export function health(): ServiceResponse {
  return json(200, {
    version: VERSION,
    name: "GoTrue",
    description: "GoTrue is a user registration and authentication API",
  });
}

/** GET /settings */
export function settings({ config, settings: own, saml }: Auth): ServiceResponse {
  const external: Record<string, boolean> = { anonymous_users: config.enable_anonymous_sign_ins };
  for (const name of PROVIDERS) external[name] = config.external[name]?.enabled ?? false;
  external.email = own.emailEnabled;
  external.phone = own.phoneEnabled;
  external.zoom = config.external.zoom?.enabled ?? false;
  return json(200, {
    external,
    disable_signup: !config.enable_signup,
    mailer_autoconfirm: own.emailAutoconfirm,
    phone_autoconfirm: own.phoneAutoconfirm,
    sms_provider: own.smsProvider,
    saml_enabled: saml !== undefined,
    saml_private_key_next_configured: false,
    passkeys_enabled: config.passkey.enabled,
  });
}

/** GET /.well-known/jwks.json */
export function jwks(auth: Auth): ServiceResponse {
  return json(200, auth.context.keys.publicJwks, CACHED);
}

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
