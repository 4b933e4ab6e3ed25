/**
 * Owns the check of `verify_jwt`: signature and time claims, but neither role nor audience
 * (docs/compat/functions.md 2).
 */
import type { Clock } from "../core/clock.ts";
import type { Keys } from "../tokens/keys.ts";
import { verifyToken } from "../tokens/verify.ts";
import { FunctionError } from "./errors.ts";

/** @throws FunctionError unless `authorization` is `Bearer <valid token>`. */
export async function verifyJwt(authorization: string | undefined, keys: Keys, clock: Clock): Promise<void> {
  if (!authorization) throw new FunctionError("UNAUTHORIZED_NO_AUTH_HEADER");
  const token = /^Bearer (\S+)$/.exec(authorization)?.[1];
  if (!token) throw new FunctionError("UNAUTHORIZED_INVALID_JWT_FORMAT");
  const check = await verifyToken(token, keys, clock);
  if (check.ok) return;
  if (check.failure === "malformed") throw new FunctionError("UNAUTHORIZED_INVALID_JWT_FORMAT");
  const algorithm = check.header?.alg;
  if (algorithm === "HS256") throw new FunctionError("UNAUTHORIZED_LEGACY_JWT");
  const timed = check.failure === "expired" || check.failure === "not_yet";
  if (timed || algorithm === "ES256" || algorithm === "RS256") {
    throw new FunctionError("UNAUTHORIZED_ASYMMETRIC_JWT");
  }
  throw new FunctionError("UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM");
}
