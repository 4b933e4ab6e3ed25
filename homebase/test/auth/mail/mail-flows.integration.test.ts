/** Links and codes by mail: magic link, recovery, change of address, reauthentication, anonymous users. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { authBackend, clientOf, follow, fragmentOf, mailTo, PASSWORD } from "../client.ts";

const backend = await forThisFile(
  authBackend({
    enable_anonymous_sign_ins: true,
    additional_redirect_urls: ["https://*.example.com/**"],
    email: { enable_confirmations: true, secure_password_change: true },
    sms: { enable_confirmations: true },
  }),
);

let count = 0;
async function confirmed() {
  const client = clientOf(backend);
  const email = `flow${count++}@example.com`;
  await client.auth.signUp({ email, password: PASSWORD });
  const { data, error } = await client.auth.verifyOtp({
    email,
    token: mailTo(backend, email).code,
    type: "signup",
  });
  if (error || !data.user) throw error ?? new Error("no user");
  backend.clock.advance(2_000);
  return { client, email, id: data.user.id };
}

describe("magic link", () => {
  it("sends a new address the confirmation, whose hash is no magic link", async () => {
    const client = clientOf(backend);
    await client.auth.signInWithOtp({ email: "new@example.com" });
    const { link, code, subject } = mailTo(backend, "new@example.com");
    expect(subject).toBe("Confirm your email address");
    const hash = new URL(link).searchParams.get("token") ?? "";
    const wrong = await client.auth.verifyOtp({ token_hash: hash, type: "magiclink" });
    expect(wrong.error).toMatchObject({
      code: "otp_expired",
      message: "Email link is invalid or has expired",
    });
    const { data } = await client.auth.verifyOtp({ email: "new@example.com", token: code, type: "email" });
    expect(data.session?.user.email).toBe("new@example.com");
  });

  it("leads a confirmed user to an allowed address, else to the site", async () => {
    const { client, email } = await confirmed();
    const send = async (redirect: string) => {
      backend.clock.advance(2_000);
      await client.auth.signInWithOtp({ email, options: { emailRedirectTo: redirect } });
      return follow(mailTo(backend, email).link);
    };
    const allowed = await send("https://app.example.com/in/side?a=1&b=2");
    expect(`${allowed.origin}${allowed.pathname}${allowed.search}`).toBe(
      "https://app.example.com/in/side?a=1&b=2",
    );
    expect(fragmentOf(allowed).get("type")).toBe("magiclink");
    expect((await send("https://evil.test/")).origin).toBe("http://127.0.0.1:3000");
  });

  it("refuses an unknown address where no user may be made: otp_disabled", async () => {
    const { error } = await clientOf(backend).auth.signInWithOtp({
      email: "stranger@example.com",
      options: { shouldCreateUser: false },
    });
    expect(error).toMatchObject({
      status: 422,
      code: "otp_disabled",
      message: "Signups not allowed for otp",
    });
  });
});

describe("recovery", () => {
  it("answers an unknown address as a known one, and sends nothing", async () => {
    const sent = backend.mails.length;
    expect((await clientOf(backend).auth.resetPasswordForEmail("nobody@example.com")).error).toBeNull();
    expect(backend.mails.length).toBe(sent);
  });

  it("lets a new password be set, which ends the other sessions and no other outlives", async () => {
    const { client, email } = await confirmed();
    const second = clientOf(backend, { pkce: true });
    await second.auth.resetPasswordForEmail(email);
    const code = (await follow(mailTo(backend, email).link)).searchParams.get("code") ?? "";
    expect((await second.auth.exchangeCodeForSession(code)).error).toBeNull();
    expect((await second.auth.updateUser({ password: PASSWORD })).error).toMatchObject({
      status: 422,
      code: "same_password",
    });
    expect((await second.auth.updateUser({ password: "another password" })).error).toBeNull();
    expect((await client.auth.getUser()).error).not.toBeNull();
    expect((await second.auth.getUser()).error).toBeNull();
    expect((await client.auth.signInWithPassword({ email, password: "another password" })).error).toBeNull();
  });

  it("refuses a PKCE code with another verifier, and one that has grown old", async () => {
    const { email } = await confirmed();
    const client = clientOf(backend, { pkce: true });
    await client.auth.resetPasswordForEmail(email);
    const target = await follow(mailTo(backend, email).link);
    const exchange = (verifier: string) =>
      fetch(`${backend.url}/auth/v1/token?grant_type=pkce`, {
        method: "POST",
        headers: { apikey: backend.publishableKey },
        body: JSON.stringify({ auth_code: target.searchParams.get("code"), code_verifier: verifier }),
      }).then((response) => response.json());
    expect(await exchange("x".repeat(50))).toMatchObject({ code: 400, error_code: "bad_code_verifier" });
    backend.clock.advance(301_000);
    expect(await exchange("x".repeat(50))).toMatchObject({ code: 422, error_code: "flow_state_expired" });
  });
});

describe("change of address", () => {
  it("needs both addresses to agree", async () => {
    const { client, email } = await confirmed();
    const next = `next-${email}`;
    const { data } = await client.auth.updateUser({ email: next });
    expect(data.user?.new_email).toBe(next);
    const halfway = await follow(mailTo(backend, email).link);
    expect(fragmentOf(halfway).get("message")).toContain(
      "Please proceed to confirm link sent to the other email",
    );
    expect((await client.auth.getUser()).data.user?.email).toBe(email);
    const done = await clientOf(backend).auth.verifyOtp({
      email: next,
      token: mailTo(backend, next).code,
      type: "email_change",
    });
    expect(done.data.user).toMatchObject({
      email: next,
      user_metadata: { email, email_verified: true },
    });
    expect(done.data.user?.identities?.[0]?.identity_data).toMatchObject({ email: next });
  });

  it("refuses an address that another user has", async () => {
    const [one, other] = [await confirmed(), await confirmed()];
    expect((await one.client.auth.updateUser({ email: other.email })).error).toMatchObject({
      status: 422,
      code: "email_exists",
      message: "A user with this email address has already been registered",
    });
  });
});

describe("reauthentication", () => {
  it("is asked for when a password is changed a day after sign-in, and its nonce counts once", async () => {
    const { client, email } = await confirmed();
    backend.clock.advance(25 * 3_600_000);
    await client.auth.refreshSession();
    const change = (nonce?: string) =>
      client.auth.updateUser({ password: "another password", ...(nonce ? { nonce } : {}) });
    expect((await change()).error).toMatchObject({ status: 400, code: "reauthentication_needed" });
    expect((await client.auth.reauthenticate()).error).toBeNull();
    const { code, subject } = mailTo(backend, email);
    expect(subject).toBe(`${code} is your verification code`);
    expect((await change("000000000")).error).toMatchObject({
      status: 422,
      code: "reauthentication_not_valid",
    });
    expect((await change(code)).error).toBeNull();
    backend.clock.reset();
  });
});

describe("anonymous users", () => {
  it("become lasting ones when they confirm an address, and only then may have a password", async () => {
    const client = clientOf(backend);
    const { data } = await client.auth.signInAnonymously({ options: { data: { name: "Guest" } } });
    expect(data.user).toMatchObject({ is_anonymous: true, app_metadata: {}, identities: [], email: "" });
    expect((await client.auth.getClaims()).data?.claims).toMatchObject({
      is_anonymous: true,
      role: "authenticated",
    });
    expect((await client.auth.updateUser({ password: PASSWORD })).error).toMatchObject({
      status: 422,
      code: "validation_failed",
    });
    await client.auth.updateUser({ email: "guest@example.com" });
    const verified = await client.auth.verifyOtp({
      email: "guest@example.com",
      token: mailTo(backend, "guest@example.com").code,
      type: "email_change",
    });
    expect(verified.data.user).toMatchObject({
      id: data.user?.id,
      is_anonymous: false,
      email: "guest@example.com",
      app_metadata: { provider: "email", providers: ["email"] },
    });
  });
});
