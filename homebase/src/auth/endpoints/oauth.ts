/**
 * Owns sign-in with a provider: /authorize, /user/identities/authorize and /callback (docs/compat/auth.md 2,
 * "OAuth").
 */

import type { ServiceResponse } from "../../http/exchange.ts";
import { type Call, read, type Transaction, transact } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { checkChallenge } from "../kit/client-input.ts";
import { AuthError, badRequest, linkingDisabled, notFound, OAuthError, unexpected } from "../kit/errors.ts";
import { errorTarget, withQuery } from "../kit/redirect-errors.ts";
import { type AuthRequest, formFields, json, redirect } from "../kit/request-fields.ts";
import { authorizeAddress, exchangeCode } from "../providers/oauth-client.ts";
import type { Provider } from "../providers/provider.ts";
import { findProvider } from "../providers/providers.ts";
import { signInByAccount } from "../sessions/external-account.ts";
import {
  consumeVerifier,
  type FlowState,
  findOAuthFlow,
  isExpired,
  storeOAuthFlow,
  storeVerifier,
} from "../sessions/flow-state.ts";
import { beginSession, withSession } from "../sessions/sessions.ts";
import type { Consent } from "../stand-in/provider-accounts.ts";
import { consents } from "../stand-in/provider-accounts.ts";
import { requireUser } from "../users/signed-in-caller.ts";
import type { User } from "../users/user.ts";

/** Parameters of /authorize that Auth reads itself, and OAuth parameters that no client may set. */
const RESERVED = new Set([
  "provider",
  "redirect_to",
  "scopes",
  "invite_token",
  "code_challenge",
  "code_challenge_method",
  "skip_http_redirect",
  "client_id",
  "redirect_uri",
  "response_type",
  "scope",
  "state",
  "client_secret",
  "code",
]);

/** GET /authorize */
export async function authorize(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  return redirect(302, await providerAddress(auth, request, undefined));
}

/** GET /user/identities/authorize: links the identity to the caller. */
export async function linkIdentity(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const { user } = await requireUser(auth, request);
  if (!auth.config.enable_manual_linking) throw linkingDisabled();
  const url = await providerAddress(auth, request, user.row.id);
  return request.query.get("skip_http_redirect") === "true" ? json(200, { url }) : redirect(302, url);
}

async function providerAddress(
  auth: Auth,
  request: AuthRequest,
  linkingTarget: string | undefined,
): Promise<string> {
  const { query } = request;
  const provider = await findProvider(auth, query.get("provider") ?? "", query.get("scopes") ?? "");
  const challenge = checkChallenge(
    query.get("code_challenge") ?? undefined,
    query.get("code_challenge_method") ?? undefined,
  );
  const inviteToken = query.get("invite_token") ?? "";
  if (inviteToken !== "") await requireInvited(auth, inviteToken);
  const proof = provider.custom?.pkce_enabled ? await storeVerifier(auth, provider.name) : undefined;
  const state = await storeOAuthFlow(auth, {
    clientState: proof?.id,
    provider: provider.name,
    referrer: auth.redirects.resolve(request),
    challenge,
    inviteToken,
    linkingTarget,
    emailOptional: provider.emailOptional,
  });
  const members = new URLSearchParams({
    client_id: provider.clientId,
    redirect_uri: provider.redirectUri,
    response_type: "code",
    scope: provider.scope,
    state,
    ...(proof ? { code_challenge: proof.challenge, code_challenge_method: "S256" } : {}),
  });
  for (const [name, value] of Object.entries(provider.custom?.authorization_params ?? {})) {
    members.set(name, String(value));
  }
  for (const [name, value] of query) if (!RESERVED.has(name)) members.append(name, value);
  const address =
    provider.url === "" ? consentAddress(auth, provider) : await authorizeAddress(auth, provider);
  return `${address}${address.includes("?") ? "&" : "?"}${members}`;
}

/** The local stand-in page for a provider: no request leaves this machine. */
function consentAddress(auth: Auth, provider: Provider): string {
  return `${auth.settings.externalUrl}/homebase/oauth/${encodeURIComponent(provider.name)}/authorize`;
}

async function requireInvited(auth: Auth, token: string): Promise<void> {
  const [found] = await read(
    auth.context.database,
    "select 1 from users where confirmation_token = $1 and is_sso_user = false",
    [token],
  );
  if (!found) throw notFound("user_not_found", "User identified by token not found");
}

/** GET and POST /callback: where a provider redirects its users. */
export async function callback(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const given = await callbackMembers(request);
  const state = given.get("state") ?? "";
  let flow: FlowState;
  try {
    flow = await openFlow(auth, state);
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    const members = { error: "invalid_request", error_code: error.code, error_description: error.message };
    return redirect(303, withQuery(auth.redirects.site, members));
  }
  const target = flow.referrer ?? auth.redirects.site;
  try {
    return redirect(302, await finish(auth, request, flow, given, target));
  } catch (error) {
    return redirect(302, failureTarget(auth, request, target, error));
  }
}

/** Apple posts a form; all other providers redirect. */
async function callbackMembers(request: AuthRequest): Promise<URLSearchParams> {
  if (request.method !== "POST") return request.query;
  const form = await formFields(request);
  return form.has("state") ? form : request.query;
}

/** @throws AuthError bad_oauth_callback, bad_oauth_state, flow_state_already_used */
async function openFlow(auth: Auth, state: string): Promise<FlowState> {
  if (state === "") throw badRequest("bad_oauth_callback", "OAuth state parameter missing");
  const flow = await findOAuthFlow(auth, state);
  if (!flow || isExpired(auth, flow)) throw badRequest("bad_oauth_state", "OAuth state not found or expired");
  if (flow.user_id) throw badRequest("flow_state_already_used", "OAuth state has already been used");
  return flow;
}

async function finish(
  auth: Auth,
  request: AuthRequest,
  flow: FlowState,
  given: URLSearchParams,
  target: string,
): Promise<string> {
  const refused = given.get("error");
  if (refused) throw new OAuthError(refused, given.get("error_description") ?? "");
  const code = given.get("code") ?? "";
  if (code === "") throw badRequest("bad_oauth_callback", "OAuth callback with missing authorization code");
  const provider = await findProvider(auth, flow.provider_type);
  const verifier = flow.oauth_client_state_id
    ? await consumeVerifier(auth, flow.oauth_client_state_id)
    : undefined;
  const consent =
    provider.url === "" ? consents(auth).redeem(code) : await exchangeCode(auth, provider, code, verifier);
  if (consent?.account.provider !== flow.provider_type) {
    throw unexpected("Unable to exchange external code");
  }
  return transact(auth, request, async (call) => {
    await takeFlow(call, flow);
    const user = await signInByAccount(call, flow, consent.account);
    return flow.code_challenge
      ? issueOAuthCode(call, flow, user, consent, target)
      : implicitSession(call, flow, user, consent, target);
  });
}

/**
 * Marks the flow used: of two callbacks with one state, only one succeeds. @throws AuthError
 * flow_state_already_used
 */
async function takeFlow(transaction: Transaction, flow: FlowState): Promise<void> {
  const open = await transaction.one(
    "select 1 from flow_state where id = $1 and user_id is null for update",
    [flow.id],
  );
  if (!open) throw badRequest("flow_state_already_used", "OAuth state has already been used");
}

function issueOAuthCode(call: Call, flow: FlowState, user: User, consent: Consent, target: string): string {
  call.enqueue(
    `update flow_state set user_id = $2, provider_access_token = $3, provider_refresh_token = $4,
       auth_code_issued_at = $5, updated_at = $5 where id = $1`,
    [flow.id, user.row.id, consent.accessToken, consent.refreshToken, call.now],
  );
  return withQuery(target, { code: flow.auth_code ?? "" });
}

async function implicitSession(
  call: Call,
  flow: FlowState,
  user: User,
  consent: Consent,
  target: string,
): Promise<string> {
  const { auth } = call;
  call.enqueue("delete from flow_state where id = $1", [flow.id]);
  const granted = await beginSession(call, user, "oauth");
  return withSession(auth, target, granted, {
    ...(consent.refreshToken ? { provider_refresh_token: consent.refreshToken } : {}),
    provider_token: consent.accessToken,
  });
}

const DENIED = new Set(["signup_disabled", "user_banned", "provider_email_needs_verification"]);

/** The flow's redirect URL with the error in query and fragment. */
function failureTarget(auth: Auth, request: AuthRequest, target: string, error: unknown): string {
  if (error instanceof OAuthError) {
    const members = { error: error.error, error_description: error.message };
    return `${withQuery(target, members)}#${new URLSearchParams({ ...members, sb: "" })}`;
  }
  if (error instanceof AuthError && error.status < 500) {
    return errorTarget(target, error, true, DENIED.has(error.code) ? "access_denied" : undefined);
  }
  auth.context.log.error("Sign-in by a provider failed", { id: request.id, error: String(error) });
  const known =
    error instanceof AuthError
      ? error
      : unexpected("Unexpected failure, please check server logs for more information");
  return errorTarget(target, known, true);
}
