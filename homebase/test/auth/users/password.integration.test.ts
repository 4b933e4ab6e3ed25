/** Password sign-up and sign-in through supabase-js (docs/compat/auth.md 2). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestBackend } from "../../../src/testing/index.ts";
import { adminOf, authBackend, clientOf, follow, fragmentOf, mailTo, PASSWORD } from "../client.ts";

describe("with confirmations off", () => {
  let backend: TestBackend;
  beforeAll(async () => {
    backend = await authBackend();
  });
  afterAll(() => backend.drop());

  it("signs up with a session at once, and shows what the identity says in user_metadata", async () => {
    const client = clientOf(backend);
    const { data, error } = await client.auth.signUp({
      email: "Ada@Example.com",
      password: PASSWORD,
      options: { data: { name: "Ada" } },
    });
    expect(error).toBeNull();
    expect(data.session?.token_type).toBe("bearer");
    expect(data.user?.email).toBe("ada@example.com");
    expect(data.user?.user_metadata).toEqual({
      name: "Ada",
      sub: data.user?.id,
      email: "ada@example.com",
      email_verified: true,
      phone_verified: false,
    });
    expect(data.user?.app_metadata).toEqual({ provider: "email", providers: ["email"] });
    expect(data.user?.role).toBe("authenticated");
    const [identity] = data.user?.identities ?? [];
    expect(identity?.id).toBe(data.user?.id);
    expect(identity?.identity_id).not.toBe(data.user?.id);
    expect((await client.auth.getUser()).data.user?.id).toBe(data.user?.id);
  });

  it("signs ES256 tokens with the claims of the real server, verifiable by its JWKS", async () => {
    const client = clientOf(backend);
    const { data } = await client.auth.signUp({ email: "claims@example.com", password: PASSWORD });
    const { data: checked } = await client.auth.getClaims();
    expect(checked?.header.alg).toBe("ES256");
    expect(Object.keys(checked?.claims ?? {})).toEqual([
      "iss",
      "sub",
      "aud",
      "exp",
      "iat",
      "email",
      "phone",
      "app_metadata",
      "user_metadata",
      "role",
      "aal",
      "amr",
      "session_id",
      "is_anonymous",
    ]);
    expect(checked?.claims).toMatchObject({
      iss: `${backend.url}/auth/v1`,
      sub: data.user?.id,
      aud: "authenticated",
      phone: "",
      aal: "aal1",
      amr: [{ method: "password" }],
      is_anonymous: false,
    });
    expect((checked?.claims.exp ?? 0) - (checked?.claims.iat ?? 0)).toBe(3600);
  });

  it("refuses a registered address with user_already_exists", async () => {
    await clientOf(backend).auth.signUp({ email: "twice@example.com", password: PASSWORD });
    const { error } = await clientOf(backend).auth.signUp({ email: "twice@example.com", password: PASSWORD });
    expect(error).toMatchObject({
      status: 422,
      code: "user_already_exists",
      message: "User already registered",
    });
  });

  it("answers two sign-ups of one address at the same moment with one user", async () => {
    const attempts = [1, 2].map(() =>
      clientOf(backend).auth.signUp({ email: "race@example.com", password: PASSWORD }),
    );
    const errors = (await Promise.all(attempts)).map(({ error }) => error?.code);
    expect(errors.filter((code) => code === undefined)).toHaveLength(1);
    expect(errors).toContain("user_already_exists");
  });

  it.each([
    ["an unknown user", "nobody@example.com", PASSWORD],
    ["a wrong password", "login@example.com", "wrong password"],
  ])("refuses sign-in of %s with invalid_credentials", async (_case, email, password) => {
    await clientOf(backend).auth.signUp({ email: "login@example.com", password: PASSWORD });
    const { error } = await clientOf(backend).auth.signInWithPassword({ email, password });
    expect(error).toMatchObject({
      status: 400,
      code: "invalid_credentials",
      message: "Invalid login credentials",
    });
  });

  it("refuses a short password with its reasons", async () => {
    const { error } = await clientOf(backend).auth.signUp({ email: "weak@example.com", password: "abc" });
    expect(error).toMatchObject({
      name: "AuthWeakPasswordError",
      status: 422,
      code: "weak_password",
      message: "Password should be at least 6 characters.",
      reasons: ["length"],
    });
  });

  it.each([
    ["not-an-address", "Unable to validate email address: invalid format"],
    [`${"a".repeat(250)}@example.com`, "An email address is too long"],
  ])("refuses the address %s", async (email, message) => {
    const { error } = await clientOf(backend).auth.signUp({ email, password: PASSWORD });
    expect(error).toMatchObject({ status: 400, code: "validation_failed", message });
  });

  it("lets a user in whom SQL made with crypt()", async () => {
    await backend.sql(
      `with made as (
         insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
           raw_app_meta_data, raw_user_meta_data, created_at, updated_at, confirmation_token, recovery_token,
           email_change_token_new, email_change)
         values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',
           'seed@example.com', extensions.crypt($1, extensions.gen_salt('bf')), now(),
           '{"provider":"email","providers":["email"]}', '{}', now(), now(), '', '', '', '') returning id)
       insert into auth.identities (user_id, provider_id, identity_data, provider, created_at, updated_at)
       select id, id::text, jsonb_build_object('sub', id::text, 'email', 'seed@example.com'), 'email', now(), now()
       from made`,
      [PASSWORD],
    );
    const { data, error } = await clientOf(backend).auth.signInWithPassword({
      email: "seed@example.com",
      password: PASSWORD,
    });
    expect(error).toBeNull();
    expect(data.user?.last_sign_in_at).toBeDefined();
  });

  it("fails as the real server does on a seed that left token columns null", async () => {
    await backend.sql(
      `insert into auth.users (instance_id, id, aud, role, email, encrypted_password, created_at, updated_at)
       values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',
         'nulls@example.com', 'x', now(), now())`,
    );
    const response = await fetch(`${backend.url}/auth/v1/token?grant_type=password`, {
      method: "POST",
      headers: { apikey: backend.publishableKey },
      body: JSON.stringify({ email: "nulls@example.com", password: PASSWORD }),
    });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      code: 500,
      error_code: "unexpected_failure",
      msg: "Database error querying schema",
    });
  });

  it("hides a failing trigger on auth.users behind 'Database error saving new user', and rolls back", async () => {
    await backend.sql(
      `create function public.refuse() returns trigger language plpgsql as
       $$ begin if new.email like 'trigger%' then raise exception 'no'; end if; return new; end $$`,
    );
    await backend.sql(
      "create trigger refuse after insert on auth.users for each row execute function public.refuse()",
    );
    await backend.sql("grant execute on function public.refuse() to supabase_auth_admin");
    const response = await fetch(`${backend.url}/auth/v1/signup`, {
      method: "POST",
      headers: { apikey: backend.publishableKey, "x-supabase-api-version": "2024-01-01" },
      body: JSON.stringify({ email: "trigger@example.com", password: PASSWORD }),
    });
    expect(response.status).toBe(500);
    expect(response.headers.get("x-supabase-api-version")).toBe("2024-01-01");
    expect(await response.json()).toEqual({
      code: "unexpected_failure",
      message: "Database error saving new user",
    });
    expect(await backend.sql("select 1 from auth.users where email = 'trigger@example.com'")).toEqual([]);
  });

  it("refuses a banned user before the password is looked at, and lets them in when the ban ends", async () => {
    const { data } = await clientOf(backend).auth.signUp({ email: "ban@example.com", password: PASSWORD });
    await adminOf(backend).auth.admin.updateUserById(data.user?.id ?? "", { ban_duration: "24h" });
    const attempt = () =>
      clientOf(backend).auth.signInWithPassword({ email: "ban@example.com", password: PASSWORD });
    expect((await attempt()).error).toMatchObject({
      status: 400,
      code: "user_banned",
      message: "User is banned",
    });
    backend.clock.advance(25 * 3_600_000);
    expect((await attempt()).error).toBeNull();
    backend.clock.reset();
  });
});

describe("with confirmations on", () => {
  let backend: TestBackend;
  beforeAll(async () => {
    backend = await authBackend({
      email: { enable_confirmations: true },
      sms: { enable_confirmations: true },
    });
  });
  afterAll(() => backend.drop());

  it("gives no session before the address is confirmed by the link", async () => {
    const client = clientOf(backend);
    const { data } = await client.auth.signUp({ email: "link@example.com", password: PASSWORD });
    expect(data.session).toBeNull();
    expect(data.user?.confirmation_sent_at).toBeDefined();
    const early = await client.auth.signInWithPassword({ email: "link@example.com", password: PASSWORD });
    expect(early.error).toMatchObject({
      status: 400,
      code: "email_not_confirmed",
      message: "Email not confirmed",
    });

    const target = await follow(mailTo(backend, "link@example.com").link);
    expect(target.origin).toBe("http://127.0.0.1:3000");
    const fragment = fragmentOf(target);
    expect([...fragment.keys()]).toEqual([
      "access_token",
      "expires_at",
      "expires_in",
      "refresh_token",
      "sb",
      "token_type",
      "type",
    ]);
    expect(fragment.get("type")).toBe("signup");
    expect(
      (await client.auth.signInWithPassword({ email: "link@example.com", password: PASSWORD })).error,
    ).toBeNull();
  });

  it("confirms by the code, once", async () => {
    const client = clientOf(backend);
    await client.auth.signUp({ email: "code@example.com", password: PASSWORD });
    const verify = {
      email: "code@example.com",
      token: mailTo(backend, "code@example.com").code,
      type: "email",
    } as const;
    const { data } = await client.auth.verifyOtp(verify);
    expect(data.user?.email_confirmed_at).toBeDefined();
    expect(data.user?.user_metadata.email_verified).toBe(true);
    expect((await client.auth.verifyOtp(verify)).error).toMatchObject({
      status: 403,
      code: "otp_expired",
      message: "Token has expired or is invalid",
    });
  });

  it("exchanges a PKCE link's code for a session with the flow as its method", async () => {
    const client = clientOf(backend, { pkce: true });
    await client.auth.signUp({
      email: "pkce@example.com",
      password: PASSWORD,
      options: { emailRedirectTo: "http://127.0.0.1:3000/welcome" },
    });
    const { link } = mailTo(backend, "pkce@example.com");
    expect(new URL(link).searchParams.get("token")).toMatch(/^pkce_[0-9a-f]{56}$/);
    const target = await follow(link);
    expect(target.pathname).toBe("/welcome");
    const { data, error } = await client.auth.exchangeCodeForSession(target.searchParams.get("code") ?? "");
    expect(error).toBeNull();
    expect(data.session?.user.email).toBe("pkce@example.com");
    const { data: checked } = await client.auth.getClaims();
    expect(checked?.claims.amr).toMatchObject([{ method: "email/signup" }]);
  });

  it("leads a link that has grown old back to the app with otp_expired", async () => {
    await clientOf(backend).auth.signUp({ email: "old@example.com", password: PASSWORD });
    backend.clock.advance(3_601_000);
    const target = await follow(mailTo(backend, "old@example.com").link);
    backend.clock.reset();
    expect(target.hash).toBe(
      "#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired&sb=",
    );
  });

  it("answers a confirmed address with a user without identities, and sends nothing", async () => {
    const client = clientOf(backend);
    await client.auth.signUp({ email: "known@example.com", password: PASSWORD });
    await client.auth.verifyOtp({
      email: "known@example.com",
      token: mailTo(backend, "known@example.com").code,
      type: "signup",
    });
    const sent = backend.mails.length;
    const { data, error } = await clientOf(backend).auth.signUp({
      email: "known@example.com",
      password: PASSWORD,
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ identities: [], role: "", email: "known@example.com" });
    expect(backend.mails.length).toBe(sent);
  });

  it("does not change an unconfirmed user's password on a second sign-up, and spaces the mails", async () => {
    const client = clientOf(backend);
    await client.auth.signUp({ email: "again@example.com", password: PASSWORD });
    const early = await client.auth.signUp({ email: "again@example.com", password: "another password" });
    expect(early.error).toMatchObject({
      status: 429,
      code: "over_email_send_rate_limit",
      message: "For security purposes, you can only request this after 0 seconds.",
    });
    backend.clock.advance(2_000);
    await client.auth.signUp({ email: "again@example.com", password: "another password" });
    backend.clock.reset();
    await client.auth.verifyOtp({
      email: "again@example.com",
      token: mailTo(backend, "again@example.com").code,
      type: "signup",
    });
    const { error } = await client.auth.signInWithPassword({
      email: "again@example.com",
      password: PASSWORD,
    });
    expect(error).toBeNull();
  });
});
