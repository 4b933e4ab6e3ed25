/** Owns GET and POST /verify, which check a link or a code from a mail or message (docs/compat/auth.md 2). */

import { z } from "zod";
import type { ServiceResponse } from "../../http/exchange.ts";
import { type Call, transact } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { checkPhone, isEmail } from "../kit/client-input.ts";
import { AuthError, forbidden, unprocessable, validationFailed } from "../kit/errors.ts";
import { errorTarget, withQuery } from "../kit/redirect-errors.ts";
import { type AuthRequest, fields, json, redirect } from "../kit/request-fields.ts";
import { codeGuesses } from "../mail/code-guesses.ts";
import { SMS_LIFETIME_SECONDS, testCode } from "../mail/messages.ts";
import { hashCode, isFresh, matchesHash, PKCE_PREFIX, type TokenType } from "../mail/one-time-tokens.ts";
import { issueCode } from "../sessions/flow-state.ts";
import { beginSession, type Grant, sessionResponse, withSession } from "../sessions/sessions.ts";
import { applyVerification, FLOW_OF_TYPE, type VerifyType } from "../sessions/verification.ts";
import { audienceOf } from "../users/signed-in-caller.ts";
import { isBanned, type User, type UserRow } from "../users/user.ts";
import {
  findByEmail,
  findByEmailChange,
  findByPhone,
  findByPhoneChange,
  lockUser,
  toUser,
  USER_COLUMNS,
  type UserRecord,
} from "../users/users.ts";

const HALFWAY = "Confirmation link accepted. Please proceed to confirm link sent to the other email";

const linkExpired = () => forbidden("otp_expired", "Email link is invalid or has expired");
const codeExpired = () => forbidden("otp_expired", "Token has expired or is invalid");

const body = z.object({
  type: z.string().default(""),
  token: z.string().default(""),
  token_hash: z.string().default(""),
  email: z.string().default(""),
  phone: z.string().default(""),
  redirect_to: z.string().default(""),
});

/** POST /verify: always returns a session, also for the hash of a PKCE flow. */
export async function verifyPost(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const given = await fields(request, body);
  if (given.type === "") throw validationFailed("Verify requires a verification type");
  if ((given.token === "") === (given.token_hash === "")) {
    throw validationFailed("Verify requires either a token or a token hash");
  }
  if (given.token_hash !== "" && (given.email !== "" || given.phone !== "" || given.redirect_to !== "")) {
    throw validationFailed("Only the token_hash and type should be provided");
  }
  if (given.token !== "" && (given.email === "") === (given.phone === "")) {
    throw validationFailed("Only an email address or phone number should be provided on verify");
  }
  const granted = await transact(auth, request, async (call) => {
    const found =
      given.token_hash !== ""
        ? await findByHash(call, given.type, given.token_hash)
        : await findByCode(call, given);
    return complete(call, found);
  });
  return granted ? sessionResponse(auth, granted) : json(200, { code: "200", msg: HALFWAY });
}

/** GET /verify: redirects to the app with a session, a code or an error in the URL. */
export async function verifyGet(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const token = request.query.get("token") ?? "";
  const type = request.query.get("type") ?? "";
  if (type === "") throw validationFailed("Verify requires a verification type");
  if (token === "") throw validationFailed("Verify requires a token or a token hash");
  const target = auth.redirects.resolve(request);
  const pkce = token.startsWith(PKCE_PREFIX);
  try {
    return await transact(auth, request, async (call) => {
      const found = await findByHash(call, type, token);
      if (!pkce) {
        const granted = await complete(call, found);
        return redirect(
          303,
          granted ? withSession(auth, target, granted, { type: found.type }) : halfwayTarget(target, false),
        );
      }
      const done = await confirm(call, found);
      if (!done) return redirect(303, halfwayTarget(target, true));
      const code = await issueCode(call, found.user.row.id, FLOW_OF_TYPE[found.type]);
      return redirect(303, withQuery(target, { code }));
    });
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    return redirect(303, errorTarget(target, error, pkce));
  }
}

interface Found {
  user: User;
  type: VerifyType;
  /** The stored hash that matched. */
  hash: string;
}

async function complete(call: Call, found: Found): Promise<Grant | undefined> {
  const done = await confirm(call, found);
  return done ? beginSession(call, found.user, "otp") : undefined;
}

/** Applies the verification; false when the other address of a change must still be confirmed. */
function confirm(call: Call, found: Found): Promise<boolean> {
  return applyVerification(call, found.user, found.type, found.hash);
}

const TOKEN_TYPES: Record<string, TokenType[]> = {
  signup: ["confirmation_token"],
  invite: ["confirmation_token"],
  magiclink: ["recovery_token"],
  recovery: ["recovery_token"],
  email: ["confirmation_token", "recovery_token"],
  email_change: ["email_change_token_current", "email_change_token_new"],
};

const SENT_AT: Partial<Record<TokenType, keyof UserRow>> = {
  confirmation_token: "confirmation_sent_at",
  recovery_token: "recovery_sent_at",
  email_change_token_current: "email_change_sent_at",
  email_change_token_new: "email_change_sent_at",
};

async function findByHash(call: Call, type: string, hash: string): Promise<Found> {
  const types = TOKEN_TYPES[type];
  if (!types) throw validationFailed("Invalid email verification type");
  // A known address with a wrong code counts as a failed attempt, also as a hash.
  codeGuesses(call.auth).requireAddress(call.request.ip);
  lockUser(
    call,
    "id in (select user_id from one_time_tokens where token_hash in ($1::text, 'pkce_' || $1::text))",
    [hash],
  );
  const record = await call.one<UserRecord & { token_type: TokenType; token_hash: string }>(
    `select ${USER_COLUMNS}, t.token_type, t.token_hash
     from one_time_tokens t join users u on u.id = t.user_id
     where t.token_hash in ($1, 'pkce_' || $1) and t.token_type = any($2::one_time_token_type[])
       and u.is_sso_user = false limit 1`,
    [hash, types],
  );
  if (!record) {
    codeGuesses(call.auth).missHash(call.request.ip);
    throw linkExpired();
  }
  const user = toUser(record, "Database error finding user from email link");
  requireNotBanned(call.auth, user);
  const sentAt = SENT_AT[record.token_type];
  const fresh =
    sentAt !== undefined &&
    isFresh(
      user.row[sentAt] as string | null,
      call.auth.config.email.otp_expiry,
      call.auth.context.clock.now(),
    );
  if (!fresh) throw linkExpired();
  return { user, type: verifyTypeOf(type, record.token_type), hash: record.token_hash };
}

/** Checked before the token, as upstream. */
function requireNotBanned(auth: Auth, user: User): void {
  if (isBanned(user, auth.context.clock.now())) throw forbidden("user_banned", "User is banned");
}

/** `email` matches either of the two types. */
function verifyTypeOf(type: string, tokenType: TokenType): VerifyType {
  if (type !== "email") return type as VerifyType;
  return tokenType === "confirmation_token" ? "signup" : "magiclink";
}

type Given = z.output<typeof body>;

async function findByCode(call: Call, given: Given): Promise<Found> {
  return given.phone !== "" ? findByPhoneCode(call, given) : findByMailCode(call, given);
}

async function findByMailCode(call: Call, given: Given): Promise<Found> {
  if (!isEmail(given.email)) throw unprocessable("validation_failed", "Invalid email format");
  const email = given.email.toLowerCase();
  const hash = hashCode(email, given.token);
  lockUser(call, "is_sso_user = false and (lower(email) = $1 or lower(email_change) = $1)", [email]);
  const user =
    given.type === "email_change"
      ? await findByEmailChange(call, email, hash, audienceOf(call.request))
      : await findByEmail(call, email, audienceOf(call.request));
  if (!user) throw codeExpired();
  requireNotBanned(call.auth, user);
  for (const type of TOKEN_TYPES[given.type] ?? []) {
    const sentAt = SENT_AT[type];
    const stored = user.row[type as keyof UserRow] as string;
    if (sentAt === undefined || !isGuessed(call.auth, stored, hash)) continue;
    if (
      !isFresh(
        user.row[sentAt] as string | null,
        call.auth.config.email.otp_expiry,
        call.auth.context.clock.now(),
      )
    )
      continue;
    return { user, type: verifyTypeOf(given.type, type), hash: stored };
  }
  throw codeExpired();
}

/**
 * Whether a code matches a stored hash. A wrong code counts as a failed attempt; after too many, no code is
 * accepted.
 */
function isGuessed(auth: Auth, stored: string, hash: string): boolean {
  if (stored === "" || !codeGuesses(auth).isOpen(stored)) return false;
  if (matchesHash(stored, hash)) return true;
  codeGuesses(auth).missCode(stored);
  return false;
}

async function findByPhoneCode(call: Call, given: Given): Promise<Found> {
  const phone = checkPhone(given.phone);
  // A type for email addresses does not find a user by phone number.
  if (given.type !== "sms" && given.type !== "phone_change") throw codeExpired();
  const change = given.type === "phone_change";
  lockUser(call, "is_sso_user = false and $1 in (phone, phone_change)", [phone]);
  const user = change
    ? await findByPhoneChange(call, phone, audienceOf(call.request))
    : await findByPhone(call, phone, audienceOf(call.request));
  if (!user) throw codeExpired();
  requireNotBanned(call.auth, user);
  const stored = change ? user.row.phone_change_token : user.row.confirmation_token;
  const sentAt = change ? user.row.phone_change_sent_at : user.row.confirmation_sent_at;
  const found: Found = { user, type: given.type, hash: stored };
  // A test number's code is valid without having been sent, and does not expire.
  if (testCode(call.auth, phone) === given.token) return found;
  const fresh = isFresh(sentAt, SMS_LIFETIME_SECONDS, call.auth.context.clock.now());
  if (!fresh || !isGuessed(call.auth, stored, hashCode(phone, given.token))) throw codeExpired();
  return found;
}

function halfwayTarget(target: string, pkce: boolean): string {
  const fragment = new URLSearchParams({ message: HALFWAY, sb: "" });
  return `${pkce ? withQuery(target, { message: HALFWAY }) : target}#${fragment}`;
}
