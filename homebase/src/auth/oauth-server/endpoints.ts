/** Owns the routes of the OAuth server (docs/compat/auth.md 1, "OAuth server"). */
import type { ServiceResponse } from "../../http/exchange.ts";
import type { Auth } from "../kit/auth.ts";
import { AuthError, notFound } from "../kit/errors.ts";
import { openidConfiguration } from "../kit/openid-configuration.ts";
import type { AuthRequest } from "../kit/request.ts";
import { authorize } from "./authorize.ts";
import { administerClients, registerClientApplication } from "./clients.ts";
import { authorizationDetails, decideConsent } from "./consent.ts";
import { listGrants, revokeGrant } from "./grants.ts";
import { issueTokens } from "./tokens.ts";
import { userInfo } from "./user-info.ts";

type Endpoint = (auth: Auth, request: AuthRequest, id: string) => ServiceResponse | Promise<ServiceResponse>;

/** Endpoints by path and method; `:id` is a path variable. */
const ENDPOINTS: Record<string, Record<string, Endpoint>> = {
  ".well-known/oauth-authorization-server": { GET: openidConfiguration },
  "oauth/authorize": { GET: authorize },
  "oauth/token": { POST: issueTokens },
  "oauth/userinfo": { GET: userInfo },
  "oauth/clients/register": { POST: registerClientApplication },
  "oauth/authorizations/:id": { GET: authorizationDetails },
  "oauth/authorizations/:id/consent": { POST: decideConsent },
  "user/oauth/grants": { GET: listGrants, DELETE: revokeGrant },
};

/**
 * Handles requests to the OAuth server. @throws AuthError feature_disabled when it is off, and the endpoint's
 * own errors.
 */
export async function oauthServer(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  if (!auth.config.oauth_server.enabled) throw notFound("feature_disabled", "OAuth server is disabled");
  const [first, second, third, fourth, fifth, ...more] = request.segments;
  if (first === "admin" && third === "clients" && more.length === 0) {
    return administerClients(auth, request, fourth, fifth);
  }
  const authorization = second === "authorizations" && third !== undefined;
  const path = request.segments.map((one, at) => (authorization && at === 2 ? ":id" : one)).join("/");
  const endpoint = Object.hasOwn(ENDPOINTS, path) ? ENDPOINTS[path] : undefined;
  if (!endpoint) throw notFound("unknown", "404 page not found");
  const answer = Object.hasOwn(endpoint, request.method) ? endpoint[request.method] : undefined;
  if (!answer) throw new AuthError(405, "unknown", "Method not allowed");
  return answer(auth, request, third ?? "");
}
