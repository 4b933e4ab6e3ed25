/**
 * Owns WebAuthn as a second factor: its challenges and the verification of answers (docs/compat/auth.md 2,
 * "MFA").
 */
import { z } from "zod";
import type { Call, Transaction } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { unexpected, validationFailed } from "../kit/errors.ts";
import type { FactorRow, User } from "../users/user.ts";
import {
  creationOptions,
  readAssertion,
  readCreation,
  requestOptions,
  type StoredCredential,
  verifyAssertion,
  verifyCreation,
} from "./webauthn.ts";

/** A credential in the format of mfa_factors.web_authn_credential. */
interface CredentialJson {
  id: string;
  publicKey: string;
  attestationType: "none";
  transport: string[];
  authenticator: { AAGUID: string; signCount: number };
}

/** A challenge: the options for the browser and the data to store. */
export interface WebAuthnChallenge {
  /** The member `webauthn` of the response. */
  shown: { type: "create" | "request"; credential_options: { publicKey: unknown } };
  /** mfa_challenges.web_authn_session_data */
  session: { challenge: string };
}

/** Creates the options: registration for an unverified factor, authentication for a verified one. */
export async function webAuthnChallenge(
  call: Call,
  user: User,
  factor: FactorRow,
): Promise<WebAuthnChallenge> {
  const present = await credentialsOf(call, user.row.id);
  if (factor.status === "verified") {
    const options = await requestOptions(call.auth, present);
    return { shown: { type: "request", credential_options: { publicKey: options } }, session: options };
  }
  const options = await creationOptions(call.auth, {
    id: user.row.id,
    name: user.row.email || user.row.phone || user.row.id,
    present,
    discoverable: false,
  });
  return { shown: { type: "create", credential_options: { publicKey: options } }, session: options };
}

const body = z.object({ type: z.string().default(""), credential_response: z.unknown().optional() });

/** The result of a verification. */
export interface WebAuthnAnswer {
  type: "create" | "request";
  response: unknown;
}

/** @throws AuthError validation_failed for a malformed answer. */
export function readAnswer(webauthn: unknown): WebAuthnAnswer {
  const parsed = body.safeParse(webauthn);
  if (!parsed.success) throw validationFailed("WebAuthn config required");
  const { type, credential_response: response } = parsed.data;
  if (type !== "create" && type !== "request") {
    throw validationFailed("WebAuthn type must be create or request");
  }
  if (response === undefined || response === null) throw validationFailed("credential_response required");
  return { type, response };
}

/**
 * Verifies an answer and stores the credential, or its new counter, with the factor.
 * @throws AuthError validation_failed for a malformed answer, 500 for one that fails verification.
 */
export async function checkAnswer(
  call: Call,
  factor: FactorRow,
  challenge: { id: string; web_authn_session_data: { challenge?: string } | null },
  answer: WebAuthnAnswer,
): Promise<void> {
  const expected = challenge.web_authn_session_data?.challenge ?? "";
  const last = JSON.stringify({
    challenge: { id: challenge.id, factor_id: factor.id },
    type: answer.type,
    credential_response: answer.response,
  });
  call.enqueue("update mfa_factors set last_webauthn_challenge_data = $2 where id = $1", [factor.id, last]);
  if (answer.type === "create") {
    const read = readCreation(answer.response);
    if (!read) throw validationFailed("Invalid credential_response");
    const made = await verifyCreation(call.auth, expected, read).catch((error: unknown) =>
      refuse(call.auth, error, "Unexpected failure, please check server logs for more information"),
    );
    if (factor.status === "verified") return;
    const credential: CredentialJson = {
      id: made.id,
      publicKey: Buffer.from(made.publicKey).toString("base64"),
      attestationType: "none",
      transport: made.transports,
      authenticator: { AAGUID: made.aaguid, signCount: made.counter },
    };
    call.enqueue(
      "update mfa_factors set web_authn_credential = $2, web_authn_aaguid = $3::uuid where id = $1",
      [factor.id, JSON.stringify(credential), made.aaguid],
    );
    return;
  }
  const read = readAssertion(answer.response);
  if (!read) throw validationFailed("Invalid credential_response");
  const stored = (await credentialsOf(call, factor.user_id)).find(({ id }) => id === read.id);
  const failure = "Failed to validate WebAuthn MFA response";
  if (!stored) return refuse(call.auth, new Error("No factor has this credential."), failure);
  const counter = await verifyAssertion(call.auth, expected, read, stored).catch((error: unknown) =>
    refuse(call.auth, error, failure),
  );
  call.enqueue(
    `update mfa_factors set web_authn_credential =
       jsonb_set(web_authn_credential, '{authenticator,signCount}', to_jsonb($2::bigint)) where id = $1`,
    [stored.factorId, counter],
  );
}

function refuse(auth: Auth, error: unknown, message: string): never {
  auth.context.log.info("An answer by WebAuthn was refused.", { error: String(error) });
  throw unexpected(message);
}

async function credentialsOf(
  transaction: Transaction,
  userId: string,
): Promise<(StoredCredential & { factorId: string })[]> {
  const rows = await transaction.rows<{ id: string; credential: CredentialJson }>(
    `select id, web_authn_credential as credential from mfa_factors
     where user_id = $1 and factor_type = 'webauthn' and web_authn_credential is not null`,
    [userId],
  );
  return rows.map(({ id, credential }) => ({
    factorId: id,
    id: credential.id,
    publicKey: Buffer.from(credential.publicKey, "base64"),
    counter: Number(credential.authenticator.signCount),
    transports: credential.transport,
  }));
}
