/**
 * Owns POST /oauth/token: exchanges a code for a session, and refreshes a session (OAuth 2.1, 4.1.3 and 4.3).
 */

import { type Call, transact } from "../../src/auth/kit/as-auth-admin.ts";
import type { Auth } from "../../src/auth/kit/auth.ts";
import { AuthError, OAuthError } from "../../src/auth/kit/errors.ts";
import { type AuthRequest, json } from "../../src/auth/kit/request-fields.ts";
import { refreshSession } from "../../src/auth/sessions/refresh.ts";
import { beginSession, type Grant, sessionHeaders, sessionJson } from "../../src/auth/sessions/sessions.ts";
import { audit } from "../../src/auth/users/audit-record.ts";
import { isBanned, type User } from "../../src/auth/users/user.ts";
import { findById } from "../../src/auth/users/users.ts";
import type { ServiceResponse } from "../../src/http/exchange.ts";
import { type Authorization, isExpired, lockByCode, verifierFault } from "./authorizations.ts";
import { authenticateClient, type TokenParameters, tokenParameters } from "./client-auth.ts";
import type { ClientRow } from "./clients.ts";
import { idToken } from "./id-token.ts";
import { scopesOf } from "./scopes.ts";

/** The authentication method in the tokens' `amr`. */
const METHOD = "oauth_provider/authorization_code";

/**
 * POST /oauth/token. @throws AuthError when the client cannot be authenticated, OAuthError for an invalid
 * grant.
 */
export async function issueTokens(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const parameters = await tokenParameters(request);
  const client = await authenticateClient(auth, request, parameters);
  const grant = parameters("grant_type");
  if (grant === "") throw new OAuthError("invalid_request", "grant_type is required");
  if (!client.grant_types.split(",").includes(grant)) {
    throw new OAuthError("unsupported_grant_type", `Client is not allowed to use grant type: ${grant}`);
  }
  return grant === "refresh_token"
    ? refreshGrant(auth, request, client, parameters)
    : codeGrant(auth, request, client, parameters);
}

async function codeGrant(
  auth: Auth,
  request: AuthRequest,
  client: ClientRow,
  parameters: TokenParameters,
): Promise<ServiceResponse> {
  const code = parameters("code");
  if (code === "") throw new OAuthError("invalid_request", "code is required for authorization_code grant");
  const { granted, authorization } = await transact(auth, request, async (call) => {
    const found = await lockByCode(call, code);
    if (!found) throw new OAuthError("invalid_grant", "Invalid authorization code");
    const user = await checkCode(call, found, client, parameters);
    call.enqueue("delete from oauth_authorizations where id = $1", [found.id]);
    const traits = { provider_type: "oauth_provider_authorization_code", client_id: client.id };
    audit(call, "login", user, traits);
    const session = { id: client.id, scopes: found.scope };
    return {
      granted: await beginSession(call, user, METHOD, undefined, session),
      authorization: found,
    };
  });
  const openid = scopesOf(authorization.scope).includes("openid");
  return tokenResponse(
    auth,
    granted,
    openid ? { id_token: await idToken(auth, granted.user, authorization) } : {},
  );
}

/** The user of a code that this client may redeem. @throws OAuthError invalid_grant, access_denied */
async function checkCode(
  call: Call,
  authorization: Authorization,
  client: ClientRow,
  parameters: TokenParameters,
): Promise<User> {
  const invalid = (message: string) => new OAuthError("invalid_grant", message);
  if (isExpired(call.auth, authorization)) throw invalid("Authorization code has expired");
  if (authorization.client_id !== client.id) {
    throw invalid("Authorization code was not issued for this client");
  }
  const resource = parameters("resource");
  if (resource !== "" && resource !== (authorization.resource ?? "")) {
    throw invalid("Authorization code resource does not match the resource parameter");
  }
  const redirectUri = parameters("redirect_uri");
  if (redirectUri !== "" && redirectUri !== authorization.redirect_uri) throw invalid("Invalid redirect_uri");
  const fault = verifierFault(authorization, parameters("code_verifier"));
  if (fault !== undefined) throw invalid(`PKCE verification failed: ${fault}`);
  const user = await findById(call, authorization.user_id ?? "");
  if (!user) throw invalid("User not found for authorization code");
  if (isBanned(user, call.auth.context.clock.now())) throw new OAuthError("access_denied", "User is banned");
  return user;
}

async function refreshGrant(
  auth: Auth,
  request: AuthRequest,
  client: ClientRow,
  parameters: TokenParameters,
): Promise<ServiceResponse> {
  const token = parameters("refresh_token");
  if (token === "") {
    throw new OAuthError("invalid_request", "refresh_token is required for refresh_token grant");
  }
  try {
    const { granted, headers } = await refreshSession(auth, request, token, client.id);
    return tokenResponse(auth, granted, {}, headers);
  } catch (error) {
    throw error instanceof AuthError && error.status === 400 ? grantError(error) : error;
  }
}

/** The error for a grant that is no longer valid (RFC 6749, 5.2). */
const ENDED = new Set([
  "refresh_token_not_found",
  "refresh_token_already_used",
  "session_not_found",
  "session_expired",
  "user_banned",
]);

function grantError({ code, message }: AuthError): OAuthError {
  return new OAuthError(ENDED.has(code) ? "invalid_grant" : "invalid_request", message);
}

/** The token response for applications: without the user. */
function tokenResponse(
  auth: Auth,
  granted: Grant,
  extra: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): ServiceResponse {
  const { access_token, token_type, expires_in, refresh_token } = sessionJson(auth, granted);
  const body = { access_token, expires_in, refresh_token, token_type, ...extra };
  return json(200, body, { ...sessionHeaders(granted), ...headers });
}
