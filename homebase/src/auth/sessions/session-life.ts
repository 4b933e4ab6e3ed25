/**
 * Owns the lifetime of a session: its time box, its inactivity timeout, the limit on staying below the user's
 * highest level, and whether a newer session ends it (docs/compat/auth.md 2, "Sessions"). All are checked
 * only when a session is refreshed.
 */
import type { Auth } from "../kit/auth.ts";
import { type Instant, type User, verifiedFactors } from "../users/user.ts";

export interface SessionRow {
  id: string;
  created_at: Instant;
  not_after: Instant | null;
  refreshed_at: Instant | null;
  aal: string | null;
  tag: string | null;
  /** The application of the OAuth server, and its scopes. */
  oauth_client_id: string | null;
  scopes: string | null;
}

/** Why a session has expired; undefined while it is valid. `tokenTime` is its refresh token's time. */
export function sessionEnd(
  auth: Auth,
  user: User,
  session: SessionRow,
  tokenTime: Instant | undefined,
  now: number,
): string | undefined {
  const { timebox, inactivity_timeout: inactivity } = auth.config.sessions;
  const { lowLevelMs } = auth.settings;
  const created = Date.parse(session.created_at);
  if (session.not_after && Date.parse(session.not_after) < now) return "Session Expired";
  if (timebox && created + timebox < now) return "Session Expired";
  if (inactivity && lastUse(session, tokenTime) + inactivity < now) return "Session Expired (Inactivity)";
  const low = session.aal !== "aal2" && verifiedFactors(user).length > 0;
  if (lowLevelMs !== undefined && low && created + lowLevelMs < now) {
    return "Session Expired (Low AAL: User Needs MFA Verification)";
  }
  return undefined;
}

/** Whether another valid session of the user with the same tag was used more recently. */
export function isSessionExpired(
  auth: Auth,
  user: User,
  session: SessionRow,
  others: readonly SessionRow[],
  tokenTime: Instant | undefined,
  now: number,
): boolean {
  const own = lastUse(session, tokenTime);
  const tag = tagOf(auth, session);
  return others.some(
    (other) =>
      sessionEnd(auth, user, other, undefined, now) === undefined &&
      tagOf(auth, other) === tag &&
      lastUse(other, undefined) > own,
  );
}

/**
 * When a session was last refreshed, in milliseconds; refreshed_at is a timestamp without time zone, in UTC.
 */
export function lastUse(session: SessionRow, tokenTime: Instant | undefined): number {
  return Date.parse(session.refreshed_at ? `${session.refreshed_at}Z` : (tokenTime ?? session.created_at));
}

/** The session's device tag, if it is a configured one, else the first configured tag. */
function tagOf(auth: Auth, { tag }: SessionRow): string {
  const { sessionTags } = auth.settings;
  return sessionTags.find((known) => known === tag) ?? sessionTags[0] ?? "";
}
