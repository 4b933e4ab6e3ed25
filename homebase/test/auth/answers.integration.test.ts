/**
 * Which error is returned when a call has several, and its message (docs/compat/auth.md 1, "Failures by
 * endpoint").
 */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import { adminOf, authBackend, clientOf, mailTo, PASSWORD } from "./client.ts";

const backend = await forThisFile(
  authBackend({
    enable_anonymous_sign_ins: true,
    enable_manual_linking: true,
    email: { enable_confirmations: true, max_frequency: 0 },
    sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0, twilio: { enabled: true } },
    mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
  }),
);

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${backend.url}/auth/v1/${path}`, {
    method,
    headers: { apikey: backend.publishableKey, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const asAdmin = () => ({ authorization: `Bearer ${backend.serviceRoleKey}` });

/** A confirmed user with a password, and a token. */
async function confirmed() {
  const email = `a-${crypto.randomUUID()}@example.com`;
  const { data } = await adminOf(backend).auth.admin.createUser({
    email,
    password: PASSWORD,
    email_confirm: true,
  });
  const client = clientOf(backend);
  const { data: signed } = await client.auth.signInWithPassword({ email, password: PASSWORD });
  const token = { authorization: `Bearer ${signed.session?.access_token}` };
  return { client, email, id: data.user?.id ?? "", token };
}

describe("POST /verify", () => {
  const refusals: [Record<string, unknown>, number, string, string][] = [
    [{ token: "1" }, 400, "validation_failed", "Verify requires a verification type"],
    [{ type: "signup" }, 400, "validation_failed", "Verify requires either a token or a token hash"],
    [
      { type: "signup", token: "1", token_hash: "2" },
      400,
      "validation_failed",
      "Verify requires either a token or a token hash",
    ],
    [
      { type: "signup", token_hash: "2", redirect_to: "/x" },
      400,
      "validation_failed",
      "Only the token_hash and type should be provided",
    ],
    [
      { type: "signup", token: "1" },
      400,
      "validation_failed",
      "Only an email address or phone number should be provided on verify",
    ],
    [{ type: "signup", token: "1", email: "no" }, 422, "validation_failed", "Invalid email format"],
    [
      { type: "sms", token: "1", phone: "no" },
      400,
      "validation_failed",
      "Invalid phone number format (E.164 required)",
    ],
    [{ type: "odd", token_hash: "2" }, 400, "validation_failed", "Invalid email verification type"],
    [
      { type: "odd", token: "1", email: "a@example.com" },
      403,
      "otp_expired",
      "Token has expired or is invalid",
    ],
    [
      { type: "signup", token: "1", phone: "4915112345" },
      403,
      "otp_expired",
      "Token has expired or is invalid",
    ],
    [{ type: "signup", token_hash: "2" }, 403, "otp_expired", "Email link is invalid or has expired"],
  ];
  it.each(refusals)("refuses %j", async (body, status, code, msg) => {
    expect(await call("POST", "verify", body)).toEqual({
      status,
      body: { code: status, error_code: code, msg },
    });
  });

  it("tells a banned user so before it looks at the code", async () => {
    const { email, id } = await confirmed();
    await adminOf(backend).auth.admin.updateUserById(id, { ban_duration: "1h" });
    expect(await call("POST", "verify", { type: "magiclink", token: "000000", email })).toMatchObject({
      status: 403,
      body: { error_code: "user_banned", msg: "User is banned" },
    });
  });

  it("wants the type of a link before its token", async () => {
    expect((await call("GET", "verify")).body.msg).toBe("Verify requires a verification type");
    expect((await call("GET", "verify?type=signup")).body.msg).toBe(
      "Verify requires a token or a token hash",
    );
  });

  it("names the type that `email` stood for in the address that a link leads to", async () => {
    const { email } = await confirmed();
    await clientOf(backend).auth.signInWithOtp({ email });
    const link = mailTo(backend, email).link.replace("type=magiclink", "type=email");
    const response = await fetch(link, { redirect: "manual" });
    expect(response.headers.get("location")).toMatch(/&type=magiclink$/);
  });
});

describe("POST /otp, /magiclink and /resend", () => {
  it("take an address that is none for an unknown user when none may be made", async () => {
    for (const body of [{ email: "no" }, { phone: "no" }, { email: "nobody@example.com" }]) {
      expect(await call("POST", "otp", { ...body, create_user: false })).toMatchObject({
        status: 422,
        body: { error_code: "otp_disabled", msg: "Signups not allowed for otp" },
      });
    }
    expect(await call("POST", "otp", { email: "no" })).toMatchObject({
      status: 400,
      body: { msg: "Unable to validate email address: invalid format" },
    });
    expect(await call("POST", "otp", {})).toMatchObject({
      status: 400,
      body: { msg: "One of email or phone must be set" },
    });
    expect(await call("POST", "otp", { phone: "4915112345", channel: "pigeon" })).toMatchObject({
      status: 400,
      body: { error_code: "validation_failed" },
    });
    expect(await call("POST", "magiclink", {})).toMatchObject({
      status: 422,
      body: { error_code: "validation_failed", msg: "Password recovery requires an email" },
    });
  });

  it("resend a change of address by the number too, of whom there is none", async () => {
    expect(await call("POST", "resend", { type: "email_change", phone: "4915112345" })).toEqual({
      status: 200,
      body: {},
    });
    expect((await call("POST", "resend", { type: "sms" })).body.msg).toBe(
      "Type provided requires a phone number",
    );
  });
});

describe("PUT /user", () => {
  it("judges forms and strength before rights, rights before who has the address", async () => {
    const one = await confirmed();
    const other = await confirmed();
    const put = (body: Record<string, unknown>) => call("PUT", "user", body, one.token);
    expect(await put({ email: "no", password: "x", app_metadata: {} })).toMatchObject({
      body: { msg: "Unable to validate email address: invalid format" },
    });
    expect(await put({ password: "x", app_metadata: {} })).toMatchObject({
      status: 422,
      body: { error_code: "weak_password" },
    });
    expect(await put({ password: PASSWORD, app_metadata: {} })).toMatchObject({
      status: 403,
      body: { error_code: "not_admin" },
    });
    expect(await put({ password: PASSWORD, email: other.email })).toMatchObject({
      status: 422,
      body: { error_code: "email_exists" },
    });
    expect(await put({ password: PASSWORD, email: one.email })).toMatchObject({
      status: 422,
      body: { error_code: "same_password" },
    });
    expect(await put({ phone: "4915112345", channel: "pigeon" })).toMatchObject({ status: 400 });
    expect(await put({ email: one.email, data: { a: 1 } })).toMatchObject({
      status: 200,
      body: { user_metadata: { a: 1 } },
    });
  });

  it("asks aal2 of who has a factor only for what would change", async () => {
    const { client, email, id, token } = await confirmed();
    await backend.sql(
      `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
       values (gen_random_uuid(), $1, 'x', 'totp', 'verified', now(), now(), 'JBSWY3DPEHPK3PXP')`,
      [id],
    );
    expect((await call("PUT", "user", { email, data: { a: 1 } }, token)).status).toBe(200);
    expect((await client.auth.updateUser({ email: `x-${email}` })).error).toMatchObject({
      status: 401,
      code: "insufficient_aal",
    });
  });
});

describe("the administrator", () => {
  const address = () => `m-${crypto.randomUUID()}@example.com`;

  it("is told what a new user lacks", async () => {
    const taken = await confirmed();
    const refusals: [Record<string, unknown>, number, string][] = [
      [{}, 400, "Cannot create a user without either an email or phone"],
      [
        { email: address(), password: "", password_hash: "x" },
        400,
        "Only a password or a password hash should be provided",
      ],
      [{ email: address(), id: "no" }, 400, "ID must conform to the uuid v4 format"],
      [{ email: address(), id: "00000000-0000-0000-0000-000000000000" }, 400, "ID cannot be a nil uuid"],
      [{ email: address(), password: "x".repeat(73) }, 400, "bcrypt: password length exceeds 72 bytes"],
      [{ email: taken.email }, 422, "A user with this email address has already been registered"],
      [{ email: address(), id: taken.id }, 500, "Database error creating new user"],
    ];
    for (const [body, status, msg] of refusals) {
      const answer = await call("POST", "admin/users", body, {
        ...asAdmin(),
        "x-supabase-api-version": "2024-01-01",
      });
      expect(answer).toMatchObject({ status, body: { message: msg } });
    }
  });

  it("changes an address at once, and nothing else with it", async () => {
    const { data } = await clientOf(backend).auth.signInAnonymously();
    const put = (body: Record<string, unknown>) =>
      call("PUT", `admin/users/${data.user?.id}`, body, asAdmin());
    const email = address();
    expect((await put({ email })).body).toMatchObject({
      email,
      is_anonymous: true,
      app_metadata: {},
      identities: [{ provider: "email", identity_data: { email, email_verified: false } }],
    });
    expect((await put({ email, email_confirm: true })).body).toMatchObject({ is_anonymous: false });
    expect(await put({ password: "" })).toMatchObject({ status: 422, body: { error_code: "weak_password" } });
    const other = await confirmed();
    const clash = await call(
      "PUT",
      `admin/users/${other.id}`,
      { email },
      {
        ...asAdmin(),
        "x-supabase-api-version": "2024-01-01",
      },
    );
    expect(clash).toMatchObject({ status: 500, body: { message: "Error updating user" } });
  });

  it("sorts by the time of creation alone", async () => {
    const list = (sort: string) => call("GET", `admin/users?sort=${sort}`, undefined, asAdmin());
    expect((await list("created_at asc")).status).toBe(200);
    expect(await list("email")).toMatchObject({
      status: 400,
      body: { error_code: "validation_failed", msg: "Bad Sort Parameters: bad field for sort 'email'" },
    });
    expect((await list("created_at up")).body.msg).toBe(
      "Bad Sort Parameters: bad direction for sort 'up', only 'asc' and 'desc' allowed",
    );
  });

  it("makes a link for who signed up without touching the password, and merges the data", async () => {
    const email = address();
    await clientOf(backend).auth.signUp({ email, password: PASSWORD, options: { data: { a: 1 } } });
    const made = await call(
      "POST",
      "admin/generate_link",
      { type: "signup", email, data: { b: 2 } },
      asAdmin(),
    );
    expect(made).toMatchObject({ status: 200, body: { user_metadata: { a: 1, b: 2 } } });
    await clientOf(backend).auth.verifyOtp({ token_hash: String(made.body.hashed_token), type: "signup" });
    const { error } = await clientOf(backend).auth.signInWithPassword({ email, password: PASSWORD });
    expect(error).toBeNull();
    expect(
      await call("POST", "admin/generate_link", { type: "signup", email: address() }, asAdmin()),
    ).toMatchObject({
      status: 400,
      body: { msg: "Signup requires a valid password" },
    });
  });
});

describe("identities", () => {
  it("are not unlinked for another audience", async () => {
    const { token } = await confirmed();
    const answer = await call("DELETE", `user/identities/${crypto.randomUUID()}`, undefined, {
      ...token,
      "x-jwt-aud": "elsewhere",
    });
    expect(answer).toMatchObject({ status: 403, body: { error_code: "unexpected_audience" } });
  });
});
