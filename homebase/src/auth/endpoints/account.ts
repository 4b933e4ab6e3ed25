/** Owns the endpoints of a signed-in user's own account: /user, /reauthenticate, /logout. */

import { z } from "zod";
import type { ServiceResponse } from "../../http/exchange.ts";
import { type Call, read, readerOf, transact } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import {
  checkChallenge,
  checkChannel,
  checkEmail,
  checkMetadata,
  checkPhone,
  userMetadata,
} from "../kit/client-input.ts";
import {
  AuthError,
  badRequest,
  emailTaken,
  forbidden,
  unprocessable,
  validationFailed,
} from "../kit/errors.ts";
import { type AuthRequest, fields, json } from "../kit/request-fields.ts";
import { notify } from "../mail/account-notices.ts";
import { codeGuesses } from "../mail/code-guesses.ts";
import {
  SMS_LIFETIME_SECONDS,
  sendEmailChange,
  sendPhoneCode,
  sendReauthentication,
} from "../mail/messages.ts";
import { hashCode, isFresh, matchesHash } from "../mail/one-time-tokens.ts";
import { storeFlowChallenge } from "../sessions/flow-state.ts";
import { endSessions } from "../sessions/sessions.ts";
import { changePhone, replaceEmail } from "../sessions/verification.ts";
import { audit } from "../users/audit-record.ts";
import { checkStrength, hashPassword, verifyPassword } from "../users/passwords.ts";
import { audienceOf, type Caller, requireUser } from "../users/signed-in-caller.ts";
import {
  hasPassword,
  isConfirmed,
  isPhoneConfirmed,
  type User,
  userJson,
  verifiedFactors,
} from "../users/user.ts";
import {
  findById,
  findByPhone,
  findOwnerOfEmail,
  lockUser,
  mergeMetadata,
  storePassword,
  updateUser,
} from "../users/users.ts";

const REAUTHENTICATE_AFTER_MS = 24 * 3_600_000;

/** GET /user: one statement. */
export async function getUser(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const { user, claims } = await requireUser(auth, request);
  if (request.audience !== undefined && claims.aud !== request.audience) {
    throw validationFailed("Token audience doesn't match request audience");
  }
  return json(200, userJson(user));
}

const updateBody = z.object({
  email: z.string().default(""),
  phone: z.string().default(""),
  password: z.string().optional(),
  current_password: z.string().optional(),
  nonce: z.string().default(""),
  data: userMetadata.optional(),
  app_metadata: z.record(z.string(), z.unknown()).optional(),
  channel: z.string().default(""),
  code_challenge: z.string().optional(),
  code_challenge_method: z.string().optional(),
});

type Update = z.output<typeof updateBody>;

/** PUT /user */
export async function updateAccount(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const caller = await requireUser(auth, request);
  const given = await fields(request, updateBody);
  const { email, phone } = checkUpdate(auth, given);
  const challenge = checkChallenge(given.code_challenge, given.code_challenge_method);
  checkRights(caller, given, email, phone);
  await requireFree(auth, request, caller.user, email, phone);
  const hash = given.password === undefined ? undefined : await newPassword(auth, caller, given);

  const user = await transact(auth, request, async (call) => {
    // Read again under the lock: the caller's copy may be stale.
    lockUser(call, "id = $1", [caller.user.row.id]);
    const user = (await findById(call, caller.user.row.id)) ?? caller.user;
    if (hash !== undefined && user.row.reauthentication_token !== caller.user.row.reauthentication_token) {
      throw nonceInvalid();
    }
    if (hash !== undefined) await setPassword(call, { ...caller, user }, hash);
    if (given.data) {
      updateUser(call, user, {
        raw_user_meta_data: checkMetadata(mergeMetadata(user.row.raw_user_meta_data, given.data)),
      });
    }
    if (email !== "" && email !== user.row.email) {
      if (auth.settings.emailAutoconfirm && user.row.is_anonymous) {
        await replaceEmail(call, user, email);
      } else {
        storeFlowChallenge(call, challenge, user.row.id, "email_change");
        await sendEmailChange(call, user, email, challenge !== undefined);
      }
    }
    if (phone !== "" && phone !== user.row.phone) {
      if (auth.settings.phoneAutoconfirm) await changePhone(call, user, phone);
      else {
        updateUser(call, user, { phone_change: phone });
        await sendPhoneCode(call, user, phone, "phone_change_token");
      }
    }
    audit(call, "user_modified", user);
    return user;
  });
  return json(200, userJson(user));
}

/** Validates the format and strength of the changes. @throws AuthError */
function checkUpdate(auth: Auth, given: Update): { email: string; phone: string } {
  const email = given.email === "" ? "" : checkEmail(given.email);
  const phone = given.phone === "" ? "" : checkPhone(given.phone);
  if (phone !== "") checkChannel(given.channel);
  if (given.password !== undefined) checkStrength(auth.config, given.password);
  if (given.app_metadata !== undefined) {
    throw forbidden("not_admin", "Updating app_metadata requires admin privileges");
  }
  return { email, phone };
}

/** Checks that this user may make these changes in this session. @throws AuthError */
function checkRights({ user, session, claims }: Caller, given: Update, email: string, phone: string): void {
  const changed =
    given.password !== undefined ||
    (email !== "" && email !== user.row.email) ||
    (phone !== "" && phone !== user.row.phone);
  if (changed && verifiedFactors(user).length > 0 && (session?.aal ?? claims.aal) !== "aal2") {
    throw new AuthError(
      401,
      "insufficient_aal",
      "AAL2 session is required to update email or password when MFA is enabled.",
    );
  }
  if (user.row.is_anonymous && given.password !== undefined && email === "" && phone === "") {
    throw unprocessable(
      "validation_failed",
      "Updating password of an anonymous user without an email or phone is not allowed",
    );
  }
  if (user.row.is_sso_user && (changed || given.nonce !== "")) {
    throw unprocessable(
      "user_sso_managed",
      "Updating email, phone, password of a SSO account only possible via SSO",
    );
  }
}

/**
 * The new password's hash. @throws AuthError for a missing nonce, an unchanged password, or a wrong current
 * one.
 */
async function newPassword(auth: Auth, { user, session }: Caller, given: Update): Promise<string> {
  const password = given.password ?? "";
  const now = auth.context.clock.now();
  const old = !session || Date.parse(session.created_at) + REAUTHENTICATE_AFTER_MS < now;
  if (auth.config.email.secure_password_change && old) requireNonce(auth, user, given.nonce, now);
  const stored = user.row.encrypted_password ?? "";
  if (auth.settings.currentPasswordNeeded && hasPassword(user) && !(await isRecovering(auth, session))) {
    if (!given.current_password) {
      throw badRequest("current_password_required", "Current password required when setting new password.");
    }
    if (!(await verifyPassword(given.current_password, stored))) {
      throw badRequest("current_password_invalid", "Current password is incorrect");
    }
  }
  if (hasPassword(user) && (await verifyPassword(password, stored))) {
    throw unprocessable("same_password", "New password should be different from the old password.");
  }
  return hashPassword(password);
}

/** Whether the session began with a code or link: its user may not know the current password. */
async function isRecovering(auth: Auth, session: Caller["session"]): Promise<boolean> {
  const found = await read(
    auth.context.database,
    `select 1 from mfa_amr_claims where session_id = $1
     and authentication_method in ('otp', 'magiclink', 'recovery')`,
    [session?.id ?? null],
  );
  return found.length > 0;
}

/** Sets a password: invalidates pending tokens and ends every other session. */
async function setPassword(call: Call, { user, session }: Caller, hash: string): Promise<void> {
  storePassword(call, user, hash);
  endSessions(call, user.row.id, "others", session?.id);
  audit(call, "user_updated_password", user);
  await notify(call, "password_changed", user, user.row.email ?? "");
}

function requireNonce(auth: Auth, user: User, nonce: string, now: number): void {
  if (nonce === "") {
    throw badRequest("reauthentication_needed", "Password update requires reauthentication");
  }
  const address = user.row.email ?? user.row.phone ?? "";
  const lifetime = user.row.email ? auth.config.email.otp_expiry : SMS_LIFETIME_SECONDS;
  const fresh = isFresh(user.row.reauthentication_sent_at, lifetime, now);
  const stored = user.row.reauthentication_token;
  const open = fresh && stored !== "" && codeGuesses(auth).isOpen(stored);
  if (open && matchesHash(stored, hashCode(address, nonce))) return;
  if (open) codeGuesses(auth).missCode(stored);
  throw nonceInvalid();
}

const nonceInvalid = () => unprocessable("reauthentication_not_valid", "Nonce has expired or is invalid");

/** @throws AuthError email_exists, phone_exists when another user has the address or number. */
async function requireFree(
  auth: Auth,
  request: AuthRequest,
  { row }: User,
  email: string,
  phone: string,
): Promise<void> {
  const reader = readerOf(auth.context.database);
  if (email !== "" && email !== row.email) {
    if (await findOwnerOfEmail(reader, email, audienceOf(request), row.id)) {
      throw emailTaken();
    }
  }
  if (phone === "" || phone === row.phone) return;
  const other = await findByPhone(reader, phone, row.aud);
  if (other && other.row.id !== row.id) {
    throw unprocessable("phone_exists", "A user with this phone number has already been registered");
  }
}

/** GET /reauthenticate */
export async function reauthenticate(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const { user } = await requireUser(auth, request);
  const { email, phone } = user.row;
  if (!email && !phone)
    throw validationFailed("Reauthentication requires the user to have an email or a phone number");
  if (email && !isConfirmed(user))
    throw unprocessable("email_not_confirmed", "Please verify your email first.");
  if (!email && phone && !isPhoneConfirmed(user)) {
    throw unprocessable("phone_not_confirmed", "Please verify your phone first.");
  }
  const id = await transact(auth, request, async (call) => {
    audit(call, "user_reauthenticate_requested", user);
    if (!email) return sendPhoneCode(call, user, phone ?? "", "reauthentication_token");
    await sendReauthentication(call, user);
    return "";
  });
  return json(200, id === "" ? {} : { message_id: id });
}

const SCOPES = ["global", "local", "others"] as const;

/** POST /logout */
export async function logout(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const asked = request.query.get("scope") || "global";
  const scope = SCOPES.find((one) => one === asked);
  const { user, session } = await requireUser(auth, request);
  if (!scope) throw validationFailed(`Unsupported logout scope "${asked}"`);
  await transact(auth, request, async (call) => {
    audit(call, "logout", user);
    endSessions(call, user.row.id, scope, session?.id);
  });
  return { status: 204, headers: {}, body: "" };
}
