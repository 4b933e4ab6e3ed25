/** Owns creating users, and confirming their address or number without a message. */

import type { Call } from "../kit/as-auth-admin.ts";
import { runHook } from "../kit/hooks.ts";
import { type Metadata, type User, userJson } from "./user.ts";
import { clearOneTimeTokens, insertIdentity, insertUser, newUser, updateUser } from "./users.ts";

/** The data of a new user. */
export interface SignupFields {
  aud: string;
  email?: string;
  phone?: string;
  /** A password hash. */
  password: string | null;
  appMetadata: Metadata;
  userMetadata: Metadata;
  /** Created by an administrator: identity and user_metadata are not merged. */
  apart?: boolean;
}

/**
 * Creates a user with the identity of its address or number. The insert contains only the given data, which
 * is what a trigger sees; user_metadata gains the identity's data afterwards, as upstream.
 */
export async function createUser(call: Call, given: SignupFields): Promise<User> {
  const { now } = call;
  const user = newUser(given, now);
  await runHook(call, "before_user_created", { user: userJson(user) });
  insertUser(call, user);
  const provider = given.email ? "email" : "phone";
  const data = {
    ...(given.apart ? {} : given.userMetadata),
    sub: user.row.id,
    ...(given.email ? { email: given.email } : {}),
    email_verified: false,
    phone_verified: false,
  };
  insertIdentity(call, user, provider, user.row.id, data);
  if (!given.apart) {
    updateUser(call, user, { raw_user_meta_data: { ...given.userMetadata, ...data } });
  }
  return user;
}

/**
 * Confirms the address without a mail. The identity's row stays unverified; only the response says verified.
 */
export function confirmEmail(call: Call, user: User): void {
  const { now } = call;
  updateUser(call, user, {
    email_confirmed_at: now,
    confirmation_token: "",
    raw_user_meta_data: { ...user.row.raw_user_meta_data, email_verified: true },
  });
  clearOneTimeTokens(call, user);
}

/** Confirms the number. No other column changes, as upstream. */
export function confirmPhone(call: Call, user: User): void {
  const { now } = call;
  updateUser(call, user, { confirmation_token: "", phone_confirmed_at: now });
  clearOneTimeTokens(call, user);
}
