/**
 * Owns verifying a realtime token, with the error texts that clients see (docs/compat/realtime.md 2, 5, 7).
 */

import type { Clock } from "../../core/clock.ts";
import type { TokenOwner } from "../../core/happenings.ts";
import { percentDecoded } from "../../core/percent.ts";
import type { ServiceRequest } from "../../http/exchange.ts";
import { ForeignRefused, requireOwnRole, type TokenContext } from "../../http/secret-rights.ts";
import { type Claims, secondsSince } from "../../tokens/verify-token.ts";

/** A verified token. */
export interface Token {
  text: string;
  claims: Claims;
  role: string;
  /** Seconds since the epoch. */
  expires: number;
}

export function ownerOf({ role, claims }: Token): TokenOwner {
  return {
    role,
    user: typeof claims.sub === "string" ? claims.sub : undefined,
    email: typeof claims.email === "string" && claims.email !== "" ? claims.email : undefined,
  };
}

export type TokenFault = "malformed" | "expired" | "claims" | "signature" | "signer" | "foreign";

/** The prefix of a rejected join's reason. */
const JOIN_CODES: Record<TokenFault, string> = {
  expired: "InvalidJWTToken",
  claims: "InvalidJWTToken",
  malformed: "MalformedJWT",
  signature: "JwtSignatureError",
  signer: "JwtSignerError",
  foreign: "Unauthorized",
};

/** A rejected token; `message` is the text of the handshake, `reason` that of a join. */
export class TokenRefused extends Error {
  readonly fault: TokenFault;
  /** For `expired`: whole seconds since expiry. */
  readonly secondsAgo: number;

  constructor(fault: TokenFault, text: string, secondsAgo = 0) {
    super(text);
    this.fault = fault;
    this.secondsAgo = secondsAgo;
  }

  /** The `reason` of a rejected join. */
  get joinReason(): string {
    return `${JOIN_CODES[this.fault]}: ${this.#text}`;
  }

  /** The text of a system message, which for two errors is a bare term. */
  get systemText(): string {
    if (this.fault === "signature") return ":signature_error";
    if (this.fault === "signer" && !this.message.includes("(kid)")) return ":error_generating_signer";
    return this.#text;
  }

  get #text(): string {
    return this.fault === "expired" ? `Token has expired ${this.secondsAgo} seconds ago` : this.message;
  }
}

/**
 * Verifies a token's signature, its validity period, and the presence of role and expiry.
 * @param request why its sender may not use secret rights, so that a token with them is rejected; its record gets the
 * token's claims
 * @throws TokenRefused
 */
export async function checkRealtimeToken(
  raw: string,
  { keys, clock, database }: TokenContext,
  { foreign, record }: Partial<Pick<ServiceRequest, "foreign" | "record">>,
): Promise<Token> {
  const text = percentDecoded(raw).replace(/\s+/g, "");
  const check = await keys.checkToken(text);
  if (!check.ok) {
    if (check.failure === "malformed") {
      throw new TokenRefused("malformed", "The token provided is not a valid JWT");
    }
    if (check.failure === "signature") {
      throw new TokenRefused("signature", "Failed to validate JWT signature");
    }
    const kid = check.header?.kid;
    throw new TokenRefused(
      "signer",
      kid === undefined
        ? "Failed to generate JWT signer, check your JWT secret or JWKS configuration"
        : `Failed to generate JWT signer for key ID (kid) "${String(kid)}", check your JWT secret or JWKS configuration`,
    );
  }
  if (record) record.claims = check.claims;
  const { role, exp, iat } = check.claims;
  if (typeof role !== "string" || role === "" || typeof exp !== "number") {
    throw new TokenRefused("claims", "Fields `role` and `exp` are required in JWT");
  }
  if (iat !== undefined && typeof iat !== "number") {
    throw new TokenRefused("malformed", "The token provided is not a valid JWT");
  }
  await requireOwnRole(database, foreign, role).catch((error: unknown) => {
    throw error instanceof ForeignRefused ? new TokenRefused("foreign", error.message) : error;
  });
  const token = { text, claims: check.claims, role, expires: Math.round(exp) };
  requireFresh(token, clock);
  return token;
}

/** @throws TokenRefused when a valid token has expired since. */
export function requireFresh(token: Token, clock: Clock): void {
  const ago = Math.floor(secondsSince(token.expires, clock));
  if (ago >= 0) throw new TokenRefused("expired", "Token has expired", ago);
}
