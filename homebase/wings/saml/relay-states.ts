/**
 * Owns auth.saml_relay_states: what is remembered while a user is at the identity provider, and which
 * assertions have been used.
 */
import { createHash } from "node:crypto";
import { read, type Transaction } from "../../src/auth/kit/as-auth-admin.ts";
import type { Auth } from "../../src/auth/kit/auth.ts";
import { notFound, unprocessable, validationFailed } from "../../src/auth/kit/errors.ts";
import type { Instant } from "../../src/auth/users/user.ts";
import { REQUEST_PREFIX } from "./service-provider.ts";

/** Rows older than this are deleted; no assertion is accepted for as long. */
const KEPT = "24 hours";
const CLEANED_AT_ONCE = 100;
/** Marks the row of a used assertion, which is not a relay state. */
const USED_PREFIX = "assertion:";

export interface RelayState {
  id: string;
  sso_provider_id: string;
  request_id: string;
  redirect_to: string | null;
  created_at: Instant;
  flow_state_id: string | null;
}

/** Stores a relay state, and deletes some old ones. */
export function storeRelayState(
  transaction: Transaction,
  state: {
    id: string;
    connectionId: string;
    requestId: string;
    redirectTo: string;
    flowId: string | null;
    now: Instant;
  },
): void {
  transaction.enqueue(
    `insert into saml_relay_states (id, sso_provider_id, request_id, redirect_to, created_at, updated_at, flow_state_id)
     values ($1, $2, $3, $4, $5, $5, $6)`,
    [state.id, state.connectionId, state.requestId, state.redirectTo, state.now, state.flowId],
  );
  transaction.enqueue(
    `delete from saml_relay_states where id in (select id from saml_relay_states
       where created_at < $1::timestamptz - interval '${KEPT}' order by created_at
       limit ${CLEANED_AT_ONCE} for update skip locked)`,
    [state.now],
  );
}

/**
 * Deletes a relay state and returns it: of two responses with one, only one succeeds.
 * @param relayStateMs how long it is valid.
 * @throws AuthError saml_relay_state_not_found, saml_relay_state_expired
 */
export async function takeRelayState(auth: Auth, id: string, relayStateMs: number): Promise<RelayState> {
  const [found] = await read<{ state: RelayState }>(
    auth.context.database,
    `with taken as (delete from saml_relay_states where id = $1 and starts_with(request_id, $2) returning *)
     select to_jsonb(taken) as state from taken`,
    [id, REQUEST_PREFIX],
  );
  if (!found) {
    throw notFound("saml_relay_state_not_found", "SAML RelayState does not exist, try logging in again?");
  }
  if (auth.context.clock.now() >= Date.parse(found.state.created_at) + relayStateMs) {
    throw unprocessable("saml_relay_state_expired", "SAML RelayState has expired. Try logging in again?");
  }
  return found.state;
}

/**
 * Marks an assertion used, in the transaction of its sign-in. Upstream keeps no such record, so that an
 * assertion without request works there until it expires.
 * @throws AuthError validation_failed for an assertion that was used before.
 */
export async function useAssertion(
  transaction: Transaction,
  connectionId: string,
  assertionId: string,
  now: Instant,
): Promise<void> {
  const digest = createHash("sha256").update(`${connectionId} ${assertionId}`).digest("hex");
  const inserted = await transaction.one(
    `insert into saml_relay_states (id, sso_provider_id, request_id, created_at, updated_at)
     values ($1, $2, $3, $4, $4) on conflict (id) do nothing returning id`,
    [digest.slice(0, 32), connectionId, `${USED_PREFIX}${digest}`, now],
  );
  if (!inserted) throw validationFailed("SAML Assertion has already been used");
}
