/** Owns the ID token of an application's session (OpenID Connect Core 1.0, 2 and 5.4). */
import type { Auth } from "../../src/auth/kit/auth.ts";
import { unexpected } from "../../src/auth/kit/errors.ts";
import { isConfirmed, isPhoneConfirmed, type User } from "../../src/auth/users/user.ts";
import type { Authorization } from "./authorizations.ts";
import { scopesOf } from "./scopes.ts";

const LIFETIME_SECONDS = 3_600;

/** @throws AuthError 500 when tokens are signed with a shared secret, which applications cannot verify. */
export async function idToken(auth: Auth, user: User, authorization: Authorization): Promise<string> {
  if (auth.context.keys.publicJwks.keys.length === 0) {
    throw unexpected("Error generating ID token");
  }
  const { row } = user;
  const scopes = new Set(scopesOf(authorization.scope));
  const issued = Math.floor(auth.context.clock.now() / 1_000);
  return auth.context.keys.sign({
    iss: auth.settings.issuer,
    sub: row.id,
    aud: authorization.client_id,
    exp: issued + LIFETIME_SECONDS,
    iat: issued,
    ...(authorization.nonce ? { nonce: authorization.nonce } : {}),
    auth_time: row.last_sign_in_at ? Math.floor(Date.parse(row.last_sign_in_at) / 1_000) : issued,
    ...(scopes.has("email") && row.email ? { email: row.email } : {}),
    email_verified: scopes.has("email") && isConfirmed(user),
    ...(scopes.has("phone") && row.phone ? { phone_number: row.phone } : {}),
    phone_number_verified: scopes.has("phone") && isPhoneConfirmed(user),
    ...(scopes.has("profile") ? profileOf(user) : {}),
    client_id: authorization.client_id,
  });
}

/** The claims of the scope `profile`. */
export function profileOf({ row }: User): Record<string, string | number> {
  const { raw_user_meta_data: metadata } = row;
  const claim = (...names: string[]) =>
    names.map((name) => metadata[name]).find((value) => typeof value === "string" && value !== "") as
      | string
      | undefined;
  const name = claim("name") ?? row.email ?? "";
  const picture = claim("picture", "avatar_url");
  const username = claim("preferred_username", "username");
  return {
    ...(name ? { name } : {}),
    ...(picture ? { picture } : {}),
    updated_at: Math.floor(Date.parse(row.updated_at) / 1_000),
    ...(username ? { preferred_username: username } : {}),
  };
}
