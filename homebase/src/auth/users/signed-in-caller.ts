/** Owns the caller of a request, and the levels of authentication that endpoints require (docs/compat/auth.md 0, "Authentication levels"). */

import { isUuid, NIL } from "../../core/uuid.ts";
import type { Route } from "../../http/router.ts";
import { verifyRequestToken } from "../../http/secret-rights.ts";
import { bearerToken, type Claims } from "../../tokens/verify-token.ts";
import { read } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import type { AuthEndpoint } from "../kit/endpoint.ts";
import { AuthError, badRequest, forbidden } from "../kit/errors.ts";
import type { AuthRequest } from "../kit/request-fields.ts";
import { isBanned, type User } from "./user.ts";
import { toUser, USER_COLUMNS, type UserRecord } from "./users.ts";

/** The roles of an administrator. */
export const ADMIN_ROLES = new Set(["service_role", "supabase_admin"]);

/** The user of a valid access token. */
export interface Caller {
  user: User;
  claims: Claims;
  /** Undefined for tokens that belong to no session. */
  session: CallerSession | undefined;
}

export interface CallerSession {
  id: string;
  created_at: string;
  aal: "aal1" | "aal2" | null;
  factor_id: string | null;
  /** For tokens of the OAuth server: the client application, and its scopes separated by spaces. */
  oauth_client_id: string | null;
  scopes: string | null;
}

/**
 * Verifies the request's access token: signature and validity period. @throws AuthError no_authorization,
 * bad_jwt; ForeignRefused
 */
export async function tokenClaims(auth: Auth, request: AuthRequest): Promise<Claims> {
  const token = bearerToken(request.authorization);
  if (!token || /\s/.test(token))
    throw new AuthError(401, "no_authorization", "This endpoint requires a valid Bearer token");
  // Users of another issuer are unknown here.
  const { clock, database, keys } = auth.context;
  const check = await verifyRequestToken(token, { clock, database, keys: keys.own }, request.source);
  const invalid = (reason: string) =>
    forbidden("bad_jwt", `invalid JWT: unable to parse or verify signature, ${reason}`);
  if (!check.ok) {
    if (check.failure === "expired") throw invalid("token has invalid claims: token is expired");
    if (check.failure === "not_yet") throw invalid("token has invalid claims: token is not valid yet");
    if (check.failure === "time_type") throw invalid("token is malformed: could not JSON decode claim");
    if (check.failure === "signature") throw invalid("token signature is invalid: signature is invalid");
    if (check.failure === "malformed") {
      throw invalid("token is malformed: token contains an invalid number of segments");
    }
    const { alg, kid } = check.header ?? {};
    if (check.failure === "algorithm") {
      throw invalid(`token signature is invalid: signing method ${alg} is invalid`);
    }
    throw invalid(
      `token is unverifiable: error while executing keyfunc: unrecognized JWT kid ${kid ?? "<nil>"} for algorithm ${alg}`,
    );
  }
  return check.claims;
}

/**
 * The user of the request's token. One statement reads the user and the session.
 * @throws AuthError as the level "user" says.
 */
export async function requireUser(auth: Auth, request: AuthRequest): Promise<Caller> {
  const claims = await tokenClaims(auth, request);
  if (typeof claims.sub !== "string" || claims.sub === "") {
    throw forbidden("bad_jwt", "invalid claim: missing sub claim");
  }
  if (!isUuid(claims.sub)) {
    throw badRequest("bad_jwt", "invalid claim: sub claim must be a UUID");
  }
  const given =
    typeof claims.session_id === "string" && claims.session_id !== NIL ? claims.session_id : undefined;
  if (given !== undefined && !isUuid(given)) {
    throw forbidden("bad_jwt", "invalid claim: session_id claim must be a UUID");
  }
  const [found] = await read<UserRecord & { session: CallerSession | null }>(
    auth.context.database,
    `select ${USER_COLUMNS}, (select to_jsonb(s) from sessions s where s.id = $2 and s.user_id = u.id) as session
     from users u where u.id = $1 and u.instance_id = '${NIL}'`,
    [claims.sub, given ?? null],
  );
  if (!found) throw forbidden("user_not_found", "User from sub claim in JWT does not exist");
  if (given && !found.session) {
    throw forbidden("session_not_found", "Session from session_id claim in JWT does not exist");
  }
  const user = toUser(found, "Database error finding user");
  if (isBanned(user, auth.context.clock.now())) throw forbidden("user_banned", "User is banned");
  return { user, claims, session: found.session ?? undefined };
}

/** A user who is not anonymous. @throws AuthError */
export async function requireNamedUser(auth: Auth, request: AuthRequest): Promise<Caller> {
  const caller = await requireUser(auth, request);
  if (caller.claims.is_anonymous === true) {
    throw forbidden("no_authorization", "Anonymous user not allowed to perform these actions");
  }
  return caller;
}

/** The same routes for administrators only: the secret key, or a token with an administrator's role. */
export function forAdmins<Name extends string>(
  routes: readonly Route<AuthEndpoint<Name>>[],
): Route<AuthEndpoint<Name>>[] {
  return routes.map(([method, path, endpoint]) => [
    method,
    path,
    async (auth, request, values) => {
      const { role } = await tokenClaims(auth, request);
      if (typeof role !== "string" || !ADMIN_ROLES.has(role))
        throw forbidden("not_admin", "User not allowed");
      return endpoint(auth, request, values);
    },
  ]);
}

/** The audience of a request: `X-JWT-AUD`, else the token's, else the default. */
export function audienceOf(request: AuthRequest): string {
  return request.audience ?? "authenticated";
}
