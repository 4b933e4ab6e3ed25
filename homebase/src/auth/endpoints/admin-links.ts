/** Owns invitations and links created by an administrator: /invite, /admin/generate_link. */

import { z } from "zod";
import type { ServiceResponse } from "../../http/exchange.ts";
import { type Call, readerOf, transact } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { checkEmail } from "../kit/client-input.ts";
import { emailTaken, notFound, validationFailed } from "../kit/errors.ts";
import { type AuthRequest, fields, json } from "../kit/request-fields.ts";
import type { LinkType } from "../mail/mailer.ts";
import { mailer } from "../mail/mailer.ts";
import { sendInvite, storeToken } from "../mail/messages.ts";
import { createMailToken, type TokenType } from "../mail/one-time-tokens.ts";
import { audit } from "../users/audit-record.ts";
import { createUser } from "../users/new-users.ts";
import { checkStrength, hashPassword, randomPassword } from "../users/passwords.ts";
import { audienceOf } from "../users/signed-in-caller.ts";
import { isConfirmed, type Metadata, type User, type UserRow, userJson } from "../users/user.ts";
import { findByEmail, findOwnerOfEmail, mergeMetadata, updateUser } from "../users/users.ts";

const inviteBody = z.object({
  email: z.string().default(""),
  data: z.record(z.string(), z.unknown()).default({}),
});

/** POST /invite */
export async function invite(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const given = await fields(request, inviteBody);
  const email = checkEmail(given.email);
  const user = await transact(auth, request, async (call) => {
    const user = await invited(call, email, given.data);
    audit(call, "user_invited", undefined, { user_id: user.row.id, user_email: email });
    await sendInvite(call, user);
    return user;
  });
  return json(200, userJson(user));
}

/** The unconfirmed user of an address, created if missing. @throws AuthError email_exists */
async function invited(call: Call, email: string, data: Metadata): Promise<User> {
  const { request } = call;
  const found = await findByEmail(call, email, audienceOf(request));
  if (found && isConfirmed(found)) throw emailTaken();
  return (
    found ??
    createUser(call, {
      aud: audienceOf(request),
      email,
      password: null,
      appMetadata: { provider: "email", providers: ["email"] },
      userMetadata: data,
      apart: true,
    })
  );
}

const linkBody = z.object({
  type: z.string().default(""),
  email: z.string().default(""),
  new_email: z.string().default(""),
  password: z.string().default(""),
  data: z.record(z.string(), z.unknown()).default({}),
  redirect_to: z.string().default(""),
});

const LINK_TYPES = new Set([
  "signup",
  "invite",
  "magiclink",
  "recovery",
  "email_change_current",
  "email_change_new",
]);

interface Made {
  user: User;
  code: string;
  hash: string;
  linkType: LinkType;
  verificationType: string;
}

/** POST /admin/generate_link: returns a link without sending mail. */
export async function generateLink(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const given = await fields(request, linkBody);
  if (!LINK_TYPES.has(given.type)) {
    throw validationFailed(`Invalid email action link type requested: ${given.type}`);
  }
  const email = checkEmail(given.email);
  const redirectTo = auth.redirects.resolve(request, given.redirect_to || undefined);
  const known = await findByEmail(readerOf(auth.context.database), email, audienceOf(request));
  const hash = known ? "" : await passwordFor(auth, given);
  const made = await transact(auth, request, async (call) => {
    const found = await findByEmail(call, email, audienceOf(request));
    return make(call, found, email, given, hash);
  });
  return json(200, {
    ...userJson(made.user),
    action_link: mailer(auth).link(made.linkType, made.hash, redirectTo),
    email_otp: made.code,
    hashed_token: made.hash,
    verification_type: made.verificationType,
    redirect_to: redirectTo,
  });
}

type Given = z.output<typeof linkBody>;

async function passwordFor(auth: Auth, given: Given): Promise<string> {
  if (given.type === "signup") {
    if (given.password === "") throw validationFailed("Signup requires a valid password");
    checkStrength(auth.config, given.password);
    return hashPassword(given.password);
  }
  return given.type === "magiclink" ? hashPassword(randomPassword()) : "";
}

async function make(
  call: Call,
  found: User | undefined,
  email: string,
  given: Given,
  password: string,
): Promise<Made> {
  switch (given.type) {
    case "signup":
      if (found && isConfirmed(found)) throw emailTaken();
      return withSignup(call, found, email, given.data, password);
    case "magiclink":
      // An unknown address is signed up, with a random password.
      if (!found) return withSignup(call, undefined, email, given.data, password);
      audit(call, "user_recovery_requested", found);
      return withToken(call, found, email, "recovery_token", "recovery_sent_at", "magiclink");
    case "recovery":
      if (!found) throw unknownAddress();
      audit(call, "user_recovery_requested", found);
      return withToken(call, found, email, "recovery_token", "recovery_sent_at", "recovery");
    case "invite": {
      const user = await invited(call, email, given.data);
      const traits = { user_id: user.row.id, user_email: email };
      audit(call, "user_invited", undefined, traits);
      const made = withToken(call, user, email, "confirmation_token", "confirmation_sent_at", "invite");
      updateUser(call, user, { invited_at: call.now });
      return made;
    }
    default:
      if (!found) throw unknownAddress();
      return withEmailChange(call, found, given);
  }
}

const unknownAddress = () => notFound("user_not_found", "User with this email not found");

async function withSignup(
  call: Call,
  found: User | undefined,
  email: string,
  data: Metadata,
  password: string,
): Promise<Made> {
  const { request } = call;
  const user =
    found ??
    (await createUser(call, {
      aud: audienceOf(request),
      email,
      password,
      appMetadata: { provider: "email", providers: ["email"] },
      userMetadata: data,
      apart: true,
    }));
  if (found) {
    updateUser(call, user, {
      raw_user_meta_data: mergeMetadata(user.row.raw_user_meta_data, data),
    });
  }
  return withToken(call, user, email, "confirmation_token", "confirmation_sent_at", "signup");
}

function withToken(
  call: Call,
  user: User,
  email: string,
  type: TokenType & keyof UserRow,
  sentAt: keyof UserRow,
  linkType: LinkType,
): Made {
  const token = createMailToken(call.auth, email);
  storeToken(call, user, type, sentAt, token, email);
  return { user, ...token, linkType, verificationType: linkType };
}

async function withEmailChange(call: Call, user: User, given: Given): Promise<Made> {
  const { auth, request } = call;
  if (given.type === "email_change_current" && !auth.config.email.double_confirm_changes) {
    throw validationFailed("Enable secure email change to generate link for current email");
  }
  const newEmail = checkEmail(given.new_email);
  if (await findOwnerOfEmail(call, newEmail, audienceOf(request), user.row.id)) throw emailTaken();
  const current = given.type === "email_change_current";
  const address = current ? (user.row.email ?? "") : newEmail;
  const token = createMailToken(auth, address);
  const type = current ? "email_change_token_current" : "email_change_token_new";
  updateUser(call, user, {
    email_change: newEmail,
    email_change_confirm_status: 0,
  });
  storeToken(call, user, type, "email_change_sent_at", token, address);
  return { user, ...token, linkType: "email_change", verificationType: given.type };
}
