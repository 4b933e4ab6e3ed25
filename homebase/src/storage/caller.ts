/** Owns who is calling: the token, what of it policies see, and the refusals of a bad one. */

import type { ServiceRequest } from "../http/exchange.ts";
import type { ServiceContext } from "../service/context.ts";
import type { Claims } from "../tokens/keys.ts";
import { accessDenied, badRequest } from "./errors.ts";

/** A caller whose token passed, or nobody. */
export interface Caller {
  role: string;
  /** `sub` of the token. */
  subject: string | undefined;
  claims: Claims;
  token: string;
}

const NOBODY: Caller = { role: "anon", subject: undefined, claims: {}, token: "" };

/** The caller of a route that demands a token. */
export async function requireCaller(context: ServiceContext, request: ServiceRequest): Promise<Caller> {
  if (!request.authorization) throw badRequest("headers must have required property 'authorization'");
  return requireToken(context, request.authorization);
}

/**
 * The caller whom a token names.
 * @param authorization the header's value; `Bearer ` before the token is welcome but not needed.
 * @throws AccessDenied
 */
export async function requireToken(context: ServiceContext, authorization: string): Promise<Caller> {
  const token = authorization.replace(/^bearer\s+/i, "");
  const check = await context.keys.checkToken(token);
  if (!check.ok) {
    throw accessDenied(
      check.failure === "malformed" ? "Invalid Compact JWS" : "signature verification failed",
    );
  }
  const now = Math.floor(context.clock.now() / 1000);
  const { exp, nbf, role, sub } = check.claims;
  if (typeof exp === "number" && exp <= now) throw accessDenied('"exp" claim timestamp check failed');
  if (typeof nbf === "number" && nbf > now) throw accessDenied('"nbf" claim timestamp check failed');
  return {
    role: typeof role === "string" && role ? role : "anon",
    subject: typeof sub === "string" && sub ? sub : undefined,
    claims: check.claims,
    token,
  };
}

/** The caller where a token may be missing or bad: then it is nobody. */
export async function optionalCaller(
  context: ServiceContext,
  request: ServiceRequest,
): Promise<{ caller: Caller; authenticated: boolean }> {
  try {
    return { caller: await requireCaller(context, request), authenticated: true };
  } catch {
    return { caller: NOBODY, authenticated: false };
  }
}

/** `sub` for the deprecated uuid column: only when it is one. */
export function ownerUuid(caller: Caller): string | null {
  const { subject } = caller;
  return subject && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(subject)
    ? subject
    : null;
}
