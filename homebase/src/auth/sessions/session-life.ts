/**
 * Owns how long a session may live: its time box, its idle time, the time that it may stay below the level
 * which its user can reach, and whether a newer one ends it (docs/compat/auth.md 2, "Sessions"). All of it is
 * looked at when a session is refreshed, never before.
 */
import type { Auth } from "../dependencies.ts";
import { type Instant, type User, verifiedFactors } from "../users/user.ts";

export interface SessionRow {
  id: string;
  created_at: Instant;
  not_after: Instant | null;
  refreshed_at: Instant | null;
  aal: string | null;
  tag: string | null;
  /** The application of the OAuth server that it is for, and what it may ask. */
  oauth_client_id: string | null;
  scopes: string | null;
}

/** Why a session is at its end, undefined while it is not. `tokenTime` is its refresh token's. */
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

/** Whether another session of the user, of the same tag and not at its end, was used later than this one. */
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

/** When a session was last refreshed, in milliseconds; refreshed_at is a time without zone, in UTC. */
export function lastUse(session: SessionRow, tokenTime: Instant | undefined): number {
  return Date.parse(session.refreshed_at ? `${session.refreshed_at}Z` : (tokenTime ?? session.created_at));
}

/** The kind of device that a session is for: its own tag if that is one of the known, else the first. */
function tagOf(auth: Auth, { tag }: SessionRow): string {
  const { sessionTags } = auth.settings;
  return sessionTags.find((known) => known === tag) ?? sessionTags[0] ?? "";
}
