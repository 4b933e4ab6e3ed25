/**
 * Owns the codes and hashes sent by mail and message: generating, storing in both places that upstream uses,
 * and comparing (docs/compat/auth.md 2, "Tokens in links and mail").
 */
import { createHash, randomInt, randomUUID } from "node:crypto";
import { equalSecrets } from "../../core/equal-secrets.ts";
import type { Transaction } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import type { Instant, User } from "../users/user.ts";

export type TokenType =
  | "confirmation_token"
  | "reauthentication_token"
  | "recovery_token"
  | "email_change_token_new"
  | "email_change_token_current"
  | "phone_change_token";

export const PKCE_PREFIX = "pkce_";

/** A code, and the hash that represents it in links and in the database. */
export interface OneTimeToken {
  code: string;
  hash: string;
}

/** A new code for an address. `pkce` marks the hash as part of a PKCE flow. */
export function createOneTimeToken(address: string, digits: number, pkce: boolean): OneTimeToken {
  return tokenOfCode(address, String(randomInt(0, 10 ** digits)).padStart(digits, "0"), pkce);
}

/** The same by mail, where whoever started the stack may have fixed the code. */
export function createMailToken({ config, context }: Auth, address: string, pkce = false): OneTimeToken {
  const fixed = context.config.mailCodes?.[address.toLowerCase()];
  return fixed === undefined
    ? createOneTimeToken(address, config.email.otp_length, pkce)
    : tokenOfCode(address, fixed, pkce);
}

function tokenOfCode(address: string, code: string, pkce: boolean): OneTimeToken {
  return { code, hash: `${pkce ? PKCE_PREFIX : ""}${hashCode(address, code)}` };
}

/** Hex SHA-224 of the lower-case address followed by the code. */
export function hashCode(address: string, code: string): string {
  return createHash("sha224")
    .update(address.toLowerCase() + code)
    .digest("hex");
}

/** Compares in constant time; the stored hash may have the PKCE prefix. */
export function matchesHash(stored: string, hash: string): boolean {
  const bare = stored.startsWith(PKCE_PREFIX) ? stored.slice(PKCE_PREFIX.length) : stored;
  const given = hash.startsWith(PKCE_PREFIX) ? hash.slice(PKCE_PREFIX.length) : hash;
  return bare !== "" && equalSecrets(bare, given);
}

/** Whether a token sent at `sentAt` is still valid. */
export function isFresh(sentAt: Instant | null, lifetimeSeconds: number, now: number): boolean {
  return sentAt !== null && now < Date.parse(sentAt) + lifetimeSeconds * 1_000;
}

/**
 * Stores the hash for lookups by link; a user has one of each type. The caller writes the column in `users`.
 */
export function storeOneTimeToken(
  transaction: Transaction,
  user: User,
  type: TokenType,
  hash: string,
  relatesTo: string,
  now: string,
): void {
  transaction.enqueue(
    `insert into one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6::timestamptz at time zone 'utc', $6::timestamptz at time zone 'utc')
     on conflict (user_id, token_type) do update set id = excluded.id, token_hash = excluded.token_hash,
       relates_to = excluded.relates_to, created_at = excluded.created_at, updated_at = excluded.updated_at`,
    [randomUUID(), user.row.id, type, hash, relatesTo.toLowerCase(), now],
  );
}
