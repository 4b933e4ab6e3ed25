/**
 * Owns sessions: creating one, its access token, and the response that contains both (docs/compat/auth.md 2,
 * "Sessions", 4).
 */

import { randomUUID } from "node:crypto";
import { NIL } from "../../core/uuid.ts";
import type { ServiceResponse } from "../../http/exchange.ts";
import type { Call, Transaction } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { DatabaseFailure } from "../kit/errors.ts";
import { hookEnabled, runHook } from "../kit/hooks.ts";
import { json } from "../kit/request-fields.ts";
import { type User, userJson } from "../users/user.ts";
import { updateUser } from "../users/users.ts";
import { type Amr, claimsOfHook, type SessionClient, sessionClaims } from "./claims.ts";
import {
  createRefreshToken,
  createTokenKey,
  encodeCountedToken,
  parseCountedToken,
} from "./refresh-token.ts";

export { type Amr, levelOf, type SessionClient } from "./claims.ts";

const PREFIX_LENGTH = 5;
/** What a client receives when a session begins or is refreshed. */
export interface Grant {
  user: User;
  sessionId: string;
  accessToken: string;
  refreshToken: string;
  /** Unix seconds. */
  expiresAt: number;
}

/**
 * Begins a session: writes its row, its method, its refresh token and the user's last sign-in in one round
 * trip.
 */
export async function beginSession(
  call: Call,
  user: User,
  method: string,
  provider?: string,
  client?: SessionClient,
): Promise<Grant> {
  const { auth, request, now } = call;
  const sessionId = randomUUID();
  const key = auth.settings.countedTokens ? createTokenKey() : null;
  const refreshToken = key === null ? createRefreshToken() : encodeCountedToken(sessionId, 0n, key);
  call.enqueue(
    `with session as (
       insert into sessions (id, user_id, created_at, updated_at, aal, user_agent, ip,
         refresh_token_hmac_key, refresh_token_counter, oauth_client_id, scopes)
       values ($1, $2, $3, $3, 'aal1', $4, $5, $9, case when $9::text is not null then 0 end, $10, $11)
     ), method as (
       insert into mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
       values ($6, $1, $3, $3, $7)
     )
     insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
     select '${NIL}', $8, $2::uuid::text, false, $3::timestamptz, $3, '', $1
     where $9::text is null`,
    [
      sessionId,
      user.row.id,
      now,
      request.userAgent,
      request.ip,
      randomUUID(),
      method,
      refreshToken,
      key,
      client?.id ?? null,
      client?.scopes ?? null,
    ],
    (error) => new DatabaseFailure("Database error granting user", error),
  );
  updateUser(call, user, { last_sign_in_at: now });
  const timestamp = Math.floor(Date.parse(now) / 1_000);
  const amr = [{ method, timestamp, ...(provider ? { provider } : {}) }];
  return grant(call, { user, sessionId, refreshToken, amr, method, client });
}

/** Signs the access token of a session. `method` is passed to the custom_access_token hook. */
export async function grant(
  call: Call,
  session: {
    user: User;
    sessionId: string;
    refreshToken: string;
    amr: Amr[];
    method: string;
    client?: SessionClient;
  },
): Promise<Grant> {
  const { auth } = call;
  const issuedAt = Math.floor(auth.context.clock.now() / 1_000);
  const expiresAt = issuedAt + auth.config.jwt_expiry;
  const claims = sessionClaims({ issuer: auth.settings.issuer, issuedAt, expiresAt }, session);
  const final = hookEnabled(auth, "custom_access_token")
    ? await customClaims(call, claims, session.method)
    : claims;
  const accessToken = await auth.context.keys.sign(final);
  const { record } = call.request.source;
  if (record) record.claims = final;
  return {
    user: session.user,
    sessionId: session.sessionId,
    accessToken,
    refreshToken: session.refreshToken,
    expiresAt: typeof final.exp === "number" ? final.exp : expiresAt,
  };
}

async function customClaims(
  call: Call,
  claims: Record<string, unknown>,
  method: string,
): Promise<Record<string, unknown>> {
  const answer = await runHook(call, "custom_access_token", {
    user_id: claims.sub,
    claims,
    authentication_method: method,
  });
  return claimsOfHook(answer);
}

/** A session's members in the response. */
export function sessionJson(auth: Auth, granted: Grant, extra: Record<string, unknown> = {}) {
  return {
    access_token: granted.accessToken,
    token_type: "bearer",
    expires_in: granted.expiresAt - Math.floor(auth.context.clock.now() / 1_000),
    expires_at: granted.expiresAt,
    refresh_token: granted.refreshToken,
    user: userJson(granted.user),
    ...extra,
  };
}

/** A URL with a session in its fragment (implicit flow). All parameters are sorted by name, as upstream does. */
export function withSession(
  auth: Auth,
  target: string,
  granted: Grant,
  extra: Record<string, string> = {},
): string {
  const session = sessionJson(auth, granted);
  const fragment = new URLSearchParams({
    access_token: session.access_token,
    expires_at: String(session.expires_at),
    expires_in: String(session.expires_in),
    ...extra,
    refresh_token: session.refresh_token,
    sb: "",
    token_type: session.token_type,
  });
  fragment.sort();
  return `${target}#${fragment}`;
}

/** The response headers for a session. */
export function sessionHeaders(granted: Grant): Record<string, string> {
  const counter = parseCountedToken(granted.refreshToken)?.counter;
  return {
    "sb-auth-user-id": granted.user.row.id,
    "sb-auth-session-id": granted.sessionId,
    ...(counter === undefined
      ? { "sb-auth-refresh-token-prefix": granted.refreshToken.slice(0, PREFIX_LENGTH) }
      : { "sb-auth-refresh-token-counter": String(counter) }),
  };
}

/** The response with a session. */
export function sessionResponse(
  auth: Auth,
  granted: Grant,
  extra: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): ServiceResponse {
  return json(200, sessionJson(auth, granted, extra), { ...sessionHeaders(granted), ...headers });
}

/** Ends sessions: all of the user's, all but one, or one. Their refresh tokens are deleted with them. */
export function endSessions(
  transaction: Transaction,
  userId: string,
  scope: "global" | "local" | "others",
  sessionId: string | undefined,
): void {
  if (scope === "global" || !sessionId) {
    transaction.enqueue("delete from sessions where user_id = $1", [userId]);
  } else if (scope === "others") {
    transaction.enqueue("delete from sessions where user_id = $1 and id <> $2", [userId, sessionId]);
  } else transaction.enqueue("delete from sessions where id = $1", [sessionId]);
}
