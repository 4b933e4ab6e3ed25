/** Owns the claims of a session's access token, before they are signed (docs/compat/auth.md 2, "Sessions"). */
import { unexpected } from "../kit/errors.ts";
import { sorted, type User, type UserRow } from "../users/user.ts";

const AAL2_METHODS = new Set(["totp", "mfa/phone", "mfa/webauthn", "mfa/recovery_code"]);
const REQUIRED_CLAIMS = [
  "aud",
  "exp",
  "iat",
  "sub",
  "email",
  "phone",
  "role",
  "aal",
  "session_id",
  "is_anonymous",
];

/** How a user authenticated, and when (unix seconds). */
export interface Amr {
  method: string;
  timestamp: number;
  provider?: string;
}

/** The OAuth server's application that a session belongs to, and its scopes. */
export interface SessionClient {
  id: string;
  /** Scopes, separated by spaces. */
  scopes: string;
}

/** Of a user, what a token says. */
export interface ClaimedUser {
  row: Pick<
    UserRow,
    "id" | "aud" | "role" | "email" | "phone" | "raw_app_meta_data" | "raw_user_meta_data" | "is_anonymous"
  >;
  identities: Pick<User["identities"][number], "id" | "provider">[];
}

/** aal2 when a second factor is among the methods. */
export function levelOf(amr: readonly Amr[]): "aal1" | "aal2" {
  return amr.some(({ method }) => AAL2_METHODS.has(method)) ? "aal2" : "aal1";
}

/** @param token who issues it, and when (unix seconds). */
export function sessionClaims(
  { issuer, issuedAt, expiresAt }: { issuer: string; issuedAt: number; expiresAt: number },
  session: { user: ClaimedUser; sessionId: string; amr: readonly Amr[]; client?: SessionClient | undefined },
): Record<string, unknown> {
  const { row } = session.user;
  const amr = session.amr.map((one) => withConnection(one, session.user));
  return {
    iss: issuer,
    sub: row.id,
    aud: row.aud,
    exp: expiresAt,
    iat: issuedAt,
    email: row.email ?? "",
    phone: row.phone ?? "",
    app_metadata: sorted(row.raw_app_meta_data),
    user_metadata: sorted(row.raw_user_meta_data),
    role: row.role,
    aal: levelOf(amr),
    amr,
    session_id: session.sessionId,
    is_anonymous: row.is_anonymous,
    ...(session.client ? { client_id: session.client.id } : {}),
    ...(session.client?.scopes ? { scope: session.client.scopes } : {}),
  };
}

/** The method with the SAML connection's id, which upstream takes from the user's only identity. */
function withConnection(amr: Amr, { identities }: ClaimedUser): Amr {
  const [identity, ...more] = identities;
  if (amr.method !== "sso/saml" || more.length > 0 || !identity?.provider.startsWith("sso:")) return amr;
  return { ...amr, provider: identity.provider.slice("sso:".length) };
}

/** The claims in the answer of the custom_access_token hook. @throws AuthError without one that a token needs. */
export function claimsOfHook(answer: Record<string, unknown> | undefined): Record<string, unknown> {
  const output = answer?.claims;
  if (typeof output !== "object" || output === null) {
    throw unexpected("output claims field is missing");
  }
  const missing = REQUIRED_CLAIMS.filter((name) => !(name in output));
  if (missing.length > 0) {
    const list = missing.map((name) => `- (root): ${name} is required`).join("\n");
    throw unexpected(`output claims do not conform to the expected schema: \n${list}\n`);
  }
  return output as Record<string, unknown>;
}
