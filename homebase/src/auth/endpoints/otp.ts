/** Owns sign-in and recovery by mail and message: /otp, /magiclink, /recover, /resend (docs/compat/auth.md 2). */
import { z } from "zod";
import type { ServiceResponse } from "../../http/exchange.ts";
import { transact } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import {
  type Challenge,
  checkChallenge,
  checkChannel,
  checkEmail,
  checkPhone,
  isEmail,
  isPhone,
  userMetadata,
} from "../kit/client-input.ts";
import { badRequest, unprocessable, validationFailed } from "../kit/errors.ts";
import { type AuthRequest, fields, json } from "../kit/request-fields.ts";
import {
  sendConfirmation,
  sendEmailChange,
  sendMagicLink,
  sendPhoneCode,
  sendRecovery,
} from "../mail/messages.ts";
import { storeFlowChallenge } from "../sessions/flow-state.ts";
import { audit } from "../users/audit-record.ts";
import { hashPassword, randomPassword } from "../users/passwords.ts";
import { audienceOf } from "../users/signed-in-caller.ts";
import { isConfirmed, isPhoneConfirmed } from "../users/user.ts";
import { findByEmail, findByPhone } from "../users/users.ts";
import { type AddressRequest, confirmAddress, createByAddress } from "./signup.ts";

const otpBody = z.object({
  email: z.string().default(""),
  phone: z.string().default(""),
  create_user: z.boolean().default(true),
  data: userMetadata.default({}),
  channel: z.string().default(""),
  code_challenge: z.string().optional(),
  code_challenge_method: z.string().optional(),
});

/** POST /otp */
export async function otp(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const given = await fields(request, otpBody);
  if (given.email !== "" && given.phone !== "") {
    throw validationFailed("Only an email address or phone number should be provided");
  }
  if (given.email !== "" && given.channel !== "") {
    throw validationFailed("Channel should only be specified with Phone OTP");
  }
  const challenge = checkChallenge(given.code_challenge, given.code_challenge_method);
  // The user lookup comes first, and an invalid address has no user.
  if (!given.create_user && !isAddress(given)) throw signupsNotAllowed();
  if (given.email !== "") {
    return magicLink(auth, request, given, challenge, given.create_user);
  }
  if (given.phone !== "") {
    checkChannel(given.channel);
    if (!auth.settings.phoneEnabled) {
      throw badRequest("phone_provider_disabled", "Unsupported phone provider");
    }
    const [address, channel] = [checkPhone(given.phone), given.channel || "sms"];
    return sendOtp(
      auth,
      request,
      { provider: "phone", address, data: given.data, channel },
      given.create_user,
    );
  }
  throw validationFailed("One of email or phone must be set");
}

const signupsNotAllowed = () => unprocessable("otp_disabled", "Signups not allowed for otp");

/** Whether the input is a valid address or phone number; empty input has its own error. */
function isAddress({ email, phone }: { email: string; phone: string }): boolean {
  return email !== "" ? isEmail(email) : phone === "" || isPhone(phone);
}

/** POST /magiclink */
export async function magiclink(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  requireEmailLogins(auth);
  const given = await fields(request, otpBody);
  if (given.email === "") throw unprocessable("validation_failed", "Password recovery requires an email");
  const challenge = checkChallenge(given.code_challenge, given.code_challenge_method);
  return magicLink(auth, request, given, challenge, true);
}

function requireEmailLogins(auth: Auth): void {
  if (!auth.settings.emailEnabled)
    throw unprocessable("email_provider_disabled", "Email logins are disabled");
}

function magicLink(
  auth: Auth,
  request: AuthRequest,
  given: z.output<typeof otpBody>,
  challenge: Challenge | undefined,
  create: boolean,
): Promise<ServiceResponse> {
  requireEmailLogins(auth);
  const address = checkEmail(given.email);
  return sendOtp(auth, request, { provider: "email", address, data: given.data, challenge }, create);
}

/** Sends a link or a code, or what confirms a new user. @param create whether to sign up an unknown address. */
async function sendOtp(
  auth: Auth,
  request: AuthRequest,
  given: AddressRequest,
  create: boolean,
): Promise<ServiceResponse> {
  const { address, challenge, channel } = given;
  const byEmail = given.provider === "email";
  // Hashed outside the transaction, because bcrypt takes longer than the whole transaction; needed only for a
  // new user.
  const password = create ? await hashPassword(randomPassword()) : null;
  return transact(auth, request, async (call) => {
    const found = await (byEmail ? findByEmail : findByPhone)(call, address, audienceOf(request));
    if (!found && !create) throw signupsNotAllowed();
    const confirmed = found !== undefined && (byEmail ? isConfirmed : isPhoneConfirmed)(found);
    if (!confirmed && !auth.config.enable_signup) {
      throw unprocessable("signup_disabled", "Signups not allowed for this instance");
    }
    const user = found ?? (await createByAddress(call, given, password));
    if (!confirmed && !(await confirmAddress(call, given, user))) return json(200, {});
    audit(call, "user_recovery_requested", user, channel === undefined ? undefined : { channel });
    if (!byEmail) return sentCode(await sendPhoneCode(call, user, address, "confirmation_token"));
    storeFlowChallenge(call, challenge, user.row.id, "magiclink");
    await sendMagicLink(call, user, challenge !== undefined);
    return json(200, {});
  });
}

function sentCode(id: string): ServiceResponse {
  return json(200, id === "" ? {} : { message_id: id });
}

const recoverBody = otpBody.pick({ email: true, code_challenge: true, code_challenge_method: true });

/** POST /recover: the response does not reveal whether the address is known. */
export async function recover(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  if (!auth.settings.emailEnabled) {
    throw badRequest("email_provider_disabled", "Email logins are disabled");
  }
  const given = await fields(request, recoverBody);
  if (given.email === "") throw validationFailed("Password recovery requires an email");
  const email = checkEmail(given.email);
  const challenge = checkChallenge(given.code_challenge, given.code_challenge_method);
  await transact(auth, request, async (call) => {
    const user = await findByEmail(call, email, audienceOf(request));
    if (!user) return;
    audit(call, "user_recovery_requested", user);
    storeFlowChallenge(call, challenge, user.row.id, "recovery");
    await sendRecovery(call, user, challenge !== undefined);
  });
  return json(200, {});
}

const resendBody = otpBody.omit({ create_user: true, data: true, channel: true }).extend({
  type: z.string().default(""),
});

const RESEND_TYPES = new Set(["signup", "email_change", "sms", "phone_change"]);

/** POST /resend */
export async function resend(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const given = await fields(request, resendBody);
  if (!RESEND_TYPES.has(given.type))
    throw validationFailed("Missing one of these types: signup, email_change, sms, phone_change");
  if (given.type === "signup" && given.email === "")
    throw validationFailed("Type provided requires an email address");
  if (given.type === "sms" && given.phone === "")
    throw validationFailed("Type provided requires a phone number");
  if (given.email !== "" && given.phone !== "") {
    throw validationFailed("Only an email address or phone number should be provided.");
  }
  if (given.email === "" && given.phone === "")
    throw validationFailed("Missing email address or phone number");
  const byEmail = given.email !== "";
  if (byEmail && !auth.settings.emailEnabled) {
    throw badRequest("email_provider_disabled", "Email logins are disabled");
  }
  if (!byEmail && !auth.settings.phoneEnabled) {
    throw badRequest("phone_provider_disabled", "Phone logins are disabled");
  }
  const challenge = checkChallenge(given.code_challenge, given.code_challenge_method);
  const email = byEmail ? checkEmail(given.email) : "";
  const phone = byEmail ? "" : checkPhone(given.phone);
  return transact(auth, request, async (call) => {
    const user = email
      ? await findByEmail(call, email, audienceOf(request))
      : await findByPhone(call, phone, audienceOf(request));
    if (!user) return json(200, {});
    switch (given.type) {
      case "signup":
        if (isConfirmed(user)) return json(200, {});
        audit(call, "user_confirmation_requested", user);
        storeFlowChallenge(call, challenge, user.row.id, "email/signup");
        await sendConfirmation(call, user, challenge !== undefined);
        return json(200, {});
      case "email_change":
        if (user.row.email_change === "") return json(200, {});
        storeFlowChallenge(call, challenge, user.row.id, "email_change");
        await sendEmailChange(call, user, user.row.email_change, challenge !== undefined);
        return json(200, {});
      case "sms": {
        if (isPhoneConfirmed(user)) return json(200, {});
        audit(call, "user_recovery_requested", user);
        return sentCode(await sendPhoneCode(call, user, phone, "confirmation_token"));
      }
      default: {
        if (user.row.phone_change === "") return json(200, {});
        return sentCode(await sendPhoneCode(call, user, user.row.phone_change, "phone_change_token"));
      }
    }
  });
}
