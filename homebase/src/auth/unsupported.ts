/**
 * Owns the endpoints of features that are not implemented: disabled in the configuration, they respond as
 * upstream does; enabled, they respond 501.
 */
import type { ServiceResponse } from "../http/exchange.ts";
import { requireAdmin } from "./caller.ts";
import type { Auth } from "./dependencies.ts";
import { notFound, notImplemented } from "./errors.ts";
import { type AuthRequest, json } from "./request.ts";

/** /admin/sso/providers: the list is empty, and none can be added. */
export async function ssoProviders(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  await requireAdmin(auth, request);
  if (request.method === "GET" && request.segments.length === 3) return json(200, { items: [] });
  if (request.method === "POST") throw notImplemented("SAML");
  throw notFound("sso_provider_not_found", "SSO Identity Provider not found");
}

/** /sso */
export function sso(): never {
  throw notFound("saml_provider_disabled", "SAML 2.0 is disabled");
}

/** /scim */
export function scim(): never {
  throw notFound("feature_disabled", "SCIM is disabled");
}
