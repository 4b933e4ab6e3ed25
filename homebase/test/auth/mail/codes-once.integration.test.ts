/** Each code is accepted once, also for concurrent requests, and allows only a few attempts. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { totpCode } from "../../../src/auth/factors/totp.ts";
import type { TestBackend } from "../../../src/testing/index.ts";
import { authBackend, clientOf, follow, mailTo, PASSWORD } from "../client.ts";

const MOST_GUESSES = 30;

let backend: TestBackend;
beforeAll(async () => {
  const enabled = { enroll_enabled: true, verify_enabled: true };
  backend = await authBackend({
    email: {
      enable_confirmations: true,
      secure_password_change: true,
      max_frequency: 0,
      double_confirm_changes: false,
    },
    mfa: { totp: enabled },
    sms: { enable_signup: true, enable_confirmations: true, twilio: { enabled: true }, max_frequency: 0 },
    hook: { send_sms: { enabled: true, uri: "pg-functions://postgres/public/keep_sms", secrets: "" } },
  });
  await backend.sql(
    "create table public.sms (phone text, code text, at timestamptz default clock_timestamp())",
  );
  await backend.sql(`create function public.keep_sms(event jsonb) returns jsonb language sql security definer as $$
    insert into public.sms (phone, code) values (event #>> '{user,phone}', event #>> '{sms,otp}'); select '{}'::jsonb $$`);
  await backend.sql("grant execute on function public.keep_sms to supabase_auth_admin");
});
afterAll(() => backend.drop());

async function call(method: string, path: string, body?: unknown, token?: string) {
  const response = await fetch(`${backend.url}/auth/v1/${path}`, {
    method,
    headers: {
      apikey: backend.publishableKey,
      "content-type": "application/json",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

const verify = (body: unknown) => call("POST", "verify", body);

let count = 0;
async function unconfirmed() {
  const email = `once${count++}@example.com`;
  const { error } = await clientOf(backend).auth.signUp({ email, password: PASSWORD });
  if (error) throw error;
  return { email, code: mailTo(backend, email).code };
}

async function confirmed() {
  const { email, code } = await unconfirmed();
  const { body } = await verify({ type: "signup", email, token: code });
  return { email, token: body.access_token as string, id: body.user.id as string };
}

/** The statuses of one request made several times concurrently, in order. */
async function together(request: () => Promise<{ status: number }>, times = 4) {
  const answers = await Promise.all(Array.from({ length: times }, request));
  return answers.map(({ status }) => status).sort();
}

const hashOf = (address: string, code: string) =>
  createHash("sha224")
    .update(address + code)
    .digest("hex");

const wrong = (code: string) => (code === "000000" ? "111111" : "000000");

describe("of several uses at once only one succeeds", () => {
  it("the code of a sign-up", async () => {
    const { email, code } = await unconfirmed();
    expect(await together(() => verify({ type: "signup", email, token: code }))).toEqual([
      200, 403, 403, 403,
    ]);
  });

  it("the hash of a sign-up", async () => {
    const { email, code } = await unconfirmed();
    const body = { type: "signup", token_hash: hashOf(email, code) };
    expect(await together(() => verify(body))).toEqual([200, 403, 403, 403]);
  });

  it.each(["recovery", "magiclink"])("the code, and the link, of a %s", async (type) => {
    const { email } = await confirmed();
    const send = async () => {
      await call("POST", type === "recovery" ? "recover" : "otp", { email });
      return mailTo(backend, email);
    };
    const { code } = await send();
    expect(await together(() => verify({ type, email, token: code }))).toEqual([200, 403, 403, 403]);
    const { link } = await send();
    const targets = await Promise.all([1, 2, 3].map(() => follow(link)));
    expect(targets.filter(({ hash }) => hash.includes("access_token"))).toHaveLength(1);
  });

  it("the code of a change of address", async () => {
    const { email, token } = await confirmed();
    const next = `next-${email}`;
    expect((await call("PUT", "user", { email: next }, token)).status).toBe(200);
    const { code } = mailTo(backend, next);
    expect(await together(() => verify({ type: "email_change", email: next, token: code }))).toEqual([
      200, 403, 403, 403,
    ]);
  });

  it("the code of a phone", async () => {
    const phone = "4915100000001";
    expect((await call("POST", "signup", { phone, password: PASSWORD })).status).toBe(200);
    const [sms] = await backend.sql("select code from public.sms where phone = $1", [phone]);
    const token = (sms as { code: string }).code;
    expect(await together(() => verify({ type: "sms", phone, token }))).toEqual([200, 403, 403, 403]);
  });

  it("the nonce of a reauthentication", async () => {
    const { email, token } = await confirmed();
    backend.clock.advance(25 * 3_600_000);
    const { data } = await clientOf(backend).auth.signInWithPassword({ email, password: PASSWORD });
    const fresh = data.session?.access_token ?? token;
    await backend.sql("update auth.sessions set created_at = created_at - interval '2 days'");
    await call("GET", "reauthenticate", undefined, fresh);
    const { code: nonce } = mailTo(backend, email);
    let turn = 0;
    const statuses = await together(() =>
      call("PUT", "user", { password: `another password ${turn++}`, nonce }, fresh),
    );
    expect(statuses).toEqual([200, 422, 422, 422]);
    backend.clock.reset();
  });

  it("the code of a PKCE flow", async () => {
    const { email } = await confirmed();
    const verifier = "v".repeat(50);
    await call("POST", "otp", { email, code_challenge: verifier, code_challenge_method: "plain" });
    const target = await follow(mailTo(backend, email).link);
    const body = { auth_code: target.searchParams.get("code"), code_verifier: verifier };
    expect(await together(() => call("POST", "token?grant_type=pkce", body))).toEqual([200, 404, 404, 404]);
  });

  it("the code of an authenticator, also with a challenge for each", async () => {
    const { token } = await confirmed();
    const { body: factor } = await call("POST", "factors", { factor_type: "totp" }, token);
    const code = totpCode(factor.totp.secret, backend.clock.now());
    const challenges = await Promise.all(
      [1, 2, 3].map(
        async () => (await call("POST", `factors/${factor.id}/challenge`, {}, token)).body.id as string,
      ),
    );
    const answers = await Promise.all(
      challenges.map((challenge_id) =>
        call("POST", `factors/${factor.id}/verify`, { challenge_id, code }, token),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
    const raised = answers.find(({ status }) => status === 200)?.body.access_token;
    const again = await call("POST", `factors/${factor.id}/challenge`, {}, raised);
    const answer = await call(
      "POST",
      `factors/${factor.id}/verify`,
      { challenge_id: again.body.id, code },
      raised,
    );
    expect(answer).toMatchObject({ status: 422, body: { error_code: "mfa_verification_failed" } });
  });
});

describe("guesses", () => {
  it("at a mailed code make it void; its successor counts", async () => {
    const { email, code } = await unconfirmed();
    const guess = () => verify({ type: "signup", email, token: wrong(code) });
    const statuses = await together(guess, MOST_GUESSES);
    expect(new Set(statuses)).toEqual(new Set([403]));
    expect(await verify({ type: "signup", email, token: code })).toMatchObject({
      status: 403,
      body: { error_code: "otp_expired", msg: "Token has expired or is invalid" },
    });
    await call("POST", "resend", { type: "signup", email });
    expect((await verify({ type: "signup", email, token: mailTo(backend, email).code })).status).toBe(200);
  });

  it("fewer than that leave it", async () => {
    const { email, code } = await unconfirmed();
    await together(() => verify({ type: "signup", email, token: wrong(code) }), MOST_GUESSES - 1);
    expect((await verify({ type: "signup", email, token: code })).status).toBe(200);
  });

  it("at an authenticator's code are refused for a while", async () => {
    const { token } = await confirmed();
    const { body: factor } = await call("POST", "factors", { factor_type: "totp" }, token);
    const { body: challenge } = await call("POST", `factors/${factor.id}/challenge`, {}, token);
    const answer = (code: string) =>
      call("POST", `factors/${factor.id}/verify`, { challenge_id: challenge.id, code }, token);
    const code = totpCode(factor.totp.secret, backend.clock.now());
    for (let turn = 0; turn < MOST_GUESSES; turn += 1) await answer("12345");
    expect(await answer(code)).toMatchObject({
      status: 429,
      body: { error_code: "over_request_rate_limit" },
    });
    backend.clock.advance(60_000);
    expect((await answer(totpCode(factor.totp.secret, backend.clock.now()))).status).toBe(200);
    backend.clock.reset();
  });

  it("at the hash of a link are refused for a while", async () => {
    const { email, code } = await unconfirmed();
    for (let turn = 0; turn < MOST_GUESSES; turn += 1) {
      await verify({ type: "signup", token_hash: hashOf(email, `guess${turn}`) });
    }
    const body = { type: "signup", token_hash: hashOf(email, code) };
    expect(await verify(body)).toMatchObject({
      status: 429,
      body: { error_code: "over_request_rate_limit" },
    });
    backend.clock.advance(60_000);
    expect((await verify(body)).status).toBe(200);
    backend.clock.reset();
  });
});

describe("how long a sign-in takes", () => {
  it("does not tell whether there is an account, or whether it has a password", async () => {
    const { email } = await confirmed();
    const bare = await confirmed();
    await backend.sql("update auth.users set encrypted_password = null where id = $1", [bare.id]);
    const addresses = { known: email, unknown: "nobody@example.com", bare: bare.email };
    // The processor's time, which other processes do not change: without a hash an answer takes a tenth of it.
    const least = { known: Infinity, unknown: Infinity, bare: Infinity };
    for (let turn = 0; turn < 5; turn += 1) {
      for (const [who, address] of Object.entries(addresses) as [keyof typeof addresses, string][]) {
        const before = process.cpuUsage();
        const answer = await call("POST", "token?grant_type=password", { email: address, password: "wrong" });
        const { user, system } = process.cpuUsage(before);
        least[who] = Math.min(least[who], user + system);
        expect(answer.body.error_code).toBe("invalid_credentials");
      }
    }
    expect(least.unknown).toBeGreaterThan(least.known / 3);
    expect(least.bare).toBeGreaterThan(least.known / 3);
  });
});
