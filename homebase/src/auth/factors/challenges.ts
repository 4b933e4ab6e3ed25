/**
 * Owns challenges of second factors: creating a challenge, verifying a code, raising the session's level
 * (docs/compat/auth.md 2).
 */

import { randomInt, randomUUID } from "node:crypto";
import { z } from "zod";
import { equalSecrets } from "../../core/equal-secrets.ts";
import { isUuid, NIL } from "../../core/uuid.ts";
import { type Call, type Transaction, transact } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { checkChannel } from "../kit/client-input.ts";
import type { AuthEndpoint } from "../kit/endpoint.ts";
import { AuthError, forbidden, unprocessable, validationFailed } from "../kit/errors.ts";
import { runHook } from "../kit/hooks.ts";
import { fields, json } from "../kit/request-fields.ts";
import { notify } from "../mail/account-notices.ts";
import { codeGuesses } from "../mail/code-guesses.ts";
import { deliverSms, testCode } from "../mail/messages.ts";
import { sendLimits } from "../mail/send-limits.ts";
import { createRefreshToken, encodeCountedToken } from "../sessions/refresh-token.ts";
import { endSessions, type Grant, grant, sessionResponse } from "../sessions/sessions.ts";
import { audit } from "../users/audit-record.ts";
import type { FactorRow, Instant } from "../users/user.ts";
import { findById } from "../users/users.ts";
import {
  type ChallengedFactor,
  FACTOR_KINDS,
  factorOf,
  requireChallenged,
  requireSession,
  type SessionCaller,
} from "./factors.ts";
import { totpStep } from "./totp.ts";
import { checkAnswer, readAnswer, webAuthnChallenge } from "./webauthn-factors.ts";

const CHALLENGE_LIFETIME_MS = 300_000;
const METHODS = {
  totp: "totp",
  phone: "mfa/phone",
  webauthn: "mfa/webauthn",
  recovery_code: "mfa/recovery_code",
} as const;

function requireEnabled(auth: Auth, factor: ChallengedFactor): void {
  const kind = FACTOR_KINDS[factor.factor_type];
  if (auth.config.mfa[kind.config].verify_enabled) return;
  throw unprocessable(`mfa_${kind.code}_verify_not_enabled`, `MFA verification is disabled for ${kind.name}`);
}

const challengeBody = z.object({ channel: z.string().default("") });

/** POST /factors/{id}/challenge */
export const challengeFactor: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  const { user } = await requireSession(auth, request);
  const factor: FactorRow = factorOf(user, id);
  requireChallenged(factor);
  requireEnabled(auth, factor);
  const { channel } = await fields(request, challengeBody, true);
  if (factor.factor_type === "phone") checkChannel(channel);
  const challengeId = randomUUID();
  const now = auth.context.clock.now();
  const webauthn = await transact(auth, request, async (call) => {
    // Lock the factor first: two concurrent challenges of one factor would otherwise deadlock on its row.
    call.enqueue("select 1 from mfa_factors where id = $1 for update", [factor.id]);
    const asked = factor.factor_type === "webauthn" ? await webAuthnChallenge(call, user, factor) : undefined;
    let code: string | null = null;
    if (factor.factor_type === "phone") {
      checkInterval(auth, factor, now);
      code = phoneCode(auth, factor);
    }
    call.enqueue(
      `insert into mfa_challenges (id, factor_id, created_at, ip_address, otp_code, web_authn_session_data)
       values ($1, $2, $3, $4, $5, $6)`,
      [
        challengeId,
        factor.id,
        call.now,
        request.ip,
        code,
        asked ? JSON.stringify({ challenge: asked.session.challenge }) : null,
      ],
    );
    call.enqueue("update mfa_factors set last_challenged_at = $2, updated_at = $3 where id = $1", [
      factor.id,
      uniqueInstant(now),
      call.now,
    ]);
    if (!asked) {
      audit(call, "challenge_created", user, {
        factor_id: factor.id,
        factor_status: factor.status,
      });
    }
    if (code !== null && testCode(auth, factor.phone ?? "") === undefined) {
      sendLimits(auth).take("sms");
      await deliverSms(call, user, factor.phone ?? "", code, "mfa");
    }
    return asked?.shown;
  });
  return json(200, {
    id: challengeId,
    type: factor.factor_type,
    expires_at: Math.floor((now + CHALLENGE_LIFETIME_MS) / 1_000),
    webauthn,
  });
};

/**
 * mfa_factors.last_challenged_at is unique across all factors: microseconds distinguish two within one
 * millisecond.
 */
function uniqueInstant(now: number): Instant {
  return new Date(now).toISOString().replace("Z", `${String(randomInt(1_000)).padStart(3, "0")}Z`);
}

/** @throws AuthError over_sms_send_rate_limit */
function checkInterval(auth: Auth, factor: FactorRow, now: number): void {
  if (!factor.last_challenged_at) return;
  const left = Date.parse(factor.last_challenged_at) + auth.config.mfa.phone.max_frequency - now;
  if (left <= 0) return;
  throw new AuthError(
    429,
    "over_sms_send_rate_limit",
    `For security purposes, you can only request this after ${Math.floor(left / 1_000)} seconds.`,
  );
}

function phoneCode(auth: Auth, factor: FactorRow): string {
  const digits = auth.config.mfa.phone.otp_length;
  return testCode(auth, factor.phone ?? "") ?? String(randomInt(0, 10 ** digits)).padStart(digits, "0");
}

const verifyBody = z.object({
  challenge_id: z.string().default(""),
  code: z.string().default(""),
  webauthn: z.unknown().optional(),
});

interface ChallengeRow {
  id: string;
  created_at: Instant;
  verified_at: Instant | null;
  /** Whether the challenge was created from the IP address that now answers it. */
  same_ip: boolean;
  otp_code: string | null;
  web_authn_session_data: { challenge?: string } | null;
}

/** POST /factors/{id}/verify: raises the session to aal2 and issues new tokens. */
export const verifyFactor: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  const caller = await requireSession(auth, request);
  const factor: FactorRow = factorOf(caller.user, id);
  requireChallenged(factor);
  const given = await fields(request, verifyBody);
  const kind = factor.factor_type;
  if (given.code === "" && kind !== "webauthn") throw validationFailed("Code needs to be non-empty");
  requireEnabled(auth, factor);
  const answer = kind === "webauthn" ? readAnswer(given.webauthn) : undefined;
  const granted = await transact(auth, request, async (call) => {
    const challenge = await openChallenge(call, factor, given.challenge_id);
    let code: string | null = null;
    if (answer) {
      await checkAnswer(call, factor, challenge, answer);
      call.enqueue("delete from mfa_challenges where id = $1", [challenge.id]);
    } else code = await checkCode(call, caller, factor, challenge, given.code);
    call.enqueue("update mfa_challenges set verified_at = $2, otp_code = $3 where id = $1", [
      challenge.id,
      call.now,
      code,
    ]);
    audit(call, "verification_attempted", caller.user, {
      factor_id: factor.id,
      challenge_id: challenge.id,
      factor_type: factor.factor_type,
    });
    return raise(call, caller, factor);
  });
  return sessionResponse(auth, granted);
};

/**
 * Checks a code.
 * @returns the data to store with the challenge: for TOTP the time step, so that a code is accepted only
 * once.
 * @throws AuthError mfa_verification_failed, over_request_rate_limit, or the hook's error
 */
async function checkCode(
  call: Call,
  caller: SessionCaller,
  factor: FactorRow,
  challenge: ChallengeRow,
  code: string,
): Promise<string | null> {
  const { auth } = call;
  const totp = factor.factor_type === "totp";
  const accepted = totp ? await freshStep(call, factor, code) : challengeCode(auth, challenge, code);
  await askHook(call, caller, factor, accepted !== undefined);
  if (accepted !== undefined) return accepted;
  const name = totp ? "TOTP" : "MFA Phone";
  throw unprocessable("mfa_verification_failed", `Invalid ${name} code entered`);
}

/** The time step of a TOTP code; each step is accepted only once (RFC 6238, section 5.2). */
async function freshStep(call: Call, factor: FactorRow, code: string): Promise<string | undefined> {
  codeGuesses(call.auth).requireFactor(factor.id);
  const step = totpStep(factor.secret ?? "", code, call.auth.context.clock.now());
  if (step === undefined) {
    codeGuesses(call.auth).missFactor(factor.id);
    return undefined;
  }
  // Locked: if two requests submit the same code concurrently, the second sees the step that the first used.
  call.enqueue("select 1 from mfa_factors where id = $1 for no key update", [factor.id]);
  const used = await call.one(
    "select 1 from mfa_challenges where factor_id = $1 and verified_at is not null and otp_code = $2",
    [factor.id, String(step)],
  );
  return used ? undefined : String(step);
}

/** Compares the code with the challenge's own code, if it has one; a wrong code counts as an attempt. */
function challengeCode(auth: Auth, challenge: ChallengeRow, code: string): string | undefined {
  const expected = challenge.otp_code;
  if (!expected || !codeGuesses(auth).isOpen(challenge.id)) return undefined;
  if (equalSecrets(expected, code)) return expected;
  codeGuesses(auth).missCode(challenge.id);
  return undefined;
}

/** Reads and locks the challenge: of two concurrent answers, the second finds it used. @throws AuthError */
async function openChallenge(call: Call, factor: FactorRow, id: string): Promise<ChallengeRow> {
  const found = isUuid(id)
    ? await call.one<{ challenge: ChallengeRow }>(
        `select to_jsonb(c) || jsonb_build_object('same_ip', c.ip_address = $3::inet) as challenge
         from mfa_challenges c where c.id = $1 and c.factor_id = $2 for update`,
        [id, factor.id, call.request.ip],
      )
    : undefined;
  if (!found) {
    throw unprocessable("mfa_factor_not_found", "MFA factor with the provided challenge ID not found");
  }
  const { challenge } = found;
  if (challenge.verified_at || !challenge.same_ip) {
    throw unprocessable("mfa_ip_address_mismatch", "Challenge and verify IP addresses mismatch.");
  }
  if (call.auth.context.clock.now() > Date.parse(challenge.created_at) + CHALLENGE_LIFETIME_MS) {
    call.enqueue("delete from mfa_challenges where id = $1", [challenge.id]);
    throw unprocessable(
      "mfa_challenge_expired",
      `MFA challenge ${challenge.id} has expired, verify against another challenge or create a new challenge.`,
    ).keepingWrites();
  }
  return challenge;
}

/** Rejects a verification after ending the user's sessions. @throws AuthError mfa_verification_rejected */
export async function askHook(
  call: Call,
  { user }: SessionCaller,
  factor: FactorRow,
  valid: boolean,
): Promise<void> {
  const decision = await runHook(call, "mfa_verification_attempt", {
    factor_id: factor.id,
    factor_type: factor.factor_type,
    user_id: user.row.id,
    valid,
  });
  if (decision?.decision !== "reject") return;
  endSessions(call, user.row.id, "global", undefined);
  const message =
    typeof decision.message === "string" && decision.message
      ? decision.message
      : "Further MFA verification attempts will be rejected.";
  throw forbidden("mfa_verification_rejected", message).keepingWrites();
}

/**
 * Marks the factor verified, raises the session, ends the user's sessions of a lower level, and issues new
 * tokens.
 */
export async function raise(
  call: Call,
  { user: caller, session }: SessionCaller,
  factor: FactorRow,
): Promise<Grant> {
  const { now } = call;
  const method = METHODS[factor.factor_type];
  const userId = caller.row.id;
  const first = factor.status === "unverified";
  if (first) {
    call.enqueue("update mfa_factors set status = 'verified', updated_at = $2 where id = $1", [
      factor.id,
      now,
    ]);
  }
  call.enqueue("update sessions set aal = 'aal2', factor_id = $2, updated_at = $3 where id = $1", [
    session.id,
    factor.id,
    now,
  ]);
  call.enqueue("delete from sessions where user_id = $1 and aal is distinct from 'aal2'", [userId]);
  call.enqueue("delete from mfa_factors where user_id = $1 and status = 'unverified' and factor_type = $2", [
    userId,
    factor.factor_type,
  ]);
  call.enqueue(
    `insert into mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
     values ($1, $2, $3, $3, $4)
     on conflict (session_id, authentication_method) do update set updated_at = excluded.updated_at`,
    [randomUUID(), session.id, now, method],
  );
  const refreshToken = await rotate(call, userId, session.id, now);
  const claims = await call.rows<{ method: string; timestamp: number }>(
    `select authentication_method as method, floor(extract(epoch from updated_at))::int as timestamp
     from mfa_amr_claims where session_id = $1 order by updated_at desc`,
    [session.id],
  );
  const user = (await findById(call, userId)) ?? caller;
  const variables = { FactorType: factor.factor_type };
  if (first) {
    await notify(call, "mfa_factor_enrolled", user, user.row.email ?? "", variables);
  }
  const amr = claims.map((claim) => ({ method: claim.method, timestamp: Number(claim.timestamp) }));
  const { oauth_client_id: clientId, scopes } = session;
  const client = clientId === null ? undefined : { id: clientId, scopes: scopes ?? "" };
  return grant(call, {
    user,
    sessionId: session.id,
    refreshToken,
    amr,
    method,
    client,
  });
}

/** Revokes the session's refresh tokens and issues the only valid one for the raised session. */
async function rotate(
  transaction: Transaction,
  userId: string,
  sessionId: string,
  now: string,
): Promise<string> {
  // Incremented by two, as upstream: a token of the lower level that is only one behind would count as a lost
  // response.
  const counted = await transaction.one<{ key: string; counter: string }>(
    `update sessions set refresh_token_counter = refresh_token_counter + 2
     where id = $1 and refresh_token_hmac_key is not null and refresh_token_counter is not null
     returning refresh_token_hmac_key as key, refresh_token_counter::text as counter`,
    [sessionId],
  );
  if (counted) return encodeCountedToken(sessionId, BigInt(counted.counter), counted.key);
  const token = createRefreshToken();
  transaction.enqueue(
    `with old as (
       update refresh_tokens set revoked = true, updated_at = $4 where session_id = $3 and not revoked returning id, token
     )
     insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
     select '${NIL}', $1, $2, false, $4, $4,
       coalesce((select token from old order by id desc limit 1), ''), $3`,
    [token, userId, sessionId, now],
  );
  return token;
}
