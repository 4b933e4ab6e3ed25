/** Owns the routes of the OAuth server (docs/compat/auth.md 1, "OAuth server"). */

import type { Auth } from "../../src/auth/kit/auth.ts";
import type { AuthEndpoint } from "../../src/auth/kit/endpoint.ts";
import { methodNotAllowed, notFound } from "../../src/auth/kit/errors.ts";
import { openidConfiguration } from "../../src/auth/kit/openid-configuration.ts";
import type { AuthRequest } from "../../src/auth/kit/request-fields.ts";
import { forAdmins } from "../../src/auth/users/signed-in-caller.ts";
import type { ServiceResponse } from "../../src/http/exchange.ts";
import { type Route, Router } from "../../src/http/router.ts";
import { authorize } from "./authorize.ts";
import {
  createClient,
  deleteClient,
  getClient,
  listClients,
  regenerateSecret,
  registerClientApplication,
  updateClient,
} from "./clients.ts";
import { authorizationDetails, decideConsent } from "./consent.ts";
import { listGrants, revokeGrant } from "./grants.ts";
import { issueTokens } from "./tokens.ts";
import { userInfo } from "./user-info.ts";

const ROUTES: readonly Route<AuthEndpoint<"id">>[] = [
  ["GET", "/.well-known/oauth-authorization-server", openidConfiguration],
  // Both GETs write, so neither answers HEAD.
  ["HEAD", "/oauth/authorize", methodNotAllowed],
  ["HEAD", "/oauth/authorizations/:id", methodNotAllowed],
  ["GET", "/oauth/authorize", authorize],
  ["GET", "/oauth/authorizations/:id", authorizationDetails],
  ["POST", "/oauth/authorizations/:id/consent", decideConsent],
  ["POST", "/oauth/token", issueTokens],
  ["GET", "/oauth/userinfo", userInfo],
  ["POST", "/oauth/clients/register", registerClientApplication],
  ["GET", "/user/oauth/grants", listGrants],
  ["DELETE", "/user/oauth/grants", revokeGrant],
  ...forAdmins<"id">([
    ["GET", "/admin/oauth/clients", listClients],
    ["POST", "/admin/oauth/clients", createClient],
    ["GET", "/admin/oauth/clients/:id", getClient],
    ["PUT", "/admin/oauth/clients/:id", updateClient],
    ["DELETE", "/admin/oauth/clients/:id", deleteClient],
    ["POST", "/admin/oauth/clients/:id/regenerate_secret", regenerateSecret],
  ]),
];
const paths = [...new Set(ROUTES.map(([, path]) => path))];
const router = new Router<AuthEndpoint<"id">, "id">([
  ...ROUTES,
  ...paths.map((path) => ["*", path, methodNotAllowed] as const),
]);

/**
 * Handles requests to the OAuth server. @throws AuthError feature_disabled when it is off, and the endpoint's
 * own errors.
 */
export async function endpoint(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  if (!auth.config.oauth_server.enabled) throw notFound("feature_disabled", "OAuth server is disabled");
  const found = router.match(request.method, request.segments);
  if (!found) throw notFound("unknown", "404 page not found");
  return found.handler(auth, request, found.values);
}
