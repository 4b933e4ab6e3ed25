/** Owns the caller of a request: token verification, the claims for policies, and the errors. */

import { isUuid } from "../../core/uuid.ts";
import type { ServiceRequest } from "../../http/exchange.ts";
import { ForeignRefused, verifyRequestToken } from "../../http/secret-rights.ts";
import type { ServiceContext } from "../../service-context.ts";
import { type Claims, type TokenRefusal, tokenOf } from "../../tokens/verify-token.ts";
import { accessDenied, badRequest } from "./errors.ts";

/** The holder of a valid token, or an anonymous caller. */
export interface Caller {
  role: string;
  /** `sub` of the token. */
  subject: string | undefined;
  claims: Claims;
  token: string;
}

const ANONYMOUS: Caller = { role: "anon", subject: undefined, claims: {}, token: "" };

/** The caller of a route that requires a token. */
export async function requireCaller(context: ServiceContext, request: ServiceRequest): Promise<Caller> {
  if (!request.authorization) throw badRequest("headers must have required property 'authorization'");
  return requireToken(context, request, request.authorization);
}

/**
 * The caller of a token.
 * @param authorization the header's value; `Bearer ` before the token is optional.
 * @throws AccessDenied, ForeignRefused
 */
export async function requireToken(
  context: ServiceContext,
  request: ServiceRequest,
  authorization: string,
): Promise<Caller> {
  const token = tokenOf(authorization);
  const check = await verifyRequestToken(token, context, request);
  if (!check.ok) throw accessDenied(tokenRefusal(check));
  const { role, sub } = check.claims;
  return {
    role: typeof role === "string" && role ? role : "anon",
    subject: typeof sub === "string" && sub ? sub : undefined,
    claims: check.claims,
    token,
  };
}

/** The error messages are those of `jose`, which upstream passes on. */
export function tokenRefusal(
  refusal:
    | { failure: Exclude<TokenRefusal["failure"], "time_type"> }
    | Extract<TokenRefusal, { failure: "time_type" }>,
): string {
  switch (refusal.failure) {
    case "malformed":
      return "Invalid Compact JWS";
    case "expired":
      return '"exp" claim timestamp check failed';
    case "not_yet":
      return '"nbf" claim timestamp check failed';
    case "time_type":
      return `"${refusal.claim}" claim must be a number`;
    default:
      return "signature verification failed";
  }
}

/** The caller of a route that needs no token: anonymous when the token is missing or invalid. */
export async function optionalCaller(
  context: ServiceContext,
  request: ServiceRequest,
): Promise<{ caller: Caller; authenticated: boolean }> {
  try {
    return { caller: await requireCaller(context, request), authenticated: true };
  } catch (error) {
    if (error instanceof ForeignRefused) throw error;
    return { caller: ANONYMOUS, authenticated: false };
  }
}

/** `sub` for the deprecated uuid column, if it is a UUID. */
export function ownerUuid(caller: Caller): string | null {
  const { subject } = caller;
  return subject && isUuid(subject) ? subject : null;
}
