/**
 * Owns POST /signup: by email address, by phone number, and anonymous (docs/compat/auth.md 2, "Password
 * sign-up").
 */
import { z } from "zod";
import type { ServiceResponse } from "../../http/exchange.ts";
import { type Call, transact } from "../kit/as-auth-admin.ts";
import { type Auth, currentTime } from "../kit/auth.ts";
import {
  type Challenge,
  checkChallenge,
  checkChannel,
  checkEmail,
  checkPhone,
  userMetadata,
} from "../kit/client-input.ts";
import { badRequest, unprocessable, validationFailed } from "../kit/errors.ts";
import { runHook } from "../kit/hooks.ts";
import { type AuthRequest, fields, json } from "../kit/request-fields.ts";
import { sendConfirmation, sendPhoneCode } from "../mail/messages.ts";
import { storeFlowChallenge } from "../sessions/flow-state.ts";
import { beginSession, type Grant, sessionResponse } from "../sessions/sessions.ts";
import { audit } from "../users/audit-record.ts";
import { confirmEmail, confirmPhone, createUser } from "../users/new-users.ts";
import { checkStrength, hashPassword } from "../users/passwords.ts";
import { audienceOf } from "../users/signed-in-caller.ts";
import { isConfirmed, isPhoneConfirmed, type Metadata, type User, userJson } from "../users/user.ts";
import { findByPhone, findOwnerOfEmail, insertUser, newUser } from "../users/users.ts";

const body = z.object({
  email: z.string().default(""),
  phone: z.string().default(""),
  password: z.string().default(""),
  data: userMetadata.default({}),
  channel: z.string().default(""),
  code_challenge: z.string().optional(),
  code_challenge_method: z.string().optional(),
});

/** POST /signup */
export async function signup(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const given = await fields(request, body);
  if (!auth.config.enable_signup) {
    throw unprocessable("signup_disabled", "Signups not allowed for this instance");
  }
  if (given.email === "" && given.phone === "") return signupAnonymously(auth, request, given.data);
  if (given.password === "") throw validationFailed("Signup requires a valid password");
  checkStrength(auth.config, given.password);
  if (given.email !== "" && given.phone !== "") {
    throw validationFailed("Only an email address or phone number should be provided on signup.");
  }
  const challenge = checkChallenge(given.code_challenge, given.code_challenge_method);
  const { password, data } = given;
  if (given.email !== "") {
    if (!auth.settings.emailEnabled) {
      throw badRequest("email_provider_disabled", "Email signups are disabled");
    }
    const address = checkEmail(given.email);
    return signupByAddress(auth, request, { provider: "email", address, data, challenge }, password);
  }
  if (challenge) throw validationFailed("PKCE not supported for phone signups");
  checkChannel(given.channel);
  if (!auth.settings.phoneEnabled) {
    throw badRequest("phone_provider_disabled", "Phone signups are disabled");
  }
  const address = checkPhone(given.phone);
  const channel = given.channel || "sms";
  return signupByAddress(auth, request, { provider: "phone", address, data, channel }, password);
}

/** A sign-up, or a sign-in by a message that signs up unknown addresses. */
export interface AddressRequest {
  provider: "email" | "phone";
  /** An email address or a phone number. */
  address: string;
  data: Metadata;
  /** Of an address. */
  challenge?: Challenge;
  /** Of a number. */
  channel?: string;
}

async function signupByAddress(
  auth: Auth,
  request: AuthRequest,
  given: AddressRequest,
  password: string,
): Promise<ServiceResponse> {
  const { provider, address, data } = given;
  const byEmail = provider === "email";
  const hash = await hashPassword(password);
  return transact(auth, request, async (call) => {
    const found = await (byEmail ? findOwnerOfEmail : findByPhone)(call, address, audienceOf(request));
    if (found && (byEmail ? isConfirmed : isPhoneConfirmed)(found)) {
      return repeated(call, found, data, provider);
    }
    const user = found ?? (await createByAddress(call, given, hash));
    if (!(await confirmAddress(call, given, user))) return json(200, signedUpJson(user));
    return sessionResponse(auth, await beginSession(call, user, "password"));
  });
}

export function createByAddress(
  call: Call,
  { provider, address, data }: AddressRequest,
  password: string | null,
): Promise<User> {
  return createUser(call, {
    aud: audienceOf(call.request),
    [provider]: address,
    password,
    appMetadata: { provider, providers: [provider] },
    userMetadata: data,
  });
}

/** Confirms a new address where no confirmation is required; otherwise sends one and returns false. */
export async function confirmAddress(
  call: Call,
  { provider, address, challenge, channel }: AddressRequest,
  user: User,
): Promise<boolean> {
  const { settings } = call.auth;
  const byEmail = provider === "email";
  if (byEmail ? settings.emailAutoconfirm : settings.phoneAutoconfirm) {
    audit(call, "user_signedup", user, { provider, channel });
    (byEmail ? confirmEmail : confirmPhone)(call, user);
    audit(call, "login", user, { provider });
    return true;
  }
  audit(call, "user_confirmation_requested", user, { provider });
  storeFlowChallenge(call, challenge, user.row.id, "email/signup");
  if (byEmail) await sendConfirmation(call, user, challenge !== undefined);
  else await sendPhoneCode(call, user, address, "confirmation_token");
  return false;
}

/**
 * The response of a sign-up that must be confirmed; it does not show an invited user's data to the caller.
 */
function signedUpJson(user: User): Record<string, unknown> {
  if (user.row.invited_at === null) return userJson(user);
  return userJson({ ...user, identities: [], row: { ...user.row, raw_user_meta_data: {} } });
}

/** Handles a sign-up with a confirmed address: an error, or a response that does not reveal the account. */
function repeated(call: Call, user: User, data: Metadata, provider: "email" | "phone"): ServiceResponse {
  const { auth } = call;
  audit(call, "user_repeated_signup", user, { provider });
  if (auth.settings.emailAutoconfirm || auth.settings.phoneAutoconfirm) {
    throw unprocessable("user_already_exists", "User already registered").keepingWrites();
  }
  const { now } = call;
  const fake = newUser(
    {
      aud: user.row.aud,
      email: provider === "email" ? user.row.email : null,
      phone: provider === "phone" ? user.row.phone : null,
      password: null,
      appMetadata: { provider, providers: [provider] },
      userMetadata: data,
    },
    now,
  );
  fake.row.confirmation_sent_at = now;
  return json(200, userJson(fake));
}

async function signupAnonymously(auth: Auth, request: AuthRequest, data: Metadata): Promise<ServiceResponse> {
  if (!auth.config.enable_anonymous_sign_ins) {
    throw unprocessable("anonymous_provider_disabled", "Anonymous sign-ins are disabled");
  }
  const granted = await transact(auth, request, async (call): Promise<Grant> => {
    const fields = { password: null, appMetadata: {}, userMetadata: data, anonymous: true };
    const user = newUser({ aud: audienceOf(request), ...fields }, currentTime(auth));
    await runHook(call, "before_user_created", { user: userJson(user) });
    insertUser(call, user);
    return beginSession(call, user, "anonymous");
  });
  return sessionResponse(auth, granted);
}
