/**
 * Owns sign-in with a passkey: the browser selects the account, so the user types no name
 * (docs/compat/auth.md 1).
 */
import { isUuid } from "../../core/uuid.ts";
import type { ServiceResponse } from "../../http/exchange.ts";
import { read, readerOf, transact } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { forbidden } from "../kit/errors.ts";
import { type AuthRequest, json } from "../kit/request-fields.ts";
import { beginSession, sessionResponse } from "../sessions/sessions.ts";
import { audit } from "../users/audit-record.ts";
import { isBanned, isConfirmed, isPhoneConfirmed, type User } from "../users/user.ts";
import { findById } from "../users/users.ts";
import {
  consumeChallenge,
  readVerification,
  requirePasskeys,
  storeChallenge,
  verificationFailed,
} from "./passkeys.ts";
import { readAssertion, requestOptions, verifyAssertion } from "./webauthn.ts";

/** POST /passkeys/authentication/options */
export async function authenticationOptions(auth: Auth): Promise<ServiceResponse> {
  requirePasskeys(auth);
  return json(200, await storeChallenge(auth, null, "authentication", await requestOptions(auth)));
}

interface CredentialRow {
  id: string;
  public_key: Buffer;
  sign_count: string;
  transports: string[];
}

/** POST /passkeys/authentication/verify */
export async function signInByPasskey(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  requirePasskeys(auth);
  const given = await readVerification(request);
  const challenge = await consumeChallenge(auth, given.challengeId, "authentication", null);
  const answer = readAssertion(given.credential);
  if (!answer) throw verificationFailed("Invalid credential response");
  const userId = Buffer.from(answer.response.userHandle ?? "", "base64url").toString("utf8");
  const [row] = isUuid(userId)
    ? await read<CredentialRow>(
        auth.context.database,
        `select id, public_key, sign_count, transports from webauthn_credentials
         where user_id = $1 and credential_id = $2`,
        [userId, Buffer.from(answer.id, "base64url")],
      )
    : [];
  if (!row) throw verificationFailed("Credential verification failed");
  const counter = await verifyAssertion(auth, challenge, answer, {
    id: answer.id,
    publicKey: row.public_key,
    counter: Number(row.sign_count),
    transports: row.transports,
  }).catch((error: unknown) => {
    auth.context.log.info("A passkey was refused.", { error: String(error) });
    throw verificationFailed("Credential verification failed");
  });
  const user = await findById(readerOf(auth.context.database), userId);
  if (!user) throw verificationFailed("Credential verification failed");
  requireAble(auth, user);
  const granted = await transact(auth, request, async (call) => {
    call.enqueue(
      "update webauthn_credentials set sign_count = $2, last_used_at = $3, updated_at = $3 where id = $1",
      [row.id, counter, call.now],
    );
    audit(call, "login", user, { passkey_id: row.id });
    return beginSession(call, user, "passkey");
  });
  return sessionResponse(auth, granted);
}

/** @throws AuthError 403 for a user who may not sign in. */
function requireAble(auth: Auth, user: User): void {
  const refusal = (code: string, message: string) => forbidden(code, message);
  if (user.row.deleted_at !== null) throw refusal("user_not_found", "User not found");
  if (user.row.email && !isConfirmed(user)) throw refusal("email_not_confirmed", "Email not confirmed");
  if (user.row.phone && !isPhoneConfirmed(user)) throw refusal("phone_not_confirmed", "Phone not confirmed");
  if (isBanned(user, auth.context.clock.now())) throw refusal("user_banned", "User is banned");
}
