/** Owns GET /oauth/userinfo: the user's claims for the session's scopes (OpenID Connect Core 1.0, 5.3). */

import type { Auth } from "../../src/auth/kit/auth.ts";
import { type AuthRequest, json } from "../../src/auth/kit/request-fields.ts";
import { requireUser } from "../../src/auth/users/signed-in-caller.ts";
import { isConfirmed, isPhoneConfirmed, sorted } from "../../src/auth/users/user.ts";
import type { ServiceResponse } from "../../src/http/exchange.ts";
import { profileOf } from "./id-token.ts";
import { scopesOf } from "./scopes.ts";

/** @throws AuthError */
export async function userInfo(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const { user, session } = await requireUser(auth, request);
  const { row } = user;
  const scopes = new Set(scopesOf(session?.scopes ?? ""));
  return json(
    200,
    sorted({
      sub: row.id,
      ...(scopes.has("email") && row.email ? { email: row.email } : {}),
      ...(scopes.has("email") && isConfirmed(user) ? { email_verified: true } : {}),
      ...(scopes.has("profile") ? { ...profileOf(user), user_metadata: row.raw_user_meta_data } : {}),
      ...(scopes.has("phone") && row.phone ? { phone: row.phone } : {}),
      ...(scopes.has("phone") && isPhoneConfirmed(user) ? { phone_verified: true } : {}),
    }),
  );
}
