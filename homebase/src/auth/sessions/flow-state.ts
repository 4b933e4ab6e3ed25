/** Owns the PKCE state between a request and its code exchange: auth.flow_state. */

import { createHash, randomBytes, randomUUID } from "node:crypto";
import { equalSecrets } from "../../core/equal-secrets.ts";
import { isUuid } from "../../core/uuid.ts";
import { type Call, read, type Transaction } from "../kit/as-auth-admin.ts";
import { type Auth, currentTime } from "../kit/auth.ts";
import type { Challenge } from "../kit/client-input.ts";
import { badRequest, notFound, unprocessable } from "../kit/errors.ts";
import type { Instant } from "../users/user.ts";

const LIFETIME_MS = 300_000;

export type FlowMethod = "email/signup" | "magiclink" | "recovery" | "email_change" | "invite" | "oauth";

const SSO_METHOD = "sso/saml";

export interface FlowState {
  id: string;
  user_id: string | null;
  auth_code: string | null;
  code_challenge_method: "s256" | "plain" | null;
  code_challenge: string | null;
  provider_type: string;
  provider_access_token: string | null;
  provider_refresh_token: string | null;
  created_at: Instant;
  authentication_method: string;
  auth_code_issued_at: Instant | null;
  referrer: string | null;
  invite_token: string | null;
  linking_target_id: string | null;
  email_optional: boolean;
  oauth_client_state_id: string | null;
}

/** Stores a challenge for a user's mail flow; does nothing without a challenge. */
export function storeFlowChallenge(
  call: Call,
  challenge: Challenge | undefined,
  userId: string,
  method: FlowMethod,
): void {
  if (!challenge) return;
  call.enqueue(
    `insert into flow_state (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type,
       created_at, updated_at, authentication_method)
     values ($1, $2, $3, $4, $5, $6, $7, $7, $6)`,
    [randomUUID(), userId, randomUUID(), challenge.method, challenge.value, method, call.now],
  );
}

/**
 * Issues the code of the user's latest flow with this method. @throws AuthError flow_state_not_found,
 * flow_state_expired.
 */
export async function issueCode(call: Call, userId: string, method: FlowMethod): Promise<string> {
  const flow = await latest(call, userId, method);
  if (!flow) throw unprocessable("flow_state_not_found", "No valid flow state found for user.");
  if (isExpired(call.auth, flow)) throw unprocessable("flow_state_expired", "Flow state is expired");
  call.enqueue("update flow_state set auth_code_issued_at = $2, updated_at = $2 where id = $1", [
    flow.id,
    call.now,
  ]);
  return flow.auth_code ?? "";
}

async function latest(
  transaction: Transaction,
  userId: string,
  method: FlowMethod,
): Promise<FlowState | undefined> {
  const found = await transaction.one<{ flow: FlowState }>(
    `select to_jsonb(f) as flow from flow_state f where user_id = $1 and authentication_method = $2
     order by created_at desc limit 1`,
    [userId, method],
  );
  return found?.flow;
}

/**
 * Deletes the flow of a code from the table and returns it.
 * @throws AuthError flow_state_not_found, flow_state_expired, bad_code_verifier.
 */
export async function redeemCode(call: Call, code: string, verifier: string): Promise<FlowState> {
  const found = await call.one<{ flow: FlowState }>(
    "select to_jsonb(f) as flow from flow_state f where auth_code = $1 for update",
    [code],
  );
  const flow = found?.flow;
  if (!flow?.user_id) {
    throw notFound("flow_state_not_found", "invalid flow state, no valid flow state found");
  }
  if (isExpired(call.auth, flow)) {
    throw unprocessable("flow_state_expired", "invalid flow state, flow state has expired");
  }
  const answer =
    flow.code_challenge_method === "s256"
      ? createHash("sha256").update(verifier).digest("base64url")
      : verifier;
  if (!equalSecrets(answer, flow.code_challenge ?? "")) {
    throw badRequest("bad_code_verifier", "code challenge does not match previously saved code verifier");
  }
  call.enqueue("delete from flow_state where id = $1", [flow.id]);
  return flow;
}

/** The stored state of a sign-in while the user is at the provider. */
export interface OAuthFlow {
  provider: string;
  /** The final redirect URL, already checked against the allow-list. */
  referrer: string;
  challenge: Challenge | undefined;
  inviteToken: string;
  /** The user to link the identity to. */
  linkingTarget: string | undefined;
  emailOptional: boolean;
  /** The id of the row with the PKCE verifier for the provider. */
  clientState: string | undefined;
}

/** Stores a sign-in with a provider. Its id is the OAuth `state`. */
export async function storeOAuthFlow(auth: Auth, flow: OAuthFlow): Promise<string> {
  const id = randomUUID();
  await read(
    auth.context.database,
    `insert into flow_state (id, auth_code, code_challenge_method, code_challenge, provider_type, created_at,
       updated_at, authentication_method, invite_token, referrer, linking_target_id, email_optional,
       oauth_client_state_id)
     values ($1, $2, $3, $4, $5, $6, $6, 'oauth', $7, $8, $9, $10, $11)`,
    [
      id,
      flow.challenge ? randomUUID() : null,
      flow.challenge?.method ?? null,
      flow.challenge?.value ?? null,
      flow.provider,
      currentTime(auth),
      flow.inviteToken || null,
      flow.referrer,
      flow.linkingTarget ?? null,
      flow.emailOptional,
      flow.clientState ?? null,
    ],
  );
  return id;
}

/** The flow of a `state`, or undefined. */
export async function findOAuthFlow(auth: Auth, state: string): Promise<FlowState | undefined> {
  if (!isUuid(state)) return undefined;
  const [found] = await read<{ flow: FlowState }>(
    auth.context.database,
    "select to_jsonb(f) as flow from flow_state f where id = $1 and authentication_method = 'oauth'",
    [state],
  );
  return found?.flow;
}

/** Stores the challenge of a sign-in by an identity provider. @returns the flow's id. */
export function storeSamlFlow(
  transaction: Transaction,
  challenge: Challenge,
  referrer: string,
  now: Instant,
): string {
  const id = randomUUID();
  transaction.enqueue(
    `insert into flow_state (id, auth_code, code_challenge_method, code_challenge, provider_type, created_at,
       updated_at, authentication_method, referrer)
     values ($1, $2, $3, $4, '${SSO_METHOD}', $5, $5, '${SSO_METHOD}', $6)`,
    [id, randomUUID(), challenge.method, challenge.value, now, referrer],
  );
  return id;
}

/**
 * Issues the code of such a sign-in, once. @throws AuthError flow_state_expired, flow_state_already_used
 */
export async function issueSamlCode(call: Call, id: string, userId: string): Promise<string> {
  const found = await call.one<{ flow: FlowState }>(
    "select to_jsonb(f) as flow from flow_state f where id = $1 for update",
    [id],
  );
  const flow = found?.flow;
  if (!flow || isExpired(call.auth, flow)) throw unprocessable("flow_state_expired", "Flow state is expired");
  if (flow.user_id) {
    throw badRequest("flow_state_already_used", "State has already been used");
  }
  call.enqueue(
    "update flow_state set user_id = $2, auth_code_issued_at = $3, updated_at = $3 where id = $1",
    [id, userId, call.now],
  );
  return flow.auth_code ?? "";
}

/** Creates a PKCE verifier for a provider. @returns its row's id, and the challenge. */
export async function storeVerifier(
  auth: Auth,
  provider: string,
): Promise<{ id: string; challenge: string }> {
  const id = randomUUID();
  const verifier = randomBytes(32).toString("base64url");
  await read(
    auth.context.database,
    "insert into oauth_client_states (id, provider_type, code_verifier, created_at) values ($1, $2, $3, $4)",
    [id, provider, verifier, currentTime(auth)],
  );
  return { id, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/**
 * Deletes a verifier from the table and returns it. @throws AuthError oauth_client_state_not_found, -_expired
 */
export async function consumeVerifier(auth: Auth, id: string): Promise<string> {
  const [found] = await read<{ code_verifier: string; created_at: Date }>(
    auth.context.database,
    "delete from oauth_client_states where id = $1 returning code_verifier, created_at",
    [id],
  );
  if (!found) throw unprocessable("oauth_client_state_not_found", "OAuth state not found");
  if (auth.context.clock.now() > new Date(found.created_at).getTime() + LIFETIME_MS) {
    throw unprocessable("oauth_client_state_expired", "OAuth state expired");
  }
  return found.code_verifier;
}

/** The lifetime of a magic link starts when its code is issued; of every other flow, with the request. */
export function isExpired(auth: Auth, flow: FlowState): boolean {
  const start =
    flow.authentication_method === "magiclink" && flow.auth_code_issued_at
      ? flow.auth_code_issued_at
      : flow.created_at;
  return auth.context.clock.now() > Date.parse(start) + LIFETIME_MS;
}
