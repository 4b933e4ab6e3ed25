/**
 * Owns verifying a token: its signature, and its time claims by the Backend's clock. Services add their own
 * requirements and word the errors (RFC 7515, RFC 7519). REST uses the signature check only and checks times
 * by PostgREST's rules (rest/execute/role-and-claims.ts).
 */
import { type CompactJWSHeaderParameters, type CryptoKey, compactVerify } from "jose";
import type { Clock } from "../core/clock.ts";
import { isRecord } from "../core/record.ts";

export type Claims = Record<string, unknown>;

/** Why a signature check failed. */
export type TokenFailure =
  /** Not three base64url parts of JSON. */
  | "malformed"
  /** `none`, or an algorithm without a key. */
  | "algorithm"
  /** A `kid` that names no key, or no key for this algorithm. */
  | "unknown_key"
  | "signature";

/** The result of a signature check. */
export type TokenCheck =
  | { ok: true; claims: Claims; header: CompactJWSHeaderParameters }
  | { ok: false; failure: TokenFailure; header?: Record<string, unknown> };

/** Why a token was rejected. For "expired", "not_yet" and "time_type" the signature was valid, so the claims are known. */
export type TokenRefusal =
  | { ok: false; failure: TokenFailure; header?: Record<string, unknown> }
  | { ok: false; failure: "expired" | "not_yet"; claims: Claims; header: CompactJWSHeaderParameters }
  | {
      ok: false;
      failure: "time_type";
      claim: TimeClaim;
      claims: Claims;
      header: CompactJWSHeaderParameters;
    };

/** The time claims, in the order in which `jose` checks their types. */
const TIME_CLAIMS = ["iat", "nbf", "exp"] as const;
type TimeClaim = (typeof TIME_CLAIMS)[number];

/** Verifies a token's signature, e.g. a Backend's `Keys`. */
export interface SignatureCheck {
  checkToken(token: string): Promise<TokenCheck>;
}

/**
 * Checks signature, expiry (`exp`) and start (`nbf`). A time claim that is present must be a number, or a token
 * with the text "never" would be valid for ever (RFC 7519, 4.1.4).
 * @returns the claims, or the reason for rejection.
 */
export async function verifyToken(
  token: string,
  keys: SignatureCheck,
  clock: Clock,
): Promise<Extract<TokenCheck, { ok: true }> | TokenRefusal> {
  const check = await keys.checkToken(token);
  if (!check.ok) return check;
  const { claims, header } = check;
  const claim = TIME_CLAIMS.find((name) => !["number", "undefined"].includes(typeof claims[name]));
  if (claim) return { ok: false, failure: "time_type", claim, claims, header };
  const { exp, nbf } = claims;
  if (typeof exp === "number" && secondsSince(exp, clock) >= 0) {
    return { ok: false, failure: "expired", claims, header };
  }
  if (typeof nbf === "number" && secondsSince(nbf, clock) < 0) {
    return { ok: false, failure: "not_yet", claims, header };
  }
  return check;
}

/** Seconds since a time claim; negative if it is in the future. @param time seconds since the epoch. */
export function secondsSince(time: number, clock: Clock): number {
  return clock.now() / 1_000 - time;
}

/** A key in a form that `jose` accepts. */
export type VerificationKey = CryptoKey | Uint8Array;

/** The candidate keys for a token with this header, or why there is none. */
export type KeyChoice = (header: Record<string, unknown>) => KeyCandidates | Promise<KeyCandidates>;
type KeyCandidates = readonly (VerificationKey | Promise<VerificationKey>)[] | TokenFailure;

/** Longer tokens are verified each time: a cache of thousands must stay small. */
const LONGEST_CACHED = 8 * 1024;
// With a byte order mark the payload is not JSON, as for upstream's parsers.
const PAYLOAD = new TextDecoder("utf-8", { ignoreBOM: true });

/** Verifies signatures with the keys of a selector, and caches the results by token. */
export class SignatureVerifier implements SignatureCheck {
  readonly #choose: KeyChoice;
  readonly #capacity: number;
  readonly #onEviction: (() => void) | undefined;
  readonly #checked = new Map<string, TokenCheck>();

  /** @param capacity number of cached results; 0 disables the cache. */
  constructor(choose: KeyChoice, capacity: number, onEviction?: () => void) {
    this.#choose = choose;
    this.#capacity = capacity;
    this.#onEviction = onEviction;
  }

  /** A cached result: synchronous, for the hot path. */
  cachedCheck(token: string): TokenCheck | undefined {
    return this.#checked.get(token);
  }

  async checkToken(token: string): Promise<TokenCheck> {
    const cached = this.#checked.get(token);
    if (cached) return cached;
    const result = await this.#check(token);
    if (this.#capacity === 0 || token.length > LONGEST_CACHED) return result;
    // Another issuer may get a new key at any time.
    if (!result.ok && result.failure === "unknown_key") return result;
    if (this.#checked.size >= this.#capacity) {
      const oldest = this.#checked.keys().next().value;
      if (oldest !== undefined) this.#checked.delete(oldest);
      this.#onEviction?.();
    }
    this.#checked.set(token, result);
    return result;
  }

  async #check(token: string): Promise<TokenCheck> {
    const header = headerOf(token);
    if (!header) return { ok: false, failure: "malformed" };
    const keys = await this.#choose(header);
    if (typeof keys === "string") return { ok: false, failure: keys, header };
    for (const key of keys) {
      try {
        const verified = await compactVerify(token, await key, { algorithms: [String(header.alg)] });
        const claims: unknown = JSON.parse(PAYLOAD.decode(verified.payload));
        if (!isRecord(claims)) return { ok: false, failure: "malformed", header };
        return { ok: true, claims, header: verified.protectedHeader };
      } catch (error) {
        if (error instanceof SyntaxError) return { ok: false, failure: "malformed", header };
        // This key did not match; another one may.
      }
    }
    return { ok: false, failure: "signature", header };
  }
}

function headerOf(token: string): Record<string, unknown> | undefined {
  const parts = token.split(".");
  return parts.length === 3 && parts[0] ? tokenPart(parts[0]) : undefined;
}

/** The header or the claims of a JWT, unverified; undefined if it is not an object. */
export function tokenPart(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text after `Bearer`, which may be empty; undefined for another scheme, or without the header. */
export function bearerToken(authorization: string | undefined): string | undefined {
  const found = /^bearer(?: +(.*))?$/i.exec(authorization?.trim() ?? "");
  return found ? (found[1] ?? "").trim() : undefined;
}

/** The token of an Authorization header; `Bearer` before it is optional. */
export function tokenOf(authorization: string): string {
  return authorization.replace(/^bearer\s+/i, "");
}
