/** Owns authorization requests: their rows, and their redirect URLs (OAuth 2.1, 4.1). */
import { createHash, randomBytes } from "node:crypto";
import { read, type Transaction } from "../../src/auth/kit/as-auth-admin.ts";
import type { Auth } from "../../src/auth/kit/auth.ts";
import { type AuthError, notFound, validationFailed } from "../../src/auth/kit/errors.ts";
import type { Instant } from "../../src/auth/users/user.ts";
import { equalSecrets } from "../../src/core/equal-secrets.ts";

/** Time that a user has to decide, and an application to redeem its code. */
export const AUTHORIZATION_MS = 10 * 60 * 1_000;
const ID_LENGTH = 32;
const ID_LETTERS = "abcdefghijklmnopqrstuvwxyz234567";

/** A row of auth.oauth_authorizations, with its user. */
export interface Authorization {
  id: string;
  authorization_id: string;
  client_id: string;
  user_id: string | null;
  redirect_uri: string;
  scope: string;
  state: string | null;
  resource: string | null;
  code_challenge: string | null;
  code_challenge_method: "s256" | "plain" | null;
  nonce: string | null;
  status: "pending" | "approved" | "denied" | "expired";
  authorization_code: string | null;
  expires_at: Instant;
  client: { id: string; client_name: string | null; client_uri: string | null; logo_uri: string | null };
}

/** SQL of an authorization with its client. */
const AUTHORIZATION = `select to_jsonb(a) || jsonb_build_object('client', to_jsonb(c)) as found
  from oauth_authorizations a join oauth_clients c on c.id = a.client_id`;

/** A random id for an authorization request. */
export function newAuthorizationId(): string {
  return Array.from(randomBytes(ID_LENGTH), (byte) => ID_LETTERS[byte % ID_LETTERS.length]).join("");
}

export function isExpired(auth: Auth, { expires_at }: Authorization): boolean {
  return auth.context.clock.now() > Date.parse(expires_at);
}

/**
 * A request that can still be decided. @throws AuthError oauth_authorization_not_found, validation_failed.
 */
export async function pendingAuthorization(auth: Auth, id: string): Promise<Authorization> {
  const { database } = auth.context;
  const [row] = await read<{ found: Authorization }>(
    database,
    `${AUTHORIZATION} where a.authorization_id = $1`,
    [id],
  );
  if (!row) throw authorizationMissing();
  if (isExpired(auth, row.found)) {
    await read(
      database,
      "update oauth_authorizations set status = 'expired' where id = $1 and status = 'pending'",
      [row.found.id],
    );
    // Upstream does not reveal that the request existed.
    throw authorizationMissing();
  }
  if (row.found.status !== "pending") throw validationFailed("authorization request cannot be processed");
  return row.found;
}

/** Reads and locks an approved request by its code: a code is redeemed once. */
export async function lockByCode(transaction: Transaction, code: string): Promise<Authorization | undefined> {
  const row = await transaction.one<{ found: Authorization }>(
    `${AUTHORIZATION} where a.authorization_code = $1 and a.status = 'approved' for update of a`,
    [code],
  );
  return row?.found;
}

export const authorizationMissing = (): AuthError =>
  notFound("oauth_authorization_not_found", "authorization not found");

/**
 * Checks a verifier against the challenge (RFC 7636, 4.6). @returns upstream's error message, or undefined.
 */
export function verifierFault(authorization: Authorization, verifier: string): string | undefined {
  const { code_challenge: challenge, code_challenge_method: method } = authorization;
  if (!challenge) return undefined;
  if (verifier === "") return "code_verifier is required when PKCE challenge is present";
  const made = method === "s256" ? createHash("sha256").update(verifier).digest("base64url") : verifier;
  return equalSecrets(made, challenge)
    ? undefined
    : "code challenge does not match previously saved code verifier";
}

/** A redirect URI with these parameters set, in alphabetical order as upstream writes them. */
export function withParameters(uri: string, parameters: Record<string, string | null>): string {
  const mark = uri.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : uri.slice(mark + 1));
  for (const [name, value] of Object.entries(parameters)) if (value) query.set(name, value);
  query.sort();
  return `${mark < 0 ? uri : uri.slice(0, mark)}?${query}`;
}
