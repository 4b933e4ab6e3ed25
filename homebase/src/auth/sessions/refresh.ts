/**
 * Owns refreshing a session with a token of auth.refresh_tokens: rotation, the reuse interval, and detection
 * of a stolen token (docs/compat/auth.md 2, "Refresh tokens").
 */

import { z } from "zod";
import { NIL } from "../../core/uuid.ts";
import type { ServiceResponse } from "../../http/exchange.ts";
import { type Call, transact } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { AuthError, isPostgresError, OAuthError, validationFailed } from "../kit/errors.ts";
import { type AuthRequest, fields } from "../kit/request-fields.ts";
import { audit } from "../users/audit-record.ts";
import type { Instant } from "../users/user.ts";
import { toUser, USER_COLUMNS, type UserRecord } from "../users/users.ts";
import { counterRefresh } from "./refresh-counter.ts";
import {
  AMR_CLAIMS,
  type AmrRow,
  amrOf,
  checkClient,
  checkSession,
  markRefreshed,
  otherSessions,
  type Refreshed,
  refusal,
} from "./refresh-session.ts";
import { createRefreshToken, isRowToken, parseCountedToken } from "./refresh-token.ts";
import type { SessionRow } from "./session-life.ts";
import { grant, sessionResponse } from "./sessions.ts";

const body = z.object({ refresh_token: z.string().default("") });
/** SQLSTATE of a lock timeout. */
const LOCK_NOT_AVAILABLE = "55P03";

interface TokenRow {
  id: number;
  token: string;
  revoked: boolean;
  parent: string | null;
  created_at: Instant;
  updated_at: Instant;
}

interface Found extends UserRecord {
  token: TokenRow;
  session: SessionRow | null;
  /** The session's newest token that is not revoked. */
  active: TokenRow | null;
  /** The user's other sessions. */
  others: SessionRow[];
  amr: AmrRow[];
}

/** POST /token?grant_type=refresh_token */
export async function refreshGrant(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const { refresh_token: token } = await fields(request, body);
  if (token === "") throw new OAuthError("invalid_request", "refresh_token required");
  const { granted, headers } = await refreshSession(auth, request, token, undefined);
  return sessionResponse(auth, granted, {}, headers);
}

/**
 * Refreshes a session.
 * @param clientId the requesting application; undefined for the project's own clients.
 * @throws AuthError, OAuthError
 */
export async function refreshSession(
  auth: Auth,
  request: AuthRequest,
  token: string,
  clientId: string | undefined,
): Promise<Refreshed> {
  const counted = parseCountedToken(token);
  if (!counted && !isRowToken(token)) throw validationFailed("Refresh token is not valid");
  return transact(auth, request, (call) => {
    // Half of the request timeout, so that the response is a conflict and not a timeout.
    call.enqueue(`set local lock_timeout = ${Math.ceil(auth.settings.requestMs / 2)}`);
    return counted ? counterRefresh(call, counted, clientId) : refresh(call, token, clientId);
  }).catch((error: unknown) => {
    if (!isPostgresError(error) || error.code !== LOCK_NOT_AVAILABLE) throw error;
    throw new AuthError(
      409,
      "conflict",
      "Too many concurrent token refresh requests on the same session or refresh token",
    );
  });
}

async function refresh(call: Call, token: string, clientId: string | undefined): Promise<Refreshed> {
  const { auth } = call;
  const found = await load(call, token);
  if (!found) throw refusal("refresh_token_not_found", "Refresh Token Not Found");
  const user = toUser(found, "Database error finding user from refresh token");
  const now = auth.context.clock.now();
  const session = checkSession(auth, user, found.session, found.others, found.token.updated_at, now, () =>
    call.enqueue("delete from refresh_tokens where id = $1", [found.token.id]),
  );
  const client = checkClient(session, clientId);

  const turn = takeTurn(auth, found, now);
  if (turn === "stolen") {
    if (auth.config.enable_refresh_token_rotation) {
      // Only tokens that are still valid: a new updated_at would reopen the reuse interval of the replayed
      // token.
      call.enqueue(
        "update refresh_tokens set revoked = true, updated_at = $2 where session_id = $1 and not revoked",
        [session.id, call.now],
      );
    }
    throw refusal("refresh_token_already_used", "Already Used").keepingWrites();
  }
  const written = call.now;
  let issued = found.active?.token ?? token;
  const reused = found.token.revoked;
  audit(call, "token_refreshed", user);
  if (turn !== "same") {
    issued = createRefreshToken();
    audit(call, "token_revoked", user);
    // A reused token keeps the time of its first use, so that replays do not prolong the reuse interval.
    call.enqueue("update refresh_tokens set revoked = true, updated_at = $2 where id = $1 and not revoked", [
      found.token.id,
      written,
    ]);
    call.enqueue(
      `insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
       values ('${NIL}', $1, $2, false, $3, $3, $4, $5)`,
      [issued, user.row.id, written, found.token.token, session.id],
    );
  }
  markRefreshed(call, session);
  const granted = await grant(call, {
    user,
    sessionId: session.id,
    refreshToken: issued,
    amr: amrOf(found.amr),
    method: "token_refresh",
    client,
  });
  const headers = {
    "sb-auth-refresh-token-rotated": String(turn !== "same"),
    ...(reused
      ? {
          "sb-auth-refresh-token-reuse": "true",
          "sb-auth-refresh-token-reuse-cause": turn === "same" ? "parent-of-active" : "reuse-interval",
        }
      : {}),
  };
  return { granted, headers };
}

/**
 * Locks the session, then reads everything: the second statement sees the writes of the previous lock holder.
 * Both statements are pipelined.
 */
async function load(call: Call, token: string): Promise<Found | undefined> {
  call.enqueue(
    "select 1 from sessions where id = (select session_id from refresh_tokens where token = $1) for update",
    [token],
  );
  return call.one<Found>(
    `select to_jsonb(t) as token, to_jsonb(s) as session, ${USER_COLUMNS},
       (select to_jsonb(a) from refresh_tokens a where a.session_id = t.session_id and not a.revoked
        order by a.id desc limit 1) as active,
       ${otherSessions(call.auth)} as others, ${AMR_CLAIMS} as amr
     from refresh_tokens t join users u on u.id = t.user_id::uuid left join sessions s on s.id = t.session_id
     where t.token = $1`,
    [token],
  );
}

/** The outcome of using a token. */
function takeTurn(auth: Auth, found: Found, now: number): "rotate" | "same" | "again" | "stolen" {
  const { token, active } = found;
  if (!token.revoked) return "rotate";
  // Without a valid token the family was revoked, and the reuse interval no longer applies.
  if (!active) return "stolen";
  // The client never received the response to its last refresh: return the current token.
  if (active.parent === token.token) return "same";
  const tolerated = Date.parse(token.updated_at) + auth.config.refresh_token_reuse_interval * 1_000;
  return now <= tolerated ? "again" : "stolen";
}
