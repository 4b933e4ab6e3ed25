/** Owns the admin endpoints for users: create, list, get, update, delete (docs/compat/auth.md 1, 2). */

import { createHash } from "node:crypto";
import { z } from "zod";
import { duration } from "../../config/schema.ts";
import { isUuid, NIL } from "../../core/uuid.ts";
import type { ServiceResponse } from "../../http/exchange.ts";
import { type Call, read, transact } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { checkEmail, checkPhone } from "../kit/client-input.ts";
import type { AuthEndpoint } from "../kit/endpoint.ts";
import {
  DatabaseFailure,
  emailTaken,
  unexpected,
  unprocessable,
  validationFailed,
  writeFailure,
} from "../kit/errors.ts";
import { pageHeaders, readPage } from "../kit/paging.ts";
import { type AuthRequest, fields, json } from "../kit/request-fields.ts";
import { endSessions } from "../sessions/sessions.ts";
import { audit } from "../users/audit-record.ts";
import { checkStrength, hashPassword, isPasswordHash, randomPassword } from "../users/passwords.ts";
import { audienceOf } from "../users/signed-in-caller.ts";
import { listedUserJson, type Metadata, type User, type UserRow, userJson } from "../users/user.ts";
import {
  clearOneTimeTokens,
  findByPhone,
  findOwnerOfEmail,
  insertIdentity,
  insertUser,
  mergeMetadata,
  namedUser,
  newUser,
  storePassword,
  updateIdentity,
  updateUser,
} from "../users/users.ts";

const userBody = z.object({
  id: z.string().default(""),
  aud: z.string().default(""),
  role: z.string().default(""),
  email: z.string().default(""),
  phone: z.string().default(""),
  password: z.string().optional(),
  password_hash: z.string().default(""),
  email_confirm: z.boolean().default(false),
  phone_confirm: z.boolean().default(false),
  user_metadata: z.record(z.string(), z.unknown()).optional(),
  app_metadata: z.record(z.string(), z.unknown()).optional(),
  ban_duration: z.string().default(""),
});

/** POST /admin/users */
export async function createByAdmin(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const given = await fields(request, userBody);
  const email = given.email === "" ? "" : checkEmail(given.email);
  const phone = given.phone === "" ? "" : checkPhone(given.phone);
  if (email === "" && phone === "")
    throw validationFailed("Cannot create a user without either an email or phone");
  if (given.password !== undefined && given.password_hash !== "") {
    throw validationFailed("Only a password or a password hash should be provided");
  }
  if (given.id !== "" && !isUuid(given.id)) throw validationFailed("ID must conform to the uuid v4 format");
  if (given.id === NIL) throw validationFailed("ID cannot be a nil uuid");
  if (given.password_hash !== "" && !isPasswordHash(given.password_hash)) {
    throw unexpected("Error creating user");
  }
  const banned = banEnd(auth, given.ban_duration);
  const password = given.password_hash || (await hashPassword(given.password || randomPassword()));
  const aud = given.aud || audienceOf(request);
  const user = await transact(auth, request, async (call) => {
    if (email && (await findOwnerOfEmail(call, email, aud))) throw emailTaken();
    if (phone && (await findByPhone(call, phone, aud))) {
      throw unprocessable("phone_exists", "Phone number already registered by another user");
    }
    const user = await create(call, { ...given, email, phone, aud, password, banned });
    audit(call, "user_signedup", undefined, traitsOf(user));
    return user;
  });
  return json(200, userJson(user));
}

/** The user that the audit entry of an admin action refers to. */
function traitsOf({ row }: User): Record<string, unknown> {
  return { user_id: row.id, user_email: row.email ?? "", user_phone: row.phone ?? "" };
}

interface AdminUser {
  id: string;
  aud: string;
  role: string;
  email: string;
  phone: string;
  /** A password hash from another system. */
  password: string;
  email_confirm: boolean;
  phone_confirm: boolean;
  user_metadata?: Metadata;
  app_metadata?: Metadata;
  banned: string | null | undefined;
}

async function create(call: Call, given: AdminUser): Promise<User> {
  const { now } = call;
  const providers = [...(given.email ? ["email"] : []), ...(given.phone ? ["phone"] : [])];
  const appMetadata = { provider: providers[0], providers };
  const user = newUser(
    {
      ...(given.id ? { id: given.id } : {}),
      aud: given.aud,
      email: given.email,
      phone: given.phone,
      password: given.password,
      appMetadata,
      userMetadata: given.user_metadata ?? {},
    },
    now,
  );
  const failed = (error: unknown) => writeFailure("Database error creating new user", error);
  insertUser(call, user, given.role.trim() || "authenticated", failed);
  const verified = { email_verified: false, phone_verified: false };
  if (given.email) {
    const data = { sub: user.row.id, email: given.email, ...verified };
    insertIdentity(call, user, "email", user.row.id, data);
  }
  if (given.phone) {
    const data = { sub: user.row.id, phone: given.phone, ...verified };
    insertIdentity(call, user, "phone", user.row.id, data);
  }
  const changes: Partial<UserRow> = {
    raw_app_meta_data: mergeMetadata(appMetadata, given.app_metadata ?? {}),
  };
  if (given.email && given.email_confirm) {
    changes.email_confirmed_at = now;
    changes.raw_user_meta_data = { ...user.row.raw_user_meta_data, email_verified: true };
  }
  if (given.phone && given.phone_confirm) {
    changes.phone_confirmed_at = now;
  }
  if (given.banned !== undefined) changes.banned_until = given.banned;
  updateUser(call, user, changes);
  return user;
}

/** When a ban ends; null for "none", undefined when absent. @throws AuthError validation_failed */
function banEnd(auth: Auth, text: string): string | null | undefined {
  if (text === "") return undefined;
  if (text === "none") return null;
  const parsed = duration.safeParse(text);
  if (!parsed.success)
    throw validationFailed(`invalid format for ban duration: time: invalid duration "${text}"`);
  return new Date(auth.context.clock.now() + parsed.data).toISOString();
}

/** `created_at asc` or `desc`; other columns are not supported. @throws AuthError validation_failed */
function readSort(text: string | null): "asc" | "desc" {
  if (text === null) return "desc";
  const [field = "", direction = "desc"] = text.split(/ (.*)/s);
  if (field !== "created_at") throw validationFailed(`Bad Sort Parameters: bad field for sort '${field}'`);
  const known = direction.toLowerCase();
  if (known === "asc" || known === "desc") return known;
  throw validationFailed(
    `Bad Sort Parameters: bad direction for sort '${direction}', only 'asc' and 'desc' allowed`,
  );
}

/** GET /admin/users */
export async function listUsers(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const page = readPage(request.query);
  const direction = readSort(request.query.get("sort"));
  const filter = request.query.get("filter") ?? "";
  const audience = audienceOf(request);
  const where = `u.instance_id = '${NIL}' and u.aud = $1 and
    ($2 = '' or u.email like '%' || $2 || '%' or u.raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%')`;
  const [counted] = await read<{ total: string; users: UserRow[] }>(
    auth.context.database,
    `select (select count(*) from users u where ${where}) as total,
       coalesce((select jsonb_agg(to_jsonb(p) order by p.position) from (
         select u.*, row_number() over (order by u.created_at ${direction}, u.id) as position
         from users u where ${where} order by position limit $3 offset $4) p), '[]') as users`,
    [audience, filter, page.size, (page.number - 1) * page.size],
  );
  const users = (counted?.users ?? []).map((row) =>
    listedUserJson({
      ...row,
      raw_app_meta_data: row.raw_app_meta_data ?? {},
      raw_user_meta_data: row.raw_user_meta_data ?? {},
    }),
  );
  const headers = pageHeaders("/admin/users", request.query, page, Number(counted?.total ?? 0));
  return json(200, { users, aud: audience }, headers);
}

/** GET /admin/users/{id} */
export const getByAdmin: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  const user = await transact(auth, request, (call) => namedUser(call, id));
  return json(200, userJson(user));
};

/** PUT /admin/users/{id}: changes apply immediately, without mail. */
export const updateByAdmin: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  const given = await fields(request, userBody);
  const email = given.email === "" ? "" : checkEmail(given.email);
  const phone = given.phone === "" ? "" : checkPhone(given.phone);
  const banned = banEnd(auth, given.ban_duration);
  if (given.password !== undefined) checkStrength(auth.config, given.password);
  const password = given.password === undefined ? undefined : await hashPassword(given.password);
  const user = await transact(auth, request, async (call) => {
    const user = await namedUser(call, id);
    const { now } = call;
    const changes: Partial<UserRow> = {};
    if (given.role) changes.role = given.role.trim();
    if (given.email_confirm) changes.email_confirmed_at = now;
    if (given.phone_confirm) changes.phone_confirmed_at = now;
    if (given.email_confirm || given.phone_confirm) {
      changes.confirmation_token = "";
      clearOneTimeTokens(call, user);
    }
    if (banned !== undefined) changes.banned_until = banned;
    if (email) {
      changes.email = email;
      putIdentity(call, user, "email", { email, email_verified: given.email_confirm });
    }
    if (phone) {
      changes.phone = phone;
      putIdentity(call, user, "phone", { phone, phone_verified: given.phone_confirm });
    }
    if (given.app_metadata) {
      changes.raw_app_meta_data = mergeMetadata(user.row.raw_app_meta_data, given.app_metadata);
    }
    if (given.user_metadata || given.email_confirm) {
      changes.raw_user_meta_data = {
        ...mergeMetadata(user.row.raw_user_meta_data, given.user_metadata ?? {}),
        ...(given.email_confirm ? { email_verified: true } : {}),
      };
    }
    if (password !== undefined) {
      storePassword(call, user, password);
      endSessions(call, user.row.id, "global", undefined);
    }
    if ((email && given.email_confirm) || (phone && given.phone_confirm)) changes.is_anonymous = false;
    updateUser(call, user, changes, (error) => new DatabaseFailure("Error updating user", error));
    audit(call, "user_modified", undefined, traitsOf(user));
    return user;
  });
  return json(200, userJson(user));
};

function putIdentity(call: Call, user: User, provider: string, data: Metadata): void {
  const present = user.identities.find((identity) => identity.provider === provider);
  if (present) updateIdentity(call, present, data);
  else {
    const complete = { sub: user.row.id, email_verified: false, phone_verified: false, ...data };
    insertIdentity(call, user, provider, user.row.id, complete);
  }
}

const deleteBody = z.object({ should_soft_delete: z.boolean().default(false) });

/** DELETE /admin/users/{id} */
export const deleteByAdmin: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  const { should_soft_delete: soft } = await fields(request, deleteBody, true);
  await transact(auth, request, async (call) => {
    const user = await namedUser(call, id);
    audit(call, "user_deleted", undefined, traitsOf(user));
    if (soft && user.row.deleted_at !== null) return;
    if (soft) softDelete(call, user);
    else call.enqueue("delete from users where id = $1", [user.row.id]);
  });
  return json(200, {});
};

/** Soft-deletes a user: personal data is replaced by hashes. */
function softDelete(call: Call, user: User): void {
  const obscure = (text: string) =>
    createHash("sha256")
      .update(user.row.id + text)
      .digest("base64url");
  for (const identity of user.identities) {
    call.enqueue(
      "update identities set provider_id = $2, identity_data = '{}', updated_at = $3 where id = $1",
      [identity.id, obscure(`${identity.provider}:${identity.provider_id}`), call.now],
    );
  }
  clearOneTimeTokens(call, user);
  endSessions(call, user.row.id, "global", undefined);
  call.enqueue("delete from mfa_factors where user_id = $1", [user.row.id]);
  call.enqueue("delete from webauthn_credentials where user_id = $1", [user.row.id]);
  updateUser(call, user, {
    email: user.row.email ? obscure(user.row.email) : null,
    // The column is unique and upstream stores at most fifteen characters.
    phone: user.row.phone ? obscure(user.row.phone).slice(0, 15) : null,
    encrypted_password: null,
    email_change: "",
    phone_change: "",
    confirmation_token: "",
    recovery_token: "",
    reauthentication_token: "",
    email_change_token_current: "",
    email_change_token_new: "",
    phone_change_token: "",
    raw_app_meta_data: {},
    raw_user_meta_data: {},
    deleted_at: call.now,
  });
}
