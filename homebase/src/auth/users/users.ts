/** Owns reading and writing users: auth.users with their identities and factors. */

import { randomUUID } from "node:crypto";
import { isUuid, NIL } from "../../core/uuid.ts";
import type { Call, Transaction } from "../kit/as-auth-admin.ts";
import { DatabaseFailure, notFound, unprocessable, writeFailure } from "../kit/errors.ts";
import type { FactorRow, IdentityRow, Metadata, User, UserRow } from "./user.ts";

/** Columns that upstream reads into non-nullable types: a seed that leaves them null causes errors. */
const NEVER_NULL = [
  "aud",
  "role",
  "confirmation_token",
  "recovery_token",
  "email_change_token_new",
  "email_change",
  "created_at",
  "updated_at",
] as const;

/** Select list that returns one user as JSON, from table `users` aliased `u`. */
export const USER_COLUMNS = `to_jsonb(u) as "user",
  coalesce((select jsonb_agg(to_jsonb(i) order by i.created_at, i.id) from identities i where i.user_id = u.id), '[]') as identities,
  coalesce((select jsonb_agg(to_jsonb(f) - 'web_authn_credential' order by f.created_at, f.id) from mfa_factors f where f.user_id = u.id), '[]') as factors`;

export interface UserRecord {
  user: UserRow;
  identities: IdentityRow[];
  factors: FactorRow[];
}

/**
 * Parses a record as a User. @throws DatabaseFailure when a non-nullable column is null (docs/compat/auth.md
 * 3, "Seeds").
 */
export function toUser(record: UserRecord, failure = "Database error querying schema"): User {
  for (const column of NEVER_NULL) {
    if (record.user[column] === null) {
      throw new DatabaseFailure(failure, new Error(`auth.users.${column} of ${record.user.id} is null`));
    }
  }
  const row = record.user;
  row.raw_app_meta_data ??= {};
  row.raw_user_meta_data ??= {};
  return { row, identities: record.identities, factors: record.factors };
}

type Reader = Pick<Transaction, "rows">;

async function find(reader: Reader, where: string, values: unknown[]): Promise<User | undefined> {
  const rows = await reader.rows<UserRecord>(
    `select ${USER_COLUMNS} from users u where ${where} limit 1`,
    values,
  );
  return rows[0] ? toUser(rows[0]) : undefined;
}

export function findById(reader: Reader, id: string): Promise<User | undefined> {
  return find(reader, `u.instance_id = '${NIL}' and u.id = $1`, [id]);
}

/** The user in the path. @throws AuthError */
export async function namedUser(transaction: Transaction, id: string): Promise<User> {
  if (!isUuid(id)) throw notFound("validation_failed", "user_id must be an UUID");
  const user = await findById(transaction, id);
  if (!user) throw notFound("user_not_found", "User not found");
  return user;
}

export function findByEmail(reader: Reader, email: string, audience: string): Promise<User | undefined> {
  return find(
    reader,
    `u.instance_id = '${NIL}' and lower(u.email) = $1 and u.aud = $2 and u.is_sso_user = false`,
    [email.toLowerCase(), audience],
  );
}

/**
 * The user who has an address, in `users` or in an identity, other than `except`. An address from one user's
 * provider cannot be taken by another user.
 */
export function findOwnerOfEmail(
  reader: Reader,
  email: string,
  audience: string,
  except?: string,
): Promise<User | undefined> {
  return find(
    reader,
    `u.instance_id = '${NIL}' and u.aud = $2 and u.is_sso_user = false and u.id is distinct from $3::uuid and (
       lower(u.email) = $1 or exists (select 1 from identities i
         where i.user_id = u.id and i.email = $1 and i.provider not like 'sso:%'))`,
    [email.toLowerCase(), audience, except ?? null],
  );
}

export function findByPhone(reader: Reader, phone: string, audience: string): Promise<User | undefined> {
  return find(reader, `u.instance_id = '${NIL}' and u.phone = $1 and u.aud = $2 and u.is_sso_user = false`, [
    phone,
    audience,
  ]);
}

/** The user with a pending change to `phone`. */
export function findByPhoneChange(
  reader: Reader,
  phone: string,
  audience: string,
): Promise<User | undefined> {
  return find(
    reader,
    `u.instance_id = '${NIL}' and u.phone_change = $1 and u.aud = $2 and u.is_sso_user = false`,
    [phone, audience],
  );
}

/** The user with a pending email change whose old or new address is `email`. */
export function findByEmailChange(
  reader: Reader,
  email: string,
  hash: string,
  audience: string,
): Promise<User | undefined> {
  return find(
    reader,
    `u.instance_id = '${NIL}' and u.aud = $3 and u.is_sso_user = false and (
       (lower(u.email_change) = $1 and u.email_change_token_new in ($2::text, 'pkce_' || $2::text)) or
       (lower(u.email) = $1 and u.email_change_token_current in ($2::text, 'pkce_' || $2::text)))`,
    [email.toLowerCase(), hash, audience],
  );
}

/**
 * Locks a user until the transaction ends, so that later reads see the previous transaction's writes: if a
 * code is submitted twice concurrently, the second request finds it used.
 * @param condition SQL on `users`, with `values` as its parameters.
 */
export function lockUser(transaction: Transaction, condition: string, values: unknown[]): void {
  transaction.enqueue(`select 1 from users where ${condition} for no key update`, values);
}

export interface NewUser {
  id?: string;
  aud: string;
  role?: string;
  email?: string | null;
  phone?: string | null;
  /** A hash, or null for a user without a password. */
  password: string | null;
  appMetadata: Metadata;
  userMetadata: Metadata;
  anonymous?: boolean;
  /** Whether a SAML connection manages the user. */
  sso?: boolean;
}

/** A user that is not yet in the table. */
export function newUser(fields: NewUser, now: string): User {
  const row: UserRow = {
    id: fields.id ?? randomUUID(),
    aud: fields.aud,
    role: "",
    email: fields.email || null,
    encrypted_password: fields.password,
    email_confirmed_at: null,
    invited_at: null,
    confirmation_token: "",
    confirmation_sent_at: null,
    recovery_token: "",
    recovery_sent_at: null,
    email_change_token_new: "",
    email_change_token_current: "",
    email_change: "",
    email_change_sent_at: null,
    email_change_confirm_status: 0,
    phone: fields.phone || null,
    phone_confirmed_at: null,
    phone_change: "",
    phone_change_token: "",
    phone_change_sent_at: null,
    reauthentication_token: "",
    reauthentication_sent_at: null,
    last_sign_in_at: null,
    raw_app_meta_data: fields.appMetadata,
    raw_user_meta_data: fields.userMetadata,
    created_at: now,
    updated_at: now,
    banned_until: null,
    deleted_at: null,
    is_sso_user: fields.sso ?? false,
    is_anonymous: fields.anonymous ?? false,
  };
  return { row, identities: [], factors: [] };
}

/**
 * Inserts a user. The insert sets role '' (a trigger on auth.users sees this); an update right after it sets
 * the role, as upstream.
 */
export function insertUser(
  transaction: Transaction,
  user: User,
  role = "authenticated",
  failed: (error: unknown) => Error = newUserFailure,
): void {
  const { row } = user;
  transaction.enqueue(
    `insert into users (instance_id, id, aud, role, email, encrypted_password, confirmation_token, recovery_token,
       email_change_token_new, email_change, phone, raw_app_meta_data, raw_user_meta_data, created_at, updated_at,
       is_anonymous, is_sso_user)
     values ('${NIL}', $1, $2, '', $3, $4, '', '', '', '', $5, $6, $7, $8, $8, $9, $10)`,
    [
      row.id,
      row.aud,
      row.email,
      row.encrypted_password,
      row.phone,
      JSON.stringify(row.raw_app_meta_data),
      JSON.stringify(row.raw_user_meta_data),
      row.created_at,
      row.is_anonymous,
      row.is_sso_user,
    ],
    failed,
  );
  row.role = role;
  transaction.enqueue("update users set role = $2 where id = $1", [row.id, role], failed);
}

function newUserFailure(error: unknown): Error {
  const failure = new DatabaseFailure("Database error saving new user", error);
  // Two concurrent sign-ups with one address: the second finds the address taken.
  if (failure.failure?.constraint === "users_email_partial_key") {
    return unprocessable("user_already_exists", "User already registered");
  }
  return failure;
}

export function updateFailure(error: unknown): Error {
  return writeFailure("Database error updating user", error);
}

type Changes = Partial<Omit<UserRow, "id" | "created_at">>;

/** Updates columns in the table and in the value. Runs with the transaction's next statement. */
export function updateUser(
  call: Call,
  user: User,
  changes: Changes,
  failed: (error: unknown) => Error = updateFailure,
): void {
  const all: Changes = { ...changes, updated_at: call.now };
  const columns = Object.keys(all);
  const values = Object.values(all).map((value) =>
    typeof value === "object" && value !== null ? JSON.stringify(value) : value,
  );
  Object.assign(user.row, all);
  call.enqueue(
    `update users set ${columns.map((column, index) => `${column} = $${index + 2}`).join(", ")} where id = $1`,
    [user.row.id, ...values],
    failed,
  );
}

/** Stores a password hash and invalidates all pending tokens. The caller ends sessions. */
export function storePassword(call: Call, user: User, hash: string | null): void {
  updateUser(call, user, {
    encrypted_password: hash,
    confirmation_token: "",
    confirmation_sent_at: null,
    recovery_token: "",
    recovery_sent_at: null,
    email_change_token_new: "",
    email_change_token_current: "",
    email_change_sent_at: null,
    phone_change_token: "",
    phone_change_sent_at: null,
    reauthentication_token: "",
    reauthentication_sent_at: null,
  });
  clearOneTimeTokens(call, user);
}

/** Merges by top-level key; null deletes a key. */
export function mergeMetadata(present: Metadata, changes: Metadata): Metadata {
  const result = { ...present };
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) delete result[key];
    else result[key] = value;
  }
  return result;
}

/** Adds an identity to the table and to the value. */
export function insertIdentity(
  call: Call,
  user: User,
  provider: string,
  providerId: string,
  data: Metadata,
): IdentityRow {
  const identity: IdentityRow = {
    id: randomUUID(),
    provider_id: providerId,
    user_id: user.row.id,
    identity_data: data,
    provider,
    last_sign_in_at: call.now,
    created_at: call.now,
    updated_at: call.now,
  };
  user.identities.push(identity);
  call.enqueue(
    `insert into identities (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6, $6)`,
    [identity.id, providerId, user.row.id, JSON.stringify(data), provider, call.now],
    newUserFailure,
  );
  return identity;
}

/** Merges `data` into an identity's data. */
export function updateIdentity(call: Call, identity: IdentityRow, data: Metadata): void {
  identity.identity_data = { ...identity.identity_data, ...data };
  identity.updated_at = call.now;
  call.enqueue(
    "update identities set identity_data = $2, updated_at = $3 where id = $1",
    [identity.id, JSON.stringify(identity.identity_data), call.now],
    updateFailure,
  );
}

/** Updates `app_metadata.provider` and `.providers` from the identities, oldest first. */
export function providersOf(user: User): Metadata {
  const providers = [...new Set(user.identities.map((identity) => identity.provider))];
  return providers.length === 0 ? {} : { provider: providers[0], providers };
}

/** Invalidates all of the user's links in mail by deleting their hashes. */
export function clearOneTimeTokens(transaction: Transaction, user: User): void {
  transaction.enqueue("delete from one_time_tokens where user_id = $1", [user.row.id]);
}
