/** Records of calls: the audit trail, tokens and sessions (docs/compat/auth.md 3, "Audit payload"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestBackend } from "../../src/testing/index.ts";
import { adminOf, authBackend, clientOf, mailTo, PASSWORD } from "./client.ts";

interface Entry extends Record<string, unknown> {
  action: string;
  log_type: string;
  actor_username: string;
  traits: Record<string, unknown> | null;
}

/** Runs a function and returns the entries that it added to the trail, in order. */
async function added(backend: TestBackend, work: () => Promise<unknown>): Promise<Entry[]> {
  const before = await backend.sql<{ id: string }>("select id from auth.audit_log_entries");
  await work();
  // Entries of one request have the same time; the physical order is the insertion order.
  return backend.sql<Entry>(
    `select payload ->> 'action' as action, payload ->> 'log_type' as log_type,
       payload ->> 'actor_username' as actor_username, payload -> 'traits' as traits
     from auth.audit_log_entries where not (id = any($1)) order by created_at, ctid`,
    [before.map(({ id }) => id)],
  );
}

const actions = (entries: Entry[]) => entries.map(({ action }) => action);
const address = () => `t-${crypto.randomUUID()}@example.com`;

describe("without confirmations", () => {
  let backend: TestBackend;
  beforeAll(async () => {
    backend = await authBackend({
      sms: { enable_signup: true, twilio: { enabled: true }, test_otp: { "4915112345": "123456" } },
    });
  });
  afterAll(() => backend.drop());

  it("a sign-up is a sign-up and a login; a second one is told of", async () => {
    const email = address();
    const sign = () => clientOf(backend).auth.signUp({ email, password: PASSWORD });
    expect(await added(backend, sign)).toMatchObject([
      { action: "user_signedup", log_type: "team", actor_username: email, traits: { provider: "email" } },
      { action: "login", log_type: "account", traits: { provider: "email" } },
    ]);
    expect(await added(backend, sign)).toMatchObject([
      { action: "user_repeated_signup", log_type: "user", traits: { provider: "email" } },
    ]);
  });

  it("a number that signs up by a code is confirmed at once, and gets the code's message id", async () => {
    const client = clientOf(backend);
    let id: string | null | undefined;
    const entries = await added(backend, async () => {
      id = (await client.auth.signInWithOtp({ phone: "+4915112345" })).data.messageId;
    });
    expect(id).toBe("test-otp");
    expect(entries).toMatchObject([
      { action: "user_signedup", traits: { provider: "phone", channel: "sms" } },
      { action: "login", traits: { provider: "phone" } },
      { action: "user_recovery_requested", traits: { channel: "sms" } },
    ]);
    const { data } = await client.auth.verifyOtp({ phone: "+4915112345", token: "123456", type: "sms" });
    expect(data.user?.phone_confirmed_at).toBeTruthy();
    expect(data.user?.user_metadata.phone_verified).toBe(false);
  });

  it("a refresh notes the refresh, then the token it revokes; a repeated one only the refresh", async () => {
    const client = clientOf(backend);
    const { data } = await client.auth.signUp({ email: address(), password: PASSWORD });
    const old = { refresh_token: data.session?.refresh_token ?? "" };
    expect(actions(await added(backend, () => client.auth.refreshSession(old)))).toEqual([
      "token_refreshed",
      "token_revoked",
    ]);
    expect(actions(await added(backend, () => client.auth.refreshSession(old)))).toEqual(["token_refreshed"]);
  });

  it("an administrator's calls are the service role's, and name the user", async () => {
    const { admin } = adminOf(backend).auth;
    const email = address();
    let id = "";
    const made = await added(backend, async () => {
      id = (await admin.createUser({ email })).data.user?.id ?? "";
    });
    const about = { user_id: id, user_email: email, user_phone: "" };
    expect(made).toMatchObject([{ action: "user_signedup", actor_username: "service_role", traits: about }]);
    expect(await added(backend, () => admin.updateUserById(id, { role: "cook" }))).toMatchObject([
      { action: "user_modified", actor_username: "service_role", traits: about },
    ]);
    expect(actions(await added(backend, () => admin.generateLink({ type: "recovery", email })))).toEqual([
      "user_recovery_requested",
    ]);
    expect(
      actions(await added(backend, () => admin.generateLink({ type: "invite", email: address() }))),
    ).toEqual(["user_invited"]);
    expect(await added(backend, () => admin.deleteUser(id))).toMatchObject([
      { action: "user_deleted", log_type: "team", traits: { user_id: id } },
    ]);
  });

  it("a new password voids every code that is under way, and the times they were sent at", async () => {
    const client = clientOf(backend);
    const email = address();
    const { data } = await client.auth.signUp({ email, password: PASSWORD });
    await client.auth.resetPasswordForEmail(email);
    await client.auth.updateUser({ email: `new-${email}` });
    await client.auth.reauthenticate();
    const columns = `select recovery_token <> '' or email_change_token_new <> '' or reauthentication_token <> '' as codes,
      recovery_sent_at is not null or email_change_sent_at is not null or reauthentication_sent_at is not null as times,
      (select count(*)::int from auth.one_time_tokens t where t.user_id = u.id) as tokens
      from auth.users u where id = $1`;
    expect(await backend.sql(columns, [data.user?.id])).toEqual([{ codes: true, times: true, tokens: 4 }]);
    expect(
      actions(await added(backend, () => client.auth.updateUser({ password: `new ${PASSWORD}` }))),
    ).toEqual(["user_updated_password", "user_modified"]);
    expect(await backend.sql(columns, [data.user?.id])).toEqual([{ codes: false, times: false, tokens: 0 }]);
  });
});

describe("with confirmations", () => {
  let backend: TestBackend;
  beforeAll(async () => {
    backend = await authBackend({ email: { enable_confirmations: true, max_frequency: 0 } });
  });
  afterAll(() => backend.drop());

  it("a sign-up asks first; the link signs up, and a magic link logs in", async () => {
    const email = address();
    const client = clientOf(backend);
    expect(actions(await added(backend, () => client.auth.signUp({ email, password: PASSWORD })))).toEqual([
      "user_confirmation_requested",
    ]);
    expect(actions(await added(backend, () => client.auth.resend({ type: "signup", email })))).toEqual([
      "user_confirmation_requested",
    ]);
    const verify = (type: "signup" | "magiclink") =>
      client.auth.verifyOtp({ email, token: mailTo(backend, email).code, type });
    expect(await added(backend, () => verify("signup"))).toMatchObject([
      { action: "user_signedup", traits: null },
    ]);
    await client.auth.signInWithOtp({ email });
    expect(actions(await added(backend, () => verify("magiclink")))).toEqual(["login"]);
  });

  it("an invited user's data are the administrator's, and not shown to who signs up with the address", async () => {
    const email = address();
    const invited = await adminOf(backend).auth.admin.inviteUserByEmail(email, { data: { plan: "gold" } });
    expect(invited.data.user?.user_metadata).toEqual({ plan: "gold" });
    const { data } = await clientOf(backend).auth.signUp({ email, password: PASSWORD });
    expect(data.user).toMatchObject({ id: invited.data.user?.id, user_metadata: {}, identities: [] });
    await adminOf(backend).auth.admin.inviteUserByEmail(email);
    const accepted = await clientOf(backend).auth.verifyOtp({
      email,
      token: mailTo(backend, email).code,
      type: "invite",
    });
    expect(accepted.data.user?.user_metadata).toEqual({ plan: "gold", email_verified: true });
    expect(accepted.data.user?.identities).toMatchObject([
      { identity_data: { email, email_verified: true } },
    ]);
  });

  it("an address that an identity of somebody has cannot be signed up with", async () => {
    const email = address();
    const { data } = await adminOf(backend).auth.admin.createUser({ email: address(), email_confirm: true });
    await backend.sql(
      `insert into auth.identities (user_id, provider_id, provider, identity_data, created_at, updated_at)
       values ($1, 'gh', 'github', jsonb_build_object('sub', 'gh', 'email', $2::text), now(), now())`,
      [data.user?.id, email],
    );
    const signed = await clientOf(backend).auth.signUp({ email, password: PASSWORD });
    expect(signed.error).toMatchObject({ status: 422, code: "user_already_exists" });
    const made = await adminOf(backend).auth.admin.createUser({ email });
    expect(made.error).toMatchObject({ status: 422, code: "email_exists" });
  });
});
