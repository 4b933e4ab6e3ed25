/** Owns a user's passkeys: registering, listing, renaming and removing (docs/compat/auth.md 1, 2). */

import { randomUUID } from "node:crypto";
import { z } from "zod";
import { isUuid } from "../../core/uuid.ts";
import type { ServiceResponse } from "../../http/exchange.ts";
import { read, type Transaction, transact } from "../kit/as-auth-admin.ts";
import { type Auth, currentTime } from "../kit/auth.ts";
import type { AuthEndpoint } from "../kit/endpoint.ts";
import {
  badRequest,
  forbidden,
  isPostgresError,
  notFound,
  unexpected,
  unprocessable,
  validationFailed,
} from "../kit/errors.ts";
import { type AuthRequest, fields, json } from "../kit/request-fields.ts";
import { audit } from "../users/audit-record.ts";
import { type Caller, requireNamedUser, requireUser } from "../users/signed-in-caller.ts";
import { type Instant, rfc3339, verifiedFactors } from "../users/user.ts";
import { namedUser } from "../users/users.ts";
import { creationOptions, readCreation, verifyCreation } from "./webauthn.ts";

const CHALLENGE_LIFETIME_MS = 300_000;
const MOST = 10;
const NAME_MAX = 120;
const UNIQUE_VIOLATION = "23505";

/** @throws AuthError passkey_disabled */
export function requirePasskeys(auth: Auth): void {
  if (!auth.config.passkey.enabled) throw notFound("passkey_disabled", "Passkeys are disabled");
}

interface PasskeyRow {
  id: string;
  friendly_name: string;
  created_at: Instant;
  last_used_at: Instant | null;
}

function passkeyJson(row: PasskeyRow): Record<string, unknown> {
  return {
    id: row.id,
    friendly_name: row.friendly_name || undefined,
    created_at: rfc3339(row.created_at),
    last_used_at: row.last_used_at ? rfc3339(row.last_used_at) : undefined,
  };
}

/** Checks that the caller may add and remove passkeys. @throws AuthError insufficient_aal */
function requireLevel({ user, session }: Caller): void {
  if (verifiedFactors(user).length === 0 || session?.aal === "aal2") return;
  throw forbidden("insufficient_aal", "AAL2 session is required to manage passkeys when MFA is enabled");
}

async function registrant(auth: Auth, request: AuthRequest): Promise<Caller> {
  const caller = await requireNamedUser(auth, request);
  requirePasskeys(auth);
  requireLevel(caller);
  if (caller.user.row.is_sso_user) {
    throw unprocessable("validation_failed", "SSO users cannot register passkeys");
  }
  return caller;
}

/** POST /passkeys/registration/options */
export async function registrationOptions(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const { user } = await registrant(auth, request);
  const { row } = user;
  const present = await read<{ id: string; transports: string[] }>(
    auth.context.database,
    `select rtrim(translate(encode(credential_id, 'base64'), E'+/\\n', '-_'), '=') as id, transports
     from webauthn_credentials where user_id = $1`,
    [row.id],
  );
  if (present.length >= MOST) throw unprocessable("too_many_passkeys", "Maximum number of passkeys reached");
  const name = row.email || row.phone || row.id;
  const options = await creationOptions(auth, { id: row.id, name, present, discoverable: true });
  return json(200, await storeChallenge(auth, row.id, "registration", options));
}

/** Stores a challenge. @returns the response that contains it. */
export async function storeChallenge(
  auth: Auth,
  userId: string | null,
  type: "registration" | "authentication",
  options: { challenge: string },
): Promise<Record<string, unknown>> {
  const id = randomUUID();
  const until = auth.context.clock.now() + CHALLENGE_LIFETIME_MS;
  await read(
    auth.context.database,
    `insert into webauthn_challenges (id, user_id, challenge_type, session_data, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      id,
      userId,
      type,
      JSON.stringify({ challenge: options.challenge }),
      currentTime(auth),
      new Date(until).toISOString(),
    ],
  );
  return { challenge_id: id, options, expires_at: Math.floor(until / 1_000) };
}

const verifyBody = z.object({ challenge_id: z.string().default(""), credential: z.unknown().optional() });

/** Parses the answer to a challenge. @throws AuthError validation_failed */
export async function readVerification(
  request: AuthRequest,
): Promise<{ challengeId: string; credential: unknown }> {
  const { challenge_id: challengeId, credential } = await fields(request, verifyBody);
  if (challengeId === "") throw validationFailed("challenge_id is required");
  if (credential === undefined) throw validationFailed("credential is required");
  if (!isUuid(challengeId)) throw validationFailed("challenge_id must be a valid UUID");
  return { challengeId, credential };
}

/**
 * Deletes a challenge from the table and returns it: a wrong answer cannot be retried.
 * @throws AuthError webauthn_challenge_not_found, webauthn_challenge_expired
 */
export async function consumeChallenge(
  auth: Auth,
  id: string,
  type: "registration" | "authentication",
  userId: string | null,
): Promise<string> {
  const [found] = await read<{ challenge: string; expires_at: Date }>(
    auth.context.database,
    `delete from webauthn_challenges where id = $1 and challenge_type = $2 and user_id is not distinct from $3
     returning session_data ->> 'challenge' as challenge, expires_at`,
    [id, type, userId],
  );
  if (!found) {
    throw badRequest("webauthn_challenge_not_found", "Challenge not found or already used");
  }
  if (auth.context.clock.now() > new Date(found.expires_at).getTime()) {
    throw badRequest("webauthn_challenge_expired", "Challenge has expired");
  }
  return found.challenge;
}

export const verificationFailed = (message: string) => badRequest("webauthn_verification_failed", message);

/** POST /passkeys/registration/verify */
export async function registerPasskey(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const { user } = await registrant(auth, request);
  const given = await readVerification(request);
  const challenge = await consumeChallenge(auth, given.challengeId, "registration", user.row.id);
  const answer = readCreation(given.credential);
  if (!answer) throw verificationFailed("Invalid credential response");
  const made = await verifyCreation(auth, challenge, answer).catch((error: unknown) => {
    auth.context.log.info("A passkey was refused.", { error: String(error) });
    throw verificationFailed("Credential verification failed");
  });
  const id = randomUUID();
  const now = currentTime(auth);
  await transact(auth, request, async (call) => {
    call.enqueue(
      `insert into webauthn_credentials (id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count,
         transports, backup_eligible, backed_up, friendly_name, created_at, updated_at)
       values ($1, $2, $3, $4, 'none', $5, $6, $7, $8, $9, '', $10, $10)`,
      [
        id,
        user.row.id,
        Buffer.from(made.id, "base64url"),
        Buffer.from(made.publicKey),
        made.aaguid,
        made.counter,
        JSON.stringify(made.transports),
        made.backupEligible,
        made.backedUp,
        now,
      ],
      insertFailure,
    );
    audit(call, "passkey_created", user, { passkey_id: id });
  });
  return json(200, { id, created_at: rfc3339(now) });
}

function insertFailure(error: unknown): Error {
  if (isPostgresError(error) && error.code === UNIQUE_VIOLATION) {
    return unprocessable("webauthn_credential_exists", "This credential is already registered");
  }
  return unexpected("Database error creating passkey");
}

const COLUMNS = "to_jsonb(c) - 'public_key' - 'credential_id' as passkey";

async function passkeysOf(auth: Auth, userId: string): Promise<PasskeyRow[]> {
  const rows = await read<{ passkey: PasskeyRow }>(
    auth.context.database,
    `select ${COLUMNS} from webauthn_credentials c where user_id = $1 order by created_at, id`,
    [userId],
  );
  return rows.map(({ passkey }) => passkey);
}

/** GET /passkeys */
export async function listPasskeys(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const { user } = await requireUser(auth, request);
  requirePasskeys(auth);
  return json(200, (await passkeysOf(auth, user.row.id)).map(passkeyJson));
}

const unknownPasskey = () => notFound("validation_failed", "Passkey not found");
const nameBody = z.object({ friendly_name: z.string().default("") });

/** PATCH /passkeys/{id} */
export const renamePasskey: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  const { user } = await requireUser(auth, request);
  requirePasskeys(auth);
  if (!isUuid(id)) throw unknownPasskey();
  const { friendly_name: name } = await fields(request, nameBody);
  if (name === "") throw validationFailed("friendly_name is required");
  if (Buffer.byteLength(name) > NAME_MAX) {
    throw validationFailed(`friendly_name must be ${NAME_MAX} characters or less`);
  }
  const renamed = await transact(auth, request, async (call) => {
    const found = await call.one<{ passkey: PasskeyRow }>(
      `update webauthn_credentials c set friendly_name = $3, updated_at = $4 where id = $1 and user_id = $2
       returning ${COLUMNS}`,
      [id, user.row.id, name, call.now],
    );
    if (!found) throw unknownPasskey();
    audit(call, "passkey_updated", user, { passkey_id: id });
    return found.passkey;
  });
  return json(200, passkeyJson(renamed));
};

/** DELETE /passkeys/{id} */
export const removePasskey: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  const caller = await requireUser(auth, request);
  requirePasskeys(auth);
  requireLevel(caller);
  await transact(auth, request, async (call) => {
    await remove(call, caller.user.row.id, id);
    audit(call, "passkey_deleted", caller.user, { passkey_id: id });
  });
  return { status: 204, headers: {}, body: "" };
};

async function remove(transaction: Transaction, userId: string, id: string): Promise<void> {
  const found =
    isUuid(id) &&
    (await transaction.one("delete from webauthn_credentials where id = $1 and user_id = $2 returning 1", [
      id,
      userId,
    ]));
  if (!found) throw unknownPasskey();
}

/** GET /admin/users/{id}/passkeys */
export const listPasskeysByAdmin: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  requirePasskeys(auth);
  const user = await transact(auth, request, (call) => namedUser(call, id));
  return json(200, (await passkeysOf(auth, user.row.id)).map(passkeyJson));
};

/** DELETE /admin/users/{id}/passkeys/{passkey id} */
export const removePasskeyByAdmin: AuthEndpoint<"id" | "passkey"> = async (
  auth,
  request,
  { id, passkey },
) => {
  requirePasskeys(auth);
  await transact(auth, request, async (call) => {
    const user = await namedUser(call, id);
    await remove(call, user.row.id, passkey);
    const traits = { user_id: user.row.id, passkey_id: passkey };
    audit(call, "passkey_deleted", undefined, traits);
  });
  return { status: 204, headers: {}, body: "" };
};
