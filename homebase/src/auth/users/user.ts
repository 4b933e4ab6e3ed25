/**
 * Owns a user as a value: its row in JSON, its identities and factors, and the object in API responses
 * (docs/compat/auth.md 0, "User object").
 */

/** A timestamp from Postgres or this service: ISO 8601, UTC. */
export type Instant = string;
export type Metadata = Record<string, unknown>;

/** The columns of auth.users that the service uses. */
export interface UserRow {
  id: string;
  aud: string;
  role: string;
  email: string | null;
  encrypted_password: string | null;
  email_confirmed_at: Instant | null;
  invited_at: Instant | null;
  confirmation_token: string;
  confirmation_sent_at: Instant | null;
  recovery_token: string;
  recovery_sent_at: Instant | null;
  email_change_token_new: string;
  email_change_token_current: string;
  email_change: string;
  email_change_sent_at: Instant | null;
  email_change_confirm_status: number;
  phone: string | null;
  phone_confirmed_at: Instant | null;
  phone_change: string;
  phone_change_token: string;
  phone_change_sent_at: Instant | null;
  reauthentication_token: string;
  reauthentication_sent_at: Instant | null;
  last_sign_in_at: Instant | null;
  raw_app_meta_data: Metadata;
  raw_user_meta_data: Metadata;
  created_at: Instant;
  updated_at: Instant;
  banned_until: Instant | null;
  deleted_at: Instant | null;
  is_sso_user: boolean;
  is_anonymous: boolean;
}

export interface IdentityRow {
  id: string;
  provider_id: string;
  user_id: string;
  identity_data: Metadata;
  provider: string;
  last_sign_in_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
  email?: string | null;
}

export interface FactorRow {
  id: string;
  user_id: string;
  friendly_name: string | null;
  factor_type: "totp" | "phone" | "webauthn" | "recovery_code";
  status: "verified" | "unverified";
  secret: string | null;
  phone: string | null;
  created_at: Instant;
  updated_at: Instant;
  last_challenged_at: Instant | null;
  web_authn_aaguid: string | null;
  last_webauthn_challenge_data: unknown;
}

/** A user with identities and factors. Stages update `row` together with the table. */
export interface User {
  row: UserRow;
  identities: IdentityRow[];
  factors: FactorRow[];
}

/** RFC 3339 in UTC, fraction without trailing zeros, as upstream. */
export function rfc3339(instant: Instant): string {
  return instant
    .replace(/(?:\+00(?::00)?)$/, "Z")
    .replace(" ", "T")
    .replace(/(\.\d*?)0+Z$/, "$1Z")
    .replace(".Z", "Z");
}

/** An optional timestamp: omitted when null. */
export function instant(value: Instant | null): string | undefined {
  return value ? rfc3339(value) : undefined;
}

/** Sorts keys alphabetically at every depth, as upstream serialises maps. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const result: Metadata = {};
  for (const key of Object.keys(value).sort()) result[key] = sorted((value as Metadata)[key]);
  return result;
}

export function isConfirmed(user: User): boolean {
  return user.row.email_confirmed_at !== null;
}

export function isPhoneConfirmed(user: User): boolean {
  return user.row.phone_confirmed_at !== null;
}

export function isBanned(user: User, now: number): boolean {
  return user.row.banned_until !== null && Date.parse(user.row.banned_until) > now;
}

export function hasPassword(user: User): boolean {
  return Boolean(user.row.encrypted_password);
}

export function verifiedFactors(user: User): FactorRow[] {
  return user.factors.filter((factor) => factor.status === "verified");
}

/** The user in API responses. */
export function userJson({ row, identities, factors }: User): Record<string, unknown> {
  return {
    ...head(row),
    ...(factors.length > 0 ? { factors: factors.map(factorJson) } : {}),
    identities: identities.map(identityJson),
    ...tail(row),
  };
}

/**
 * An entry of the admin list: identities are null and factors omitted, because upstream loads no relations.
 */
export function listedUserJson(row: UserRow): Record<string, unknown> {
  return { ...head(row), identities: null, ...tail(row) };
}

function head(row: UserRow): Record<string, unknown> {
  const confirmed = [row.email_confirmed_at, row.phone_confirmed_at].filter((one) => one !== null);
  const earliest = confirmed.sort((a, b) => Date.parse(a) - Date.parse(b))[0];
  return {
    id: row.id,
    aud: row.aud,
    role: row.role,
    email: row.email ?? "",
    email_confirmed_at: instant(row.email_confirmed_at),
    invited_at: instant(row.invited_at),
    phone: row.phone ?? "",
    phone_confirmed_at: instant(row.phone_confirmed_at),
    confirmation_sent_at: instant(row.confirmation_sent_at),
    confirmed_at: instant(earliest ?? null),
    recovery_sent_at: instant(row.recovery_sent_at),
    new_email: row.email_change || undefined,
    email_change_sent_at: instant(row.email_change_sent_at),
    new_phone: row.phone_change || undefined,
    phone_change_sent_at: instant(row.phone_change_sent_at),
    reauthentication_sent_at: instant(row.reauthentication_sent_at),
    last_sign_in_at: instant(row.last_sign_in_at),
    app_metadata: sorted(row.raw_app_meta_data),
    user_metadata: sorted(row.raw_user_meta_data),
  };
}

function tail(row: UserRow): Record<string, unknown> {
  return {
    created_at: rfc3339(row.created_at),
    updated_at: rfc3339(row.updated_at),
    banned_until: instant(row.banned_until),
    deleted_at: instant(row.deleted_at),
    is_anonymous: row.is_anonymous,
  };
}

export function identityJson(identity: IdentityRow): Record<string, unknown> {
  const email = identity.identity_data.email;
  return {
    identity_id: identity.id,
    id: identity.provider_id,
    user_id: identity.user_id,
    identity_data: sorted(identity.identity_data),
    provider: identity.provider,
    last_sign_in_at: instant(identity.last_sign_in_at),
    created_at: rfc3339(identity.created_at),
    updated_at: rfc3339(identity.updated_at),
    email: typeof email === "string" ? email.toLowerCase() : undefined,
  };
}

export function factorJson(factor: FactorRow): Record<string, unknown> {
  return {
    id: factor.id,
    created_at: rfc3339(factor.created_at),
    updated_at: rfc3339(factor.updated_at),
    status: factor.status,
    friendly_name: factor.friendly_name || undefined,
    factor_type: factor.factor_type,
    phone: factor.phone ?? "",
    last_challenged_at: factor.last_challenged_at ? rfc3339(factor.last_challenged_at) : null,
    web_authn_aaguid: factor.web_authn_aaguid ?? undefined,
    last_webauthn_challenge_data: factor.last_webauthn_challenge_data ?? undefined,
  };
}
