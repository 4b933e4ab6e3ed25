/** Owns the endpoints that describe Auth: health, settings, keys. */
import type { ServiceResponse } from "../../http/exchange.ts";
import type { Auth } from "../kit/auth.ts";
import { CACHED } from "../kit/openid-configuration.ts";
import { json } from "../kit/request-fields.ts";
import { PROVIDERS } from "../providers/providers.ts";

/** The upstream version whose behaviour is emulated (docs/compat/auth.md). */
const VERSION = "v2.196.0";

/** GET /health */
export function health(): ServiceResponse {
  return json(200, {
    version: VERSION,
    name: "GoTrue",
    description: "GoTrue is a user registration and authentication API",
  });
}

/** GET /settings */
export function settings(auth: Auth): ServiceResponse {
  const { config, settings: own } = auth;
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
    saml_enabled: own.samlEnabled,
    saml_private_key_next_configured: false,
    passkeys_enabled: config.passkey.enabled,
  });
}

/** GET /.well-known/jwks.json */
export function jwks(auth: Auth): ServiceResponse {
  return json(200, auth.context.keys.publicJwks, CACHED);
}
