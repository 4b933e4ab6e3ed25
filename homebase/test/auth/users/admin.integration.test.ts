/**
 * Administration, generated links, hooks, phone codes and disabled features (docs/compat/auth.md 1, 2, 5).
 */
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestBackend } from "../../../src/testing/index.ts";
import { authBackend } from "../../../wings/testing.ts";
import { adminOf, clientOf, follow, fragmentOf, mailTo, PASSWORD } from "../client.ts";

describe("administration", () => {
  let backend: TestBackend;
  beforeAll(async () => {
    backend = await authBackend({ email: { enable_confirmations: true } });
  });
  afterAll(() => backend.drop());

  it("creates users unconfirmed unless told otherwise, and answers 200", async () => {
    const { admin } = adminOf(backend).auth;
    const plain = await admin.createUser({ email: "plain@example.com", password: PASSWORD });
    expect(plain.data.user?.email_confirmed_at).toBeUndefined();
    const id = crypto.randomUUID();
    const { data } = await admin.createUser({
      id,
      email: "made@example.com",
      password: PASSWORD,
      email_confirm: true,
      user_metadata: { name: "Made" },
      app_metadata: { plan: "pro" },
    });
    expect(data.user).toMatchObject({
      id,
      user_metadata: { name: "Made", email_verified: true },
      app_metadata: { provider: "email", providers: ["email"], plan: "pro" },
    });
    const signedIn = await clientOf(backend).auth.signInWithPassword({
      email: "made@example.com",
      password: PASSWORD,
    });
    expect(signedIn.error).toBeNull();
  });

  it("answers HEAD wherever a GET only reads, with the status of the GET and no body", async () => {
    const { data } = await adminOf(backend).auth.admin.createUser({
      email: "head@example.com",
      password: PASSWORD,
    });
    const user = `admin/users/${data.user?.id}`;
    const headers = { apikey: backend.secretKey, authorization: `Bearer ${backend.secretKey}` };
    for (const path of [
      user,
      `${user}/factors`,
      `${user}/passkeys`,
      `admin/custom-providers/${crypto.randomUUID()}`,
    ]) {
      const [got, head] = await Promise.all(
        ["GET", "HEAD"].map((method) => fetch(`${backend.url}/auth/v1/${path}`, { method, headers })),
      );
      expect([path, head?.status]).toEqual([path, got?.status]);
      expect(await head?.text()).toBe("");
      await got?.text();
    }
    await adminOf(backend).auth.admin.deleteUser(data.user?.id ?? "");
  });

  it.each([
    [
      { password: PASSWORD },
      400,
      "validation_failed",
      "Cannot create a user without either an email or phone",
    ],
    [
      { email: "made@example.com" },
      422,
      "email_exists",
      "A user with this email address has already been registered",
    ],
    [
      { email: "x@example.com", ban_duration: "3 days" },
      400,
      "validation_failed",
      'invalid format for ban duration: time: invalid duration "3 days"',
    ],
    [{ email: "x@example.com", id: "7" }, 400, "validation_failed", "ID must conform to the uuid v4 format"],
  ])("refuses %j", async (attributes, status, code, message) => {
    const { error } = await adminOf(backend).auth.admin.createUser(attributes);
    expect(error).toMatchObject({ status, code, message });
  });

  it("lists pages with the total and the next page, without relations", async () => {
    const { data } = await adminOf(backend).auth.admin.listUsers({ page: 1, perPage: 1 });
    expect(data).toMatchObject({ total: 2, nextPage: 2, lastPage: 2, aud: "authenticated" });
    expect(data.users[0]?.identities).toBeNull();
    const response = await fetch(`${backend.url}/auth/v1/admin/users?page=x`, {
      headers: { apikey: backend.secretKey },
    });
    expect(response.status).toBe(400);
  });

  it("merges metadata by key, null deletes, and changes an address at once", async () => {
    const { admin } = adminOf(backend).auth;
    const { data } = await admin.createUser({ email: "merge@example.com", user_metadata: { a: 1, b: 2 } });
    const id = data.user?.id ?? "";
    const { data: changed } = await admin.updateUserById(id, {
      email: "merged@example.com",
      user_metadata: { a: null, c: 3 },
    });
    expect(changed.user).toMatchObject({ email: "merged@example.com", user_metadata: { b: 2, c: 3 } });
    expect(changed.user?.user_metadata).not.toHaveProperty("a");
    expect((await admin.getUserById(id)).data.user?.identities?.[0]?.identity_data).toMatchObject({
      email: "merged@example.com",
    });
  });

  it("deletes, and says 404 afterwards; a soft delete keeps an unrecognisable row", async () => {
    const { admin } = adminOf(backend).auth;
    const { data } = await admin.createUser({ email: "gone@example.com" });
    const id = data.user?.id ?? "";
    expect((await admin.deleteUser(id)).error).toBeNull();
    expect((await admin.getUserById(id)).error).toMatchObject({ status: 404, code: "user_not_found" });
    const { data: soft } = await admin.createUser({ email: "soft@example.com" });
    await admin.deleteUser(soft.user?.id ?? "", true);
    const [row] = await backend.sql("select email, deleted_at from auth.users where id = $1", [
      soft.user?.id,
    ]);
    expect(row?.email).not.toContain("soft");
    expect(row?.deleted_at).not.toBeNull();
  });

  it("invites: the link confirms, and the mail carries the data given", async () => {
    const { data, error } = await adminOf(backend).auth.admin.inviteUserByEmail("guest@example.com", {
      data: { name: "Guest" },
    });
    expect(error).toBeNull();
    expect(data.user?.invited_at).toBeDefined();
    const target = await follow(mailTo(backend, "guest@example.com").link);
    expect(fragmentOf(target).get("type")).toBe("invite");
    const again = await adminOf(backend).auth.admin.inviteUserByEmail("guest@example.com");
    expect(again.error).toMatchObject({ status: 422, code: "email_exists" });
  });

  it("makes links that work without a mail; an unknown address's magic link is a sign-up", async () => {
    const sent = backend.mails.length;
    const { admin } = adminOf(backend).auth;
    const { data } = await admin.generateLink({ type: "magiclink", email: "link@example.com" });
    expect(data.properties?.verification_type).toBe("signup");
    expect(backend.mails.length).toBe(sent);
    const { data: session } = await clientOf(backend).auth.verifyOtp({
      token_hash: data.properties?.hashed_token ?? "",
      type: "signup",
    });
    expect(session.user?.email).toBe("link@example.com");
    expect((await admin.generateLink({ type: "recovery", email: "none@example.com" })).error).toMatchObject({
      status: 404,
      code: "user_not_found",
      message: "User with this email not found",
    });
  });

  it("keeps an audit trail", async () => {
    const response = await fetch(`${backend.url}/auth/v1/admin/audit?query=action:user_invited`, {
      headers: { apikey: backend.secretKey },
    });
    expect(response.headers.get("x-total-count")).toBe("1");
    expect(await response.json()).toMatchObject([{ payload: { action: "user_invited", log_type: "team" } }]);
  });
});

describe("hooks and phones", () => {
  let backend: TestBackend;
  const received: { body: Record<string, unknown>; headers: Record<string, unknown> }[] = [];
  const secret = Buffer.from("a secret of the hook").toString("base64");
  const hook = createServer(async (incoming, outgoing) => {
    let text = "";
    for await (const chunk of incoming) text += chunk;
    const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature } = incoming.headers;
    const expected = createHmac("sha256", Buffer.from(secret, "base64"))
      .update(`${id}.${time}.${text}`)
      .digest("base64");
    received.push({ body: JSON.parse(text), headers: { valid: signature === `v1,${expected}` } });
    outgoing.setHeader("content-type", "application/json");
    const refused = text.includes("refused@example.com");
    outgoing.end(JSON.stringify(refused ? { error: { http_code: 403, message: "Not you." } } : {}));
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
    const uri = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
    backend = await authBackend({
      sms: { enable_signup: true, twilio: { enabled: true }, test_otp: { "+4915112345678": "123456" } },
      hook: {
        before_user_created: { enabled: true, uri, secrets: `v1,whsec_${secret}` },
        custom_access_token: { enabled: true, uri: "pg-functions://postgres/public/claims" },
      },
    });
    await backend.sql(`create function public.claims(event jsonb) returns jsonb language sql as
      $$ select jsonb_build_object('claims', event -> 'claims' || '{"plan":"pro"}') $$`);
    await backend.sql("grant execute on function public.claims(jsonb) to supabase_auth_admin");
  });
  afterAll(async () => {
    await backend.drop();
    hook.close();
  });

  it("signs a call by HTTP, and its refusal reaches the client", async () => {
    const { error } = await clientOf(backend).auth.signUp({
      email: "refused@example.com",
      password: PASSWORD,
    });
    expect(error).toMatchObject({ status: 403, message: "Not you." });
    expect(received.at(-1)).toMatchObject({
      headers: { valid: true },
      body: { metadata: { name: "before-user-created" }, user: { email: "refused@example.com" } },
    });
  });

  it("lets a Postgres function add claims to the access token", async () => {
    const client = clientOf(backend);
    await client.auth.signUp({ email: "claims@example.com", password: PASSWORD });
    expect((await client.auth.getClaims()).data?.claims).toMatchObject({
      plan: "pro",
      email: "claims@example.com",
    });
  });

  it("signs a test number in with its fixed code, and no other", async () => {
    const client = clientOf(backend);
    const phone = "+4915112345678";
    expect((await client.auth.signInWithOtp({ phone })).error).toBeNull();
    const wrong = await client.auth.verifyOtp({ phone, token: "654321", type: "sms" });
    expect(wrong.error).toMatchObject({ status: 403, code: "otp_expired" });
    const { data } = await client.auth.verifyOtp({ phone, token: "123456", type: "sms" });
    expect(data.user?.phone).toBe("4915112345678");
  });
});

describe("what is switched off or missing", () => {
  let backend: TestBackend;
  beforeAll(async () => {
    backend = await authBackend({
      external: { github: { enabled: true, client_id: "id", secret: "secret" } },
    });
  });
  afterAll(() => backend.drop());

  const call = async (path: string, method = "GET", body?: object) => {
    const response = await fetch(`${backend.url}/auth/v1/${path}`, {
      method,
      headers: { apikey: backend.publishableKey },
      redirect: "manual",
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it.each([
    ["signup", "POST", {}, 422, "anonymous_provider_disabled"],
    ["token?grant_type=magic", "POST", {}, 400, "invalid_credentials"],
    ["token?grant_type=web3", "POST", {}, 422, "web3_provider_disabled"],
    ["sso", "POST", {}, 404, "saml_provider_disabled"],
    ["oauth/token", "POST", {}, 404, "feature_disabled"],
    ["passkeys/authentication/options", "POST", {}, 404, "passkey_disabled"],
    ["authorize?provider=gitlab", "GET", undefined, 400, "validation_failed"],
    ["verify?type=signup", "GET", undefined, 400, "validation_failed"],
    ["otp", "POST", { phone: "+4915112345678" }, 400, "phone_provider_disabled"],
  ])("%s (%s %j) answers %i %s", async (path, method, body, status, code) => {
    expect(await call(path, method, body)).toMatchObject({
      status,
      body: { code: status, error_code: code },
    });
  });

  it("says what is wrong with a body that is no JSON", async () => {
    const response = await fetch(`${backend.url}/auth/v1/signup`, {
      method: "POST",
      headers: { apikey: backend.publishableKey },
      body: "{",
    });
    expect(await response.json()).toMatchObject({
      error_code: "bad_json",
      msg: expect.stringMatching(/^Could not parse request body as JSON: /),
    });
  });

  it("demands a captcha where configuration does, but not for a refresh", async () => {
    await using guarded = await authBackend({
      captcha: { enabled: true, provider: "turnstile", secret: "secret" },
    });
    const { error } = await clientOf(guarded).auth.signUp({ email: "a@example.com", password: PASSWORD });
    expect(error).toMatchObject({
      status: 400,
      code: "captcha_failed",
      message: "captcha protection: request disallowed (no captcha_token found)",
    });
    const refreshed = await clientOf(guarded).auth.refreshSession({ refresh_token: "abcdefghijkl" });
    expect(refreshed.error?.code).toBe("refresh_token_not_found");
  });

  it("tells its settings, health and keys", async () => {
    expect((await call("settings")).body).toMatchObject({
      external: { email: true, phone: false, github: true, anonymous_users: false },
      disable_signup: false,
      mailer_autoconfirm: true,
    });
    expect((await call("health")).body).toMatchObject({ name: "GoTrue" });
    const { keys } = (await call(".well-known/jwks.json")).body as { keys: Record<string, unknown>[] };
    expect(keys).toHaveLength(1);
    expect(keys[0]).not.toHaveProperty("d");
  });
});
