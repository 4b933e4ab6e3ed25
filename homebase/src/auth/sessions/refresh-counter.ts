/**
 * Owns refreshing a session with a counted token: the session's counter identifies the current token, and
 * shows how far behind a replayed one is (docs/compat/auth.md 2, "Refresh tokens", v2).
 */

import type { Call } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { badRequest } from "../kit/errors.ts";
import { audit } from "../users/audit-record.ts";
import { toUser, USER_COLUMNS, type UserRecord } from "../users/users.ts";
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
import { type CountedToken, encodeCountedToken, isSignedBy } from "./refresh-token.ts";
import { lastUse, type SessionRow } from "./session-life.ts";
import { endSessions, grant } from "./sessions.ts";

interface Found extends UserRecord {
  session: SessionRow;
  key: string | null;
  /** Text, as a bigint does not fit a number. */
  counter: string | null;
  others: SessionRow[];
  amr: AmrRow[];
}

/** Refreshes a session with a counted token, inside a transaction. @throws AuthError */
export async function counterRefresh(
  call: Call,
  token: CountedToken,
  clientId: string | undefined,
): Promise<Refreshed> {
  const { auth } = call;
  const found = await load(call, token.sessionId);
  if (!found?.key || found.counter === null || !isSignedBy(token, found.key)) {
    throw refusal("refresh_token_not_found", "Refresh Token Not Found");
  }
  const user = toUser(found, "Database error finding user from refresh token");
  const now = auth.context.clock.now();
  const session = checkSession(auth, user, found.session, found.others, undefined, now, () => {});
  const client = checkClient(session, clientId);
  const current = BigInt(found.counter);
  const behind = current - token.counter;
  if (behind < 0n) {
    throw badRequest("validation_failed", "Invalid Refresh Token: Not Issued By This Server");
  }
  const causes = behind === 0n ? [] : reuseCauses(auth, session, behind, now);
  if (behind > 0n && causes.length === 0) {
    if (auth.config.enable_refresh_token_rotation) {
      endSessions(call, user.row.id, "local", session.id);
    }
    throw refusal("refresh_token_already_used", "Already Used").keepingWrites();
  }
  const counter = behind === 0n ? current + 1n : current;
  call.enqueue("update sessions set refresh_token_counter = $2 where id = $1", [session.id, counter]);
  audit(call, "token_refreshed", user);
  markRefreshed(call, session);
  const granted = await grant(call, {
    user,
    sessionId: session.id,
    refreshToken: encodeCountedToken(session.id, counter, found.key),
    amr: amrOf(found.amr),
    method: "token_refresh",
    client,
  });
  const headers: Record<string, string> = {};
  if (behind === 0n) headers["sb-auth-refresh-token-reuse"] = "false";
  else headers["sb-auth-refresh-token-reuse-cause"] = causes.join(",");
  return { granted, headers };
}

/** The reason why an older token may still be used; undefined when it may not. */
function reuseCauses(auth: Auth, session: SessionRow, behind: bigint, now: number): string[] {
  const interval = auth.config.refresh_token_reuse_interval * 1_000;
  return [
    ...(Math.abs(now - lastUse(session, undefined)) < interval ? ["concurrent-refresh"] : []),
    ...(behind === 1n ? ["fail-to-save"] : []),
    ...(auth.settings.tokenReuse ? ["always-allow"] : []),
  ];
}

/** Locks the session, then reads it: the second statement sees the writes of an earlier refresh. */
async function load(call: Call, sessionId: string): Promise<Found | undefined> {
  call.enqueue("select 1 from sessions where id = $1 for update", [sessionId]);
  return call.one<Found>(
    `select to_jsonb(s) as session, s.refresh_token_hmac_key as key, s.refresh_token_counter::text as counter,
       ${USER_COLUMNS}, ${otherSessions(call.auth)} as others, ${AMR_CLAIMS} as amr
     from sessions s join users u on u.id = s.user_id where s.id = $1`,
    [sessionId],
  );
}
