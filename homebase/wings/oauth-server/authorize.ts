/**
 * Owns GET /oauth/authorize: validates an application's request, stores it, and sends the user to the consent
 * page (OAuth 2.1, 4.1.1).
 */

import { randomUUID } from "node:crypto";
import { read } from "../../src/auth/kit/as-auth-admin.ts";
import { type Auth, currentTime } from "../../src/auth/kit/auth.ts";
import { badRequest, validationFailed } from "../../src/auth/kit/errors.ts";
import { type AuthRequest, redirect } from "../../src/auth/kit/request-fields.ts";
import { isUuid } from "../../src/core/uuid.ts";
import type { ServiceResponse } from "../../src/http/exchange.ts";
import { AUTHORIZATION_MS, newAuthorizationId, withParameters } from "./authorizations.ts";
import { findClient } from "./clients.ts";
import { DEFAULT_SCOPE, scopeFault } from "./scopes.ts";

const SHORTEST_CHALLENGE = 43;
const LONGEST_CHALLENGE = 128;

/**
 * GET /oauth/authorize. Errors about the application or its redirect URI are returned here; all others are
 * sent to the application by a redirect.
 * @throws AuthError validation_failed, oauth_client_not_found.
 */
export async function authorize(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const given = (name: string) => request.query.get(name) ?? "";
  const clientId = given("client_id");
  const redirectUri = given("redirect_uri");
  if (clientId === "") throw validationFailed("client_id is required");
  if (redirectUri === "") throw validationFailed("redirect_uri is required");
  const unknown = (message: string) => badRequest("oauth_client_not_found", message);
  if (!isUuid(clientId)) throw unknown("invalid client_id format");
  const client = await findClient(auth, clientId);
  if (!client) throw unknown("invalid client_id");
  // Only a registered URI belongs to the application, so errors must not be sent to any other.
  if (!client.redirect_uris.split(",").includes(redirectUri)) throw validationFailed("invalid redirect_uri");

  const state = given("state");
  const scope = given("scope") || DEFAULT_SCOPE;
  const refuse = (error: string, description: string) =>
    redirect(302, withParameters(redirectUri, { error, error_description: description, state }));
  const fault =
    (given("response_type") || "code") === "code"
      ? (scopeFault(scope) ?? resourceFault(given("resource")) ?? challengeFault(given))
      : "only response_type=code is supported";
  if (fault !== undefined) return refuse("invalid_request", fault);

  const id = newAuthorizationId();
  const now = auth.context.clock.now();
  try {
    await read(
      auth.context.database,
      `insert into oauth_authorizations (id, authorization_id, client_id, redirect_uri, scope, state, resource,
         code_challenge, code_challenge_method, nonce, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        randomUUID(),
        id,
        client.id,
        redirectUri,
        scope,
        state || null,
        given("resource") || null,
        given("code_challenge"),
        given("code_challenge_method").toLowerCase(),
        given("nonce") || null,
        currentTime(auth),
        new Date(now + AUTHORIZATION_MS).toISOString(),
      ],
    );
  } catch (error) {
    auth.context.log.error("An authorization could not be stored.", { error: String(error) });
    return refuse("server_error", "error creating authorization");
  }
  const { site_url: site, oauth_server: server } = auth.config;
  const page = `${site.replace(/\/+$/, "")}/${server.authorization_url_path.replace(/^\//, "")}`;
  return redirect(302, `${page}?authorization_id=${id}`);
}

/** RFC 7636, 4.3: required of every application. */
function challengeFault(given: (name: string) => string): string | undefined {
  const challenge = given("code_challenge");
  const method = given("code_challenge_method").toLowerCase();
  if (challenge === "" || method === "") {
    return "PKCE flow requires both code_challenge and code_challenge_method";
  }
  if (method !== "s256" && method !== "plain") return "code_challenge_method must be 'S256' or 'plain'";
  return challenge.length < SHORTEST_CHALLENGE || challenge.length > LONGEST_CHALLENGE
    ? "code_challenge must be between 43 and 128 characters"
    : undefined;
}

/** RFC 8707, 2. */
function resourceFault(resource: string): string | undefined {
  if (resource === "") return undefined;
  if (!/^[a-z][a-z\d+.-]*:/i.test(resource)) return "resource must be an absolute URI";
  if (!URL.canParse(resource)) return "resource must be a valid URI";
  if (resource.includes("#")) return "resource must not include a fragment component";
  return resource.includes("?") ? "resource must not include a query component" : undefined;
}
