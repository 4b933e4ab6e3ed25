/**
 * Owns the check of `verify_jwt`: signature and time claims, but neither role nor audience
 * (docs/compat/functions.md 2).
 */

import type { ServiceRequest } from "../http/exchange.ts";
import { type TokenContext, verifyRequestToken } from "../http/secret-rights.ts";
import { bearerToken, tokenOf } from "../tokens/verify-token.ts";
import { FunctionError } from "./errors.ts";

/** @throws FunctionError unless `authorization` is `Bearer <valid token>`; ForeignRefused */
export async function verifyJwt(request: ServiceRequest, context: TokenContext): Promise<void> {
  const { authorization } = request;
  if (!authorization) throw new FunctionError("UNAUTHORIZED_NO_AUTH_HEADER");
  // Hosted takes the scheme in this spelling only.
  const token = authorization.startsWith("Bearer ") ? bearerToken(authorization) : undefined;
  if (!token || /\s/.test(token)) throw new FunctionError("UNAUTHORIZED_INVALID_JWT_FORMAT");
  const check = await verifyRequestToken(token, context, request);
  if (check.ok) return;
  if (check.failure === "malformed") throw new FunctionError("UNAUTHORIZED_INVALID_JWT_FORMAT");
  const algorithm = check.header?.alg;
  if (algorithm === "HS256") throw new FunctionError("UNAUTHORIZED_LEGACY_JWT");
  const timed = ["expired", "not_yet", "time_type"].includes(check.failure);
  if (timed || algorithm === "ES256" || algorithm === "RS256") {
    throw new FunctionError("UNAUTHORIZED_ASYMMETRIC_JWT");
  }
  throw new FunctionError("UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM");
}

/**
 * A function without `verify_jwt` passes a token on from its own process, which is no foreign page: a valid one with
 * secret rights is refused here. The record has whose another valid one is. @throws ForeignRefused
 */
export async function requireOwnToken(request: ServiceRequest, context: TokenContext): Promise<void> {
  const token = tokenOf(request.authorization ?? "").trim();
  if (token) await verifyRequestToken(token, context, request);
}
