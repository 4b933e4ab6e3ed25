/** Owns the effects of a verified token on its user, by type (docs/compat/auth.md 2, "Verify types"). */

import type { Call } from "../kit/as-auth-admin.ts";
import { emailTaken } from "../kit/errors.ts";
import { notify } from "../mail/account-notices.ts";
import { matchesHash } from "../mail/one-time-tokens.ts";
import { audit } from "../users/audit-record.ts";
import { confirmPhone } from "../users/new-users.ts";
import { hashPassword, randomPassword } from "../users/passwords.ts";
import { hasPassword, isConfirmed, type User } from "../users/user.ts";
import {
  clearOneTimeTokens,
  insertIdentity,
  providersOf,
  updateIdentity,
  updateUser,
} from "../users/users.ts";
import type { FlowMethod } from "./flow-state.ts";

export type VerifyType =
  | "signup"
  | "invite"
  | "magiclink"
  | "recovery"
  | "email_change"
  | "sms"
  | "phone_change";

/** For each link type, the flow that its PKCE challenge belongs to. */
export const FLOW_OF_TYPE: Record<VerifyType, FlowMethod> = {
  signup: "email/signup",
  invite: "invite",
  magiclink: "magiclink",
  recovery: "recovery",
  email_change: "email_change",
  sms: "email/signup",
  phone_change: "email_change",
};

/**
 * Applies a verification.
 * @param hash the stored hash that matched; it shows which of two addresses was confirmed.
 * @returns false when the other address of a change must still be confirmed.
 */
export async function applyVerification(
  call: Call,
  user: User,
  type: VerifyType,
  hash: string,
): Promise<boolean> {
  switch (type) {
    case "signup":
    case "invite":
      await confirmSignup(call, user);
      return true;
    case "magiclink":
    case "recovery":
      confirmRecovery(call, user);
      return true;
    case "email_change":
      return confirmEmailChange(call, user, hash);
    case "sms":
      verifyPhone(call, user);
      return true;
    case "phone_change":
      await changePhone(call, user);
      return true;
  }
}

async function confirmSignup(call: Call, user: User): Promise<void> {
  if (user.row.invited_at !== null && !hasPassword(user)) {
    updateUser(call, user, {
      encrypted_password: await hashPassword(randomPassword()),
    });
  }
  audit(call, "user_signedup", user);
  markConfirmed(call, user, {});
}

function confirmRecovery(call: Call, user: User): void {
  if (isConfirmed(user)) {
    audit(call, "login", user);
    updateUser(call, user, { recovery_token: "" });
    clearOneTimeTokens(call, user);
    return;
  }
  audit(call, "user_signedup", user);
  markConfirmed(call, user, { recovery_token: "" });
}

/** Confirms the user's address in column, metadata and identity, and invalidates all pending links. */
function markConfirmed(call: Call, user: User, more: { recovery_token?: string }): void {
  const { now } = call;
  updateUser(call, user, {
    confirmation_token: "",
    email_confirmed_at: now,
    raw_user_meta_data: { ...user.row.raw_user_meta_data, email_verified: true },
    ...more,
  });
  for (const identity of user.identities) {
    if (identity.provider === "email") updateIdentity(call, identity, { email_verified: true });
  }
  clearOneTimeTokens(call, user);
}

async function confirmEmailChange(call: Call, user: User, hash: string): Promise<boolean> {
  const { auth } = call;
  const { row } = user;
  const both =
    auth.config.email.double_confirm_changes &&
    !auth.settings.emailAutoconfirm &&
    (row.email ?? "") !== "" &&
    row.email_change_token_current !== "";
  if (both && row.email_change_confirm_status === 0) {
    const current = matchesHash(row.email_change_token_current, hash);
    const spent = current ? "email_change_token_current" : "email_change_token_new";
    updateUser(call, user, { email_change_confirm_status: 1, [spent]: "" });
    call.enqueue("delete from one_time_tokens where user_id = $1 and token_type = $2", [row.id, spent]);
    return false;
  }
  await replaceEmail(call, user, row.email_change);
  return true;
}

/** Makes `email` the user's confirmed address; an anonymous user becomes a regular one. */
export async function replaceEmail(call: Call, user: User, email: string): Promise<void> {
  const taken = await call.one(
    "select 1 from users where lower(email) = $1 and id <> $2 and is_sso_user = false",
    [email.toLowerCase(), user.row.id],
  );
  if (taken) throw emailTaken();
  const { now } = call;
  const old = user.row.email ?? "";
  const confirmed = isConfirmed(user);
  audit(call, "user_modified", user);
  const data = { sub: user.row.id, email, email_verified: true, phone_verified: false };
  const present = user.identities.find((identity) => identity.provider === "email");
  if (present) updateIdentity(call, present, { email, email_verified: true });
  else insertIdentity(call, user, "email", user.row.id, data);
  updateUser(call, user, {
    email,
    email_change: "",
    email_change_token_new: "",
    email_change_token_current: "",
    email_change_confirm_status: 0,
    is_anonymous: false,
    // user_metadata keeps the address from sign-up, as upstream.
    ...(confirmed
      ? {}
      : {
          email_confirmed_at: now,
          confirmation_token: "",
          raw_user_meta_data: { ...user.row.raw_user_meta_data, email_verified: true },
        }),
    raw_app_meta_data: { ...user.row.raw_app_meta_data, ...providersOf(user) },
  });
  clearOneTimeTokens(call, user);
  if (old !== "") await notify(call, "email_changed", user, old, { OldEmail: old });
}

function verifyPhone(call: Call, user: User): void {
  audit(call, "user_signedup", user);
  confirmPhone(call, user);
  if (user.row.is_anonymous) updateUser(call, user, { is_anonymous: false });
}

/** Makes the number of a pending change the user's confirmed number. */
export async function changePhone(call: Call, user: User, phone = user.row.phone_change): Promise<void> {
  const { now } = call;
  const old = user.row.phone ?? "";
  audit(call, "user_modified", user);
  const present = user.identities.find((identity) => identity.provider === "phone");
  if (present) updateIdentity(call, present, { phone, phone_verified: true });
  else {
    const data = { sub: user.row.id, phone, phone_verified: true, email_verified: false };
    insertIdentity(call, user, "phone", user.row.id, data);
  }
  updateUser(call, user, {
    phone,
    phone_change: "",
    phone_change_token: "",
    phone_confirmed_at: now,
    is_anonymous: false,
    raw_app_meta_data: { ...user.row.raw_app_meta_data, ...providersOf(user) },
  });
  clearOneTimeTokens(call, user);
  if (old !== "") {
    const variables = { OldPhone: old, Phone: phone };
    await notify(call, "phone_changed", user, user.row.email ?? "", variables);
  }
}
