/**
 * Owns the parts common to both kinds of refresh tokens: whether the session may continue, and the writes of
 * a refresh (docs/compat/auth.md 2, "Sessions").
 */

import type { Call } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { badRequest, OAuthError } from "../kit/errors.ts";
import { type Instant, isBanned, type User } from "../users/user.ts";
import { isSessionExpired, type SessionRow, sessionEnd } from "./session-life.ts";
import type { Amr, Grant, SessionClient } from "./sessions.ts";

/** The columns of mfa_amr_claims that a token contains. */
export interface AmrRow {
  authentication_method: string;
  updated_at: Instant;
}

/** SQL: the sessions of user `u` other than session `s`, where only one of them may go on; otherwise nobody asks for them. */
export const otherSessions = (auth: Auth) =>
  auth.settings.singleSession
    ? "coalesce((select jsonb_agg(to_jsonb(o)) from sessions o where o.user_id = u.id and o.id <> s.id), '[]')"
    : "'[]'::jsonb";

/** SQL: the authentication methods of session `s`, newest first. */
export const AMR_CLAIMS = `coalesce((select jsonb_agg(to_jsonb(c) order by c.updated_at desc) from mfa_amr_claims c
        where c.session_id = s.id), '[]')`;

/** The error for a rejected refresh token. */
export const refusal = (code: string, message: string) =>
  badRequest(code, `Invalid Refresh Token: ${message}`);

/**
 * The session of a refresh token, if it may continue.
 * @param tokenTime when the token's row last changed; undefined for a token without a row.
 * @param orphaned writes for a token without a session.
 * @throws AuthError user_banned, session_not_found, session_expired.
 */
export function checkSession(
  auth: Auth,
  user: User,
  session: SessionRow | null,
  others: readonly SessionRow[],
  tokenTime: Instant | undefined,
  now: number,
  orphaned: () => void,
): SessionRow {
  if (isBanned(user, now)) throw refusal("user_banned", "User Banned");
  if (!session) {
    orphaned();
    throw refusal("session_not_found", "No Valid Session Found").keepingWrites();
  }
  const ended = sessionEnd(auth, user, session, tokenTime, now);
  if (ended !== undefined) throw refusal("session_expired", ended);
  if (auth.settings.singleSession && isSessionExpired(auth, user, session, others, tokenTime, now)) {
    throw refusal("session_expired", "Session Expired (Revoked by Newer Login)");
  }
  return session;
}

/** A session that continues, and the token details for the response headers. */
export interface Refreshed {
  granted: Grant;
  headers: Record<string, string>;
}

/** Checks that the session's application, and no other, refreshes it. @throws OAuthError invalid_client */
export function checkClient(session: SessionRow, clientId: string | undefined): SessionClient | undefined {
  const id = session.oauth_client_id;
  if (id === null) {
    if (clientId === undefined) return undefined;
    throw new OAuthError("invalid_client", "Client authentication not allowed for non-OAuth session");
  }
  if (clientId === undefined) {
    throw new OAuthError("invalid_client", "Client authentication required for OAuth session");
  }
  if (clientId !== id) {
    throw new OAuthError("invalid_client", "Client does not match the session's OAuth client");
  }
  return { id, scopes: session.scopes ?? "" };
}

/** Stores when and from where a session was refreshed. */
export function markRefreshed(call: Call, session: SessionRow): void {
  call.enqueue(
    `update sessions set refreshed_at = $2::timestamptz at time zone 'utc', updated_at = $2, user_agent = $3, ip = $4
     where id = $1`,
    [session.id, call.now, call.request.userAgent, call.request.ip],
  );
}

/** The session's methods in the format of its access token. */
export function amrOf(rows: readonly AmrRow[]): Amr[] {
  return rows.map((row) => ({
    method: row.authentication_method,
    timestamp: Math.floor(Date.parse(row.updated_at) / 1_000),
  }));
}
