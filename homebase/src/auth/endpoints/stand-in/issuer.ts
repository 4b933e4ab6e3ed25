/**
 * Owns /homebase/oauth/{provider} as an OpenID Connect issuer: its discovery document, its keys, and its
 * token endpoint. An app that uses `signInWithIdToken` gets its token here instead of from the provider's
 * SDK. Only for enabled providers without a URL of their own.
 */

import { randomBytes } from "node:crypto";
import { ForeignRefused } from "../../../http/secret-rights.ts";
import type { Auth } from "../../kit/auth.ts";
import { checkEmail } from "../../kit/client-input.ts";
import type { AuthEndpoint } from "../../kit/endpoint.ts";
import { notFound, OAuthError } from "../../kit/errors.ts";
import { formFields, json } from "../../kit/request-fields.ts";
import type { Provider } from "../../providers/provider.ts";
import { providerNamed } from "../../providers/providers.ts";
import { consents, type ProviderAccount, subOf } from "../../stand-in/provider-accounts.ts";
import { standInKeys } from "../../stand-in/signing-key.ts";

const EXPIRES_IN = 3_600;

/** A provider that the local page stands in for. @throws AuthError 404 */
export function standInProvider(auth: Auth, name: string): Provider {
  const provider = providerNamed(auth, name);
  if (provider.url !== "") throw notFound("unknown", "404 page not found");
  return provider;
}

/** GET /homebase/oauth/{provider}/jwks */
export const issuerKeys: AuthEndpoint<"provider"> = async (auth, _request, { provider }) => {
  standInProvider(auth, provider);
  return json(200, await standInKeys(auth).jwks());
};

/** GET /homebase/oauth/{provider}/.well-known/openid-configuration */
export const issuerConfiguration: AuthEndpoint<"provider"> = (auth, _request, { provider: name }) => {
  const provider = standInProvider(auth, name);
  const issuer = standInKeys(auth).issuerOf(provider.name);
  return json(200, {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  });
};

/**
 * POST /homebase/oauth/{provider}/token: tokens for the `code` of a consent, or without one for an account in the form: `email`, and
 * optionally `name`, `sub`, `verified` ("false"), `nonce` (copied to the token).
 */
export const issuerToken: AuthEndpoint<"provider"> = async (auth, request, { provider: name }) => {
  const provider = standInProvider(auth, name);
  // A token of this page can sign in with any address, so no page of another origin may ask for one.
  if (request.foreign) throw new ForeignRefused(request.foreign);
  const form = await formFields(request);
  const code = form.get("code");
  const consent = code === null ? undefined : consents(auth).redeem(code);
  if (code !== null && consent?.account.provider !== provider.name) {
    throw new OAuthError("invalid_grant", "The code is unknown, used or too old");
  }
  const account = consent?.account ?? madeUp(provider, form);
  const accessToken = consent?.accessToken ?? `local_${randomBytes(20).toString("hex")}`;
  const claims = {
    sub: account.sub,
    aud: provider.clientId,
    ...(account.email ? { email: account.email, email_verified: account.emailVerified } : {}),
    ...(account.name ? { name: account.name } : {}),
    ...(account.avatarUrl ? { picture: account.avatarUrl } : {}),
    ...(form.get("nonce") ? { nonce: form.get("nonce") } : {}),
  };
  return json(200, {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: EXPIRES_IN,
    refresh_token: consent?.refreshToken ?? `local_${randomBytes(20).toString("hex")}`,
    id_token: await standInKeys(auth).idToken(provider.name, claims, accessToken),
  });
};

function madeUp(provider: Provider, form: URLSearchParams): ProviderAccount {
  const email = checkEmail(form.get("email") ?? "");
  return {
    provider: provider.name,
    sub: form.get("sub") ?? subOf(provider.name, email),
    email,
    emailVerified: form.get("verified") !== "false",
    name: form.get("name") ?? "",
    userName: "",
    avatarUrl: "",
  };
}
