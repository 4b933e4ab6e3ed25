/**
 * Owns the messages of each flow: the token, where it is stored, the template, the recipient, and the minimum
 * interval (docs/compat/auth.md 2).
 */

import type { Call } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { unprocessable } from "../kit/errors.ts";
import { hookEnabled, runHook } from "../kit/hooks.ts";
import { type User, type UserRow, userJson } from "../users/user.ts";
import { updateUser } from "../users/users.ts";
import type { MailName } from "./default-templates.ts";
import type { LinkType } from "./mailer.ts";
import { mailer } from "./mailer.ts";
import {
  createMailToken,
  createOneTimeToken,
  hashCode,
  type OneTimeToken,
  storeOneTimeToken,
  type TokenType,
} from "./one-time-tokens.ts";
import { sendLimits } from "./send-limits.ts";

interface Flow {
  template: MailName;
  linkType: LinkType;
  tokenType: TokenType & keyof UserRow;
  sentAt: keyof UserRow;
  failure: string;
}

const CONFIRMATION: Flow = {
  template: "confirmation",
  linkType: "signup",
  tokenType: "confirmation_token",
  sentAt: "confirmation_sent_at",
  failure: "Error sending confirmation email",
};
const INVITE: Flow = {
  ...CONFIRMATION,
  template: "invite",
  linkType: "invite",
  failure: "Error inviting user",
};
const RECOVERY: Flow = {
  template: "recovery",
  linkType: "recovery",
  tokenType: "recovery_token",
  sentAt: "recovery_sent_at",
  failure: "Error sending recovery email",
};
const MAGIC_LINK: Flow = {
  ...RECOVERY,
  template: "magic_link",
  linkType: "magiclink",
  failure: "Error sending magic link email",
};

export const sendConfirmation = (call: Call, user: User, pkce = false) =>
  sendLink(call, user, CONFIRMATION, pkce);
export const sendRecovery = (call: Call, user: User, pkce = false) => sendLink(call, user, RECOVERY, pkce);
export const sendMagicLink = (call: Call, user: User, pkce = false) => sendLink(call, user, MAGIC_LINK, pkce);

/** Sends an invitation. The minimum interval does not apply, because an administrator sends it. */
export async function sendInvite(call: Call, user: User): Promise<void> {
  await sendLink(call, user, INVITE, false, false);
  updateUser(call, user, { invited_at: call.now });
}

async function sendLink(call: Call, user: User, flow: Flow, pkce: boolean, spaced = true): Promise<void> {
  const { auth } = call;
  const email = user.row.email ?? "";
  if (spaced) sendLimits(auth).interval("email", user.row[flow.sentAt] as string | null);
  sendLimits(auth).take("email");
  const token = createMailToken(auth, email, pkce);
  storeToken(call, user, flow.tokenType, flow.sentAt, token, email);
  await sendTokenMail(call, user, {
    to: email,
    template: flow.template,
    linkType: flow.linkType,
    token,
    failure: flow.failure,
  });
}

/** Stores a token in the user's column and in the one-time tokens. */
export function storeToken(
  call: Call,
  user: User,
  type: TokenType & keyof UserRow,
  sentAt: keyof UserRow,
  token: OneTimeToken,
  relatesTo: string,
): void {
  const { now } = call;
  updateUser(call, user, { [type]: token.hash, [sentAt]: now });
  storeOneTimeToken(call, user, type, token.hash, relatesTo, now);
}

/** Mails both addresses of an email change where both must confirm, otherwise only the new one. */
export async function sendEmailChange(call: Call, user: User, email: string, pkce = false): Promise<void> {
  const { auth, now } = call;
  sendLimits(auth).interval("email", user.row.email_change_sent_at);
  sendLimits(auth).take("email");
  const current = user.row.email ?? "";
  const both = auth.config.email.double_confirm_changes && current !== "";
  const forNew = createMailToken(auth, email, pkce);
  const forCurrent = both ? createMailToken(auth, current, pkce) : undefined;
  updateUser(call, user, {
    email_change: email,
    email_change_token_new: forNew.hash,
    email_change_token_current: forCurrent?.hash ?? "",
    email_change_confirm_status: 0,
    email_change_sent_at: now,
  });
  storeOneTimeToken(call, user, "email_change_token_new", forNew.hash, email, now);
  if (forCurrent) {
    storeOneTimeToken(call, user, "email_change_token_current", forCurrent.hash, current, now);
  }
  if (hookEnabled(auth, "send_email")) {
    await callMailHook(call, user, "email_change", {
      token: forCurrent?.code ?? "",
      token_hash: forNew.hash,
      token_new: forNew.code,
      token_hash_new: forCurrent?.hash ?? "",
    });
    return;
  }
  const mail = {
    template: "email_change",
    linkType: "email_change",
    failure: "Error sending email change email",
  } as const;
  await sendTokenMail(
    call,
    user,
    { ...mail, to: email, token: forNew },
    { NewEmail: email, SendingTo: email },
  );
  if (forCurrent) {
    const variables = { NewEmail: email, SendingTo: current };
    await sendTokenMail(call, user, { ...mail, to: current, token: forCurrent }, variables);
  }
}

/** Sends the nonce for a password change. */
export async function sendReauthentication(call: Call, user: User): Promise<void> {
  const { auth } = call;
  sendLimits(auth).interval("email", user.row.reauthentication_sent_at);
  sendLimits(auth).take("email");
  const email = user.row.email ?? "";
  const token = createMailToken(auth, email);
  storeToken(call, user, "reauthentication_token", "reauthentication_sent_at", token, email);
  const failure = "Error sending reauthentication email";
  if (hookEnabled(auth, "send_email")) {
    return callMailHook(call, user, "reauthentication", { token: token.code, token_hash: token.hash });
  }
  await call.flush();
  await mailer(auth).send("reauthentication", email, user, { Token: token.code }, failure, call.request.id);
}

interface TokenMail {
  to: string;
  template: MailName;
  linkType: LinkType;
  token: OneTimeToken;
  failure: string;
}

async function sendTokenMail(
  call: Call,
  user: User,
  mail: TokenMail,
  variables: Record<string, unknown> = {},
): Promise<void> {
  const { auth, request } = call;
  const { code, hash } = mail.token;
  if (hookEnabled(auth, "send_email")) {
    return callMailHook(call, user, mail.linkType, { token: code, token_hash: hash });
  }
  const redirectTo = auth.redirects.resolve(request);
  // The writes must succeed before a message mentions them.
  await call.flush();
  await mailer(auth).send(
    mail.template,
    mail.to,
    user,
    {
      ConfirmationURL: mailer(auth).link(mail.linkType, hash, redirectTo),
      Token: code,
      TokenHash: hash,
      RedirectTo: redirectTo,
      ...variables,
    },
    mail.failure,
    request.id,
  );
}

/** Calls the send_email hook. `action` is its `email_action_type`. */
export async function callMailHook(
  call: Call,
  user: User,
  action: string,
  tokens: Record<string, string>,
): Promise<void> {
  const { auth, request } = call;
  await runHook(call, "send_email", {
    user: userJson(user),
    email_data: {
      token: "",
      token_hash: "",
      redirect_to: auth.redirects.resolve(request),
      email_action_type: action,
      site_url: auth.settings.externalUrl,
      token_new: "",
      token_hash_new: "",
      old_email: "",
      old_phone: "",
      provider: "",
      factor_type: "",
      ...tokens,
    },
  });
}

const SMS_DIGITS = 6;
/** Validity of a code sent by message (docs/compat/auth.md 2). */
export const SMS_LIFETIME_SECONDS = 6_000;

/**
 * Sends a code by message: a test number uses its fixed code without a provider, other numbers the send_sms
 * hook.
 * @returns the provider's message id.
 * @throws AuthError sms_send_failed when neither is configured: no message leaves this machine.
 */
export async function sendPhoneCode(
  call: Call,
  user: User,
  phone: string,
  type: "confirmation_token" | "phone_change_token" | "reauthentication_token",
): Promise<string> {
  const { auth } = call;
  const sentAt = (
    {
      confirmation_token: "confirmation_sent_at",
      phone_change_token: "phone_change_sent_at",
      reauthentication_token: "reauthentication_sent_at",
    } as const
  )[type];
  sendLimits(auth).interval("sms", user.row[sentAt]);
  const fixed = testCode(auth, phone);
  const token = createOneTimeToken(phone, SMS_DIGITS, false);
  if (fixed !== undefined) {
    storeToken(call, user, type, sentAt, { code: fixed, hash: hashCode(phone, fixed) }, phone);
    return "test-otp";
  }
  sendLimits(auth).take("sms");
  storeToken(call, user, type, sentAt, token, phone);
  await deliverSms(call, user, phone, token.code, SMS_KINDS[type]);
  return "";
}

const SMS_KINDS = {
  confirmation_token: "confirmation",
  phone_change_token: "phone_change",
  reauthentication_token: "reauthentication",
} as const;

/**
 * Calls the send_sms hook with a code. @throws AuthError sms_send_failed without a hook: no message leaves
 * this machine.
 */
export async function deliverSms(
  call: Call,
  user: User,
  phone: string,
  otp: string,
  kind = "confirmation",
): Promise<void> {
  const { auth } = call;
  if (!hookEnabled(auth, "send_sms")) {
    throw unprocessable(
      "sms_send_failed",
      `Error call ${kind} OTP to provider: Homebase sends no messages; use auth.sms.test_otp or the send_sms hook.`,
    );
  }
  await runHook(call, "send_sms", {
    user: userJson(user),
    sms: { otp, phone, ...(kind === "mfa" ? { sms_type: kind } : {}) },
  });
}

/** The fixed code of a number listed in `auth.sms.test_otp`. */
export function testCode(auth: Auth, phone: string): string | undefined {
  for (const [number, code] of Object.entries(auth.config.sms.test_otp)) {
    if (number.replace(/^\+/, "").replaceAll(" ", "") === phone) return code;
  }
  return undefined;
}
