/** Owns the routes of SAML (docs/compat/auth.md 1, "SAML"). */

import type { ServiceResponse } from "../../http/exchange.ts";
import type { Auth } from "../kit/auth.ts";
import { AuthError, notFound } from "../kit/errors.ts";
import type { AuthRequest } from "../kit/request.ts";
import {
  createProvider,
  deleteProvider,
  getProvider,
  listProviders,
  updateProvider,
} from "./admin-connections.ts";
import { consumeAssertion } from "./assertion-consumer.ts";
import type { ServiceProvider } from "./service-provider.ts";
import { serviceProvider } from "./service-provider.ts";
import { serviceMetadata, signInBySso } from "./sign-in.ts";

type Endpoint = (
  auth: Auth,
  provider: ServiceProvider,
  request: AuthRequest,
) => ServiceResponse | Promise<ServiceResponse>;

const ENDPOINTS: Record<string, { method: string; endpoint: Endpoint }> = {
  sso: { method: "POST", endpoint: signInBySso },
  "sso/saml/metadata": { method: "GET", endpoint: serviceMetadata },
  "sso/saml/acs": { method: "POST", endpoint: consumeAssertion },
};

/** /sso and below. @throws AuthError saml_provider_disabled while SAML is off, and the endpoint's own errors. */
export async function sso(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const saml = serviceProvider(auth);
  if (!saml) throw notFound("saml_provider_disabled", "SAML 2.0 is disabled");
  const path = request.segments.join("/");
  const found = Object.hasOwn(ENDPOINTS, path) ? ENDPOINTS[path] : undefined;
  if (!found) throw notFound("unknown", "404 page not found");
  if (found.method !== request.method) throw new AuthError(405, "unknown", "Method not allowed");
  return found.endpoint(auth, saml, request);
}

/** The routes of administrators, by method and path. */
export const SSO_ADMIN_ROUTES = [
  ["GET", "/admin/sso/providers", listProviders],
  ["POST", "/admin/sso/providers", createProvider],
  ["GET", "/admin/sso/providers/:id", getProvider],
  ["PUT", "/admin/sso/providers/:id", updateProvider],
  ["DELETE", "/admin/sso/providers/:id", deleteProvider],
] as const;
