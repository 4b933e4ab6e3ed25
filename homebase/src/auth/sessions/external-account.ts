/**
 * Owns the mapping from a provider's account to a user: the user of a known identity, the user with the same
 * verified address, or a new user (docs/compat/auth.md 2, "OAuth", "Identities").
 */

import type { Call, Transaction } from "../kit/as-auth-admin.ts";
import { checkEmail } from "../kit/client-input.ts";
import { AuthError, badRequest, forbidden, notFound, unexpected, unprocessable } from "../kit/errors.ts";
import { runHook } from "../kit/hooks.ts";
import { notify } from "../mail/account-notices.ts";
import { sendConfirmation } from "../mail/messages.ts";
import { identityData, type ProviderAccount } from "../stand-in/provider-accounts.ts";
import { audit } from "../users/audit-record.ts";
import { confirmEmail } from "../users/new-users.ts";
import { type IdentityRow, isBanned, isConfirmed, type User, userJson } from "../users/user.ts";
import {
  findByEmail,
  findById,
  findOwnerOfEmail,
  insertIdentity,
  insertUser,
  newUser,
  providersOf,
  updateUser,
} from "../users/users.ts";
import type { FlowState } from "./flow-state.ts";

/** The parameters of a sign-in besides the account. */
export type SignInFlow = Pick<FlowState, "linking_target_id" | "email_optional" | "invite_token">;

/** The state that the functions below share. */
interface Attempt {
  call: Call;
  flow: SignInFlow;
  account: ProviderAccount;
}

/**
 * Signs the account in, or links it, and returns its user; runs in the transaction.
 * @throws AuthError signup_disabled, user_banned, provider_email_needs_verification, identity_already_exists,
 * 500 for an account without address.
 */
export async function signInByAccount(call: Call, flow: SignInFlow, given: ProviderAccount): Promise<User> {
  const { auth } = call;
  const account = { ...given, email: given.email === "" ? "" : checkEmail(given.email) };
  const attempt = { call, flow, account };
  const known = await findIdentity(attempt);
  if (flow.linking_target_id) return link(attempt, known, flow.linking_target_id);
  if (account.email === "" && !flow.email_optional) {
    throw unexpected("Error getting user email from external provider");
  }
  const { user, identity } = await decide(attempt, known);
  if (isBanned(user, auth.context.clock.now())) throw forbidden("user_banned", "User is banned");
  if (isConfirmed(user) || account.email === "") {
    audit(call, "login", user, { provider: account.provider });
    return user;
  }
  return confirm(attempt, user, identity);
}

async function findIdentity({ call, account }: Attempt): Promise<IdentityRow | undefined> {
  const found = await call.one<{ identity: IdentityRow }>(
    "select to_jsonb(i) as identity from identities i where provider = $1 and provider_id = $2 for update",
    [account.provider, account.sub],
  );
  return found?.identity;
}

async function decide(
  attempt: Attempt,
  known: IdentityRow | undefined,
): Promise<{ user: User; identity: IdentityRow }> {
  const { call, account, flow } = attempt;
  if (known) return signInAgain(attempt, known);
  if (flow.invite_token) return acceptInvite(attempt, flow.invite_token);
  const user = account.emailVerified ? await findByVerifiedEmail(attempt) : undefined;
  if (user) return { user, identity: addIdentity(call, user, account) };
  return create(attempt);
}

/** The provider's current data overwrites the user's. */
async function signInAgain(
  attempt: Attempt,
  known: IdentityRow,
): Promise<{ user: User; identity: IdentityRow }> {
  const { call, account } = attempt;
  const user = await findById(call, known.user_id);
  const identity = user?.identities.find(({ id }) => id === known.id);
  if (!user || !identity) throw notFound("user_not_found", "User not found");
  const { now } = call;
  identity.identity_data = identityData(account);
  identity.last_sign_in_at = now;
  identity.updated_at = now;
  call.enqueue(
    "update identities set identity_data = $2, last_sign_in_at = $3, updated_at = $3 where id = $1",
    [identity.id, JSON.stringify(identity.identity_data), now],
  );
  mergeAccount(call, user, account);
  return { user, identity };
}

/** The only user with this address, in an identity or in `users`. @throws AuthError when several have it. */
async function findByVerifiedEmail({ call, account }: Attempt): Promise<User | undefined> {
  if (isSso(account)) return findInConnection(call, account);
  const owners = await call.rows<{ id: string }>(
    `select distinct u.id from users u left join identities i on i.user_id = u.id
     where u.is_sso_user = false and u.deleted_at is null and (lower(u.email) = $1 or i.email = $1)`,
    [account.email],
  );
  if (owners.length > 1) {
    throw unexpected("Multiple accounts with the same email address in the same linking domain detected");
  }
  return owners[0] ? findById(call, owners[0].id) : undefined;
}

/** Whether the account is a SAML connection's. Its users are never linked to those of other providers. */
const isSso = ({ provider }: ProviderAccount) => provider.startsWith("sso:");

/** The connection's only user with this address. @throws AuthError when several have it. */
async function findInConnection(
  transaction: Transaction,
  { provider, email }: ProviderAccount,
): Promise<User | undefined> {
  const owners = await transaction.rows<{ id: string }>(
    "select distinct user_id as id from identities where provider = $1 and email = $2",
    [provider, email],
  );
  if (owners.length > 1) {
    throw unexpected(
      `Multiple accounts with the same email address in the same linking domain detected: ${provider}`,
    );
  }
  return owners[0] ? findById(transaction, owners[0].id) : undefined;
}

/** @throws AuthError when the account's address differs from the invited one. */
async function acceptInvite(attempt: Attempt, token: string): Promise<{ user: User; identity: IdentityRow }> {
  const { call, account } = attempt;
  const invited = await call.one<{ id: string }>("select id from users where confirmation_token = $1", [
    token,
  ]);
  const user = invited ? await findById(call, invited.id) : undefined;
  if (!user) throw notFound("invite_not_found", "Invite not found");
  if (user.row.email !== account.email) {
    throw badRequest("validation_failed", "Invited email does not match emails from external provider");
  }
  const identity = addIdentity(call, user, account);
  audit(call, "invite_accepted", user, { provider: account.provider });
  confirmEmail(call, user);
  return { user, identity };
}

/** Creates a user. An unverified address of another user is not taken over. */
async function create(attempt: Attempt): Promise<{ user: User; identity: IdentityRow }> {
  const { call, account } = attempt;
  if (!call.auth.config.enable_signup) {
    throw unprocessable("signup_disabled", "Signups not allowed for this instance");
  }
  const { now } = call;
  const sso = isSso(account);
  const taken = !sso && account.email !== "" && (await findByEmail(call, account.email, "authenticated"));
  const user = newUser(
    {
      aud: "authenticated",
      email: taken ? null : account.email,
      password: null,
      appMetadata: { provider: account.provider, providers: [account.provider] },
      userMetadata: identityData(account),
      sso,
    },
    now,
  );
  await runHook(call, "before_user_created", { user: userJson(user) });
  insertUser(call, user);
  const identity = insertIdentity(call, user, account.provider, account.sub, identityData(account));
  return { user, identity };
}

function addIdentity(call: Call, user: User, account: ProviderAccount): IdentityRow {
  const identity = insertIdentity(call, user, account.provider, account.sub, identityData(account));
  mergeAccount(call, user, account);
  return identity;
}

function mergeAccount(call: Call, user: User, account: ProviderAccount): void {
  updateUser(call, user, {
    raw_user_meta_data: { ...user.row.raw_user_meta_data, ...identityData(account) },
    raw_app_meta_data: { ...user.row.raw_app_meta_data, ...providersOf(user) },
  });
}

/**
 * Confirms a user whose address was unconfirmed. An earlier sign-up never proved ownership of the address, so
 * its password and identities are deleted; otherwise two people could share the account.
 * @throws AuthError provider_email_needs_verification, keeping the writes.
 */
async function confirm(attempt: Attempt, user: User, identity: IdentityRow): Promise<User> {
  const { call, account } = attempt;
  call.enqueue("delete from identities where user_id = $1 and id <> $2", [user.row.id, identity.id]);
  user.identities = [identity];
  updateUser(call, user, {
    encrypted_password: null,
    raw_user_meta_data: { ...identity.identity_data },
    raw_app_meta_data: { ...user.row.raw_app_meta_data, ...providersOf(user) },
  });
  if (account.emailVerified || call.auth.settings.emailAutoconfirm) {
    audit(call, "user_signedup", user, { provider: account.provider });
    if (user.row.email) confirmEmail(call, user);
    return user;
  }
  const sent = await sentConfirmation(attempt, user);
  const where = sent
    ? `A confirmation email has been sent to your ${account.provider} email`
    : `Verify the email with ${account.provider} in order to sign in`;
  throw unprocessable(
    "provider_email_needs_verification",
    `Unverified email with ${account.provider}. ${where}`,
  ).keepingWrites();
}

/** Sends a confirmation. @returns false without an address, or when the previous one is too recent. */
async function sentConfirmation({ call }: Attempt, user: User): Promise<boolean> {
  if (!user.row.email) return false;
  try {
    await sendConfirmation(call, user);
    return true;
  } catch (error) {
    if (error instanceof AuthError && error.status === 429) return false;
    throw error;
  }
}

/** Links the account to the requesting user. @throws AuthError identity_already_exists */
async function link(attempt: Attempt, known: IdentityRow | undefined, target: string): Promise<User> {
  const { call, account } = attempt;
  const user = await findById(call, target);
  if (!user) throw notFound("user_not_found", "Linking target user not found");
  if (known) {
    const owner = known.user_id === user.row.id ? "" : " to another user";
    throw unprocessable("identity_already_exists", `Identity is already linked${owner}`);
  }
  const bare = !user.row.email;
  // The provider's data is stored in the identity only: the user already has data.
  insertIdentity(call, user, account.provider, account.sub, identityData(account));
  if (bare && account.email !== "") await adoptEmail(attempt, user);
  updateUser(call, user, {
    raw_app_meta_data: { ...user.row.raw_app_meta_data, ...providersOf(user) },
  });
  audit(call, "identity_linked", user, { provider: account.provider });
  const variables = { Provider: account.provider };
  await notify(call, "identity_linked", user, user.row.email ?? "", variables);
  return user;
}

/**
 * Gives a user without an address, e.g. an anonymous one, the account's address.
 * @throws AuthError email_exists; email_not_confirmed, keeping the writes, for an unverified one.
 */
async function adoptEmail(attempt: Attempt, user: User): Promise<void> {
  const { call, account } = attempt;
  if (await findOwnerOfEmail(call, account.email, user.row.aud, user.row.id)) {
    throw badRequest("email_exists", "A user with this email address has already been registered");
  }
  updateUser(call, user, { email: account.email });
  if (!account.emailVerified) {
    await sendConfirmation(call, user);
    const { provider } = account;
    throw unprocessable(
      "email_not_confirmed",
      `Unverified email with ${provider}. A confirmation email has been sent to your ${provider} email`,
    ).keepingWrites();
  }
  updateUser(call, user, { is_anonymous: false });
  confirmEmail(call, user);
}
