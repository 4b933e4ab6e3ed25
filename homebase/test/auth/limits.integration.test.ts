/** Limits of requests and mails, and captchas (docs/compat/auth.md 5, "Rate limits", "Captcha"). */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBackend, type TestBackend, type TestBackendOptions } from "../../src/testing/index.ts";
import { adminOf, authBackend, clientOf, PASSWORD, PROJECT } from "./client.ts";

/** A Backend with additional environment variables. */
function backendWith(
  environment: Record<string, string>,
  auth: NonNullable<TestBackendOptions["config"]>["auth"],
): Promise<TestBackend> {
  return createBackend({ projectFolder: PROJECT, bare: true, config: { auth, environment } });
}

describe("requests of one address", () => {
  let backend: TestBackend;
  beforeAll(async () => {
    backend = await backendWith(
      { GOTRUE_RATE_LIMIT_HEADER: "X-Real-IP" },
      {
        enable_anonymous_sign_ins: true,
        rate_limit: { anonymous_users: 3, token_refresh: 150, token_verifications: 30 },
      },
    );
  });
  afterAll(() => backend.drop());

  const ask = (path: string, body: unknown, ip?: string) =>
    fetch(`${backend.url}/auth/v1/${path}`, {
      method: "POST",
      headers: {
        apikey: backend.publishableKey,
        "content-type": "application/json",
        ...(ip === undefined ? {} : { "x-real-ip": ip }),
      },
      body: JSON.stringify(body),
    });
  const wrongCode = { type: "signup", email: "a@example.com", token: "000000" };
  /** How many of `count` requests were accepted. */
  async function passed(count: number, path: string, body: unknown, ip?: string): Promise<number> {
    const answers = await Promise.all(Array.from({ length: count }, () => ask(path, body, ip)));
    return answers.filter(({ status }) => status !== 429).length;
  }

  it("end with 429 after a burst of thirty, and go on as the bucket refills", async () => {
    expect(await passed(33, "verify", wrongCode, "10.0.0.1")).toBe(30);
    const refused = await ask("verify", wrongCode, "10.0.0.1");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("x-sb-error-code")).toBe("over_request_rate_limit");
    expect(await refused.json()).toEqual({
      code: 429,
      error_code: "over_request_rate_limit",
      msg: "Request rate limit reached",
    });
    // Thirty in five minutes is one in ten seconds.
    backend.clock.advance(21_000);
    expect(await passed(5, "verify", wrongCode, "10.0.0.1")).toBe(2);
  });

  it("are counted for each address and each kind of request by itself", async () => {
    expect(await passed(31, "verify", wrongCode, "10.0.0.2")).toBe(30);
    expect(await passed(1, "verify", wrongCode, "10.0.0.3")).toBe(1);
    expect(await passed(1, "token?grant_type=refresh_token", { refresh_token: "x" }, "10.0.0.2")).toBe(1);
  });

  it("are not counted when the proxy names no address", async () => {
    expect(await passed(40, "verify", wrongCode)).toBe(40);
  });

  it("make no more anonymous users in an hour than configured, whatever else signs up", async () => {
    expect(await passed(4, "signup", {}, "10.0.0.4")).toBe(3);
    expect(await passed(1, "signup", { email: "a@example.com", password: PASSWORD }, "10.0.0.4")).toBe(1);
    backend.clock.advance(20 * 60_000);
    expect(await passed(2, "signup", {}, "10.0.0.4")).toBe(1);
  });

  it("are not limited without a header in the environment", async () => {
    await using other = await authBackend({ rate_limit: { token_verifications: 1 } });
    const answers = await Promise.all(
      Array.from({ length: 40 }, () =>
        fetch(`${other.url}/auth/v1/verify`, {
          method: "POST",
          headers: { "x-real-ip": "10.0.0.1" },
          body: JSON.stringify(wrongCode),
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 403));
  });
});

describe("mails and messages in an hour", () => {
  it("end with over_email_send_rate_limit where a server of one's own is configured", async () => {
    await using backend = await authBackend({
      email: { enable_confirmations: true, smtp: { enabled: true } },
      rate_limit: { email_sent: 2 },
    });
    const sign = (name: string) =>
      clientOf(backend).auth.signUp({ email: `${name}@example.com`, password: PASSWORD });
    expect((await sign("one")).error).toBeNull();
    expect((await sign("two")).error).toBeNull();
    expect((await sign("three")).error).toMatchObject({
      status: 429,
      code: "over_email_send_rate_limit",
      message: "email rate limit exceeded",
    });
    backend.clock.advance(31 * 60_000);
    expect((await sign("three")).error).toBeNull();
    expect((await adminOf(backend).auth.admin.listUsers()).data.users).toHaveLength(3);
  });

  it("end with over_sms_send_rate_limit", async () => {
    await using backend = await authBackend({
      sms: {
        enable_signup: true,
        enable_confirmations: true,
        max_frequency: 0,
        twilio: { enabled: true },
      },
      rate_limit: { sms_sent: 1 },
      hook: { send_sms: { enabled: true, uri: "pg-functions://postgres/public/keep_sms", secrets: "" } },
    });
    await backend.sql(
      `create function public.keep_sms(event jsonb) returns jsonb language sql as $$ select '{}'::jsonb $$`,
    );
    await backend.sql("grant usage on schema public to supabase_auth_admin");
    await backend.sql("grant execute on function public.keep_sms to supabase_auth_admin");
    const otp = (phone: string) => clientOf(backend).auth.signInWithOtp({ phone });
    expect((await otp("+491510000001")).error).toBeNull();
    expect((await otp("+491510000002")).error).toMatchObject({
      status: 429,
      code: "over_sms_send_rate_limit",
      message: "SMS rate limit exceeded",
    });
  });
});

describe("captchas", () => {
  const asked: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      asked.push(form);
      const success = form.get("response") === "solved";
      if (form.get("response") === "broken") return void response.end("<html>");
      response.end(
        JSON.stringify(success ? { success } : { success, "error-codes": ["invalid-input-response"] }),
      );
    });
  });
  let backend: TestBackend;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    backend = await backendWith(
      { HOMEBASE_CAPTCHA_VERIFY_URL: `http://127.0.0.1:${port}/siteverify` },
      { captcha: { enabled: true, provider: "turnstile", secret: " hush " } },
    );
  });
  afterAll(async () => {
    await backend.drop();
    await new Promise((resolve) => server.close(resolve));
  });

  const sign = (captchaToken?: string) =>
    clientOf(backend).auth.signUp({
      email: `c-${crypto.randomUUID()}@example.com`,
      password: PASSWORD,
      options: captchaToken === undefined ? {} : { captchaToken },
    });

  it("are wanted, and shown to the provider with secret and address", async () => {
    expect((await sign()).error).toMatchObject({
      status: 400,
      code: "captcha_failed",
      message: "captcha protection: request disallowed (no captcha_token found)",
    });
    expect((await sign("solved")).error).toBeNull();
    expect(Object.fromEntries(asked.at(-1) ?? [])).toEqual({
      secret: "hush",
      response: "solved",
      remoteip: "127.0.0.1",
    });
  });

  it("are refused with the provider's own codes", async () => {
    expect((await sign("guessed")).error).toMatchObject({
      code: "captcha_failed",
      message: "captcha protection: request disallowed (invalid-input-response)",
    });
  });

  it("guard sign-in, codes and recovery, but neither a refresh nor an administrator", async () => {
    const client = clientOf(backend);
    const { data } = await client.auth.signUp({
      email: "kept@example.com",
      password: PASSWORD,
      options: { captchaToken: "solved" },
    });
    const count = asked.length;
    expect((await client.auth.refreshSession()).error).toBeNull();
    expect((await adminOf(backend).auth.admin.getUserById(data.user?.id ?? "")).error).toBeNull();
    expect(asked).toHaveLength(count);
    const refused = [
      await client.auth.signInWithPassword({ email: "kept@example.com", password: PASSWORD }),
      await client.auth.signInWithOtp({ email: "kept@example.com" }),
      await client.auth.resetPasswordForEmail("kept@example.com"),
      await client.auth.resend({ type: "signup", email: "kept@example.com" }),
    ];
    expect(refused.map(({ error }) => error?.code)).toEqual(
      Array.from({ length: 4 }, () => "captcha_failed"),
    );
  });
});
