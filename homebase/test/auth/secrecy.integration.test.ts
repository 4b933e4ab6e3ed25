/**
 * Auth must not reveal accounts, accept a secret twice or redirect elsewhere: addresses, nonces, tokens,
 * redirects.
 */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import { adminOf, authBackend, clientOf, follow, mailTo, PASSWORD } from "./client.ts";

const backend = await forThisFile(
  authBackend({
    additional_redirect_urls: ["https://app.example.com/**"],
    enable_manual_linking: true,
    email: { enable_confirmations: true, secure_password_change: true },
    sms: {
      enable_signup: true,
      enable_confirmations: true,
      twilio: { enabled: true },
      test_otp: { "4915112345678": "123456" },
    },
  }),
);

async function post(path: string, body: object, token?: string) {
  const response = await fetch(`${backend.url}/auth/v1/${path}`, {
    method: "POST",
    headers: { apikey: backend.publishableKey, ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

let count = 0;
async function confirmed() {
  const email = `secret${count++}@example.com`;
  const { data } = await adminOf(backend).auth.admin.createUser({
    email,
    password: PASSWORD,
    email_confirm: true,
  });
  const client = clientOf(backend);
  await client.auth.signInWithPassword({ email, password: PASSWORD });
  return { client, email, id: data.user?.id ?? "" };
}

describe("a known and an unknown address are answered alike", () => {
  it.each([
    ["recover", {}],
    ["otp", {}],
    ["magiclink", {}],
    ["resend", { type: "signup" }],
    ["resend", { type: "email_change" }],
  ])("by POST /%s %j", async (path, more) => {
    const { email } = await confirmed();
    const known = await post(path, { ...more, email });
    const unknown = await post(path, { ...more, email: `nobody${count++}@example.com` });
    expect(known).toEqual({ status: 200, text: "{}" });
    expect(unknown).toEqual(known);
  });

  it("by POST /signup, where confirmations are on: the same members, and no session", async () => {
    const { email } = await confirmed();
    const members = async (address: string) => {
      const { status, text } = await post("signup", { email: address, password: PASSWORD });
      return { status, members: Object.keys(JSON.parse(text)) };
    };
    expect(await members(email)).toEqual(await members(`nobody${count++}@example.com`));
  });
});

describe("POST /resend", () => {
  it.each([
    [{}, "Missing one of these types: signup, email_change, sms, phone_change"],
    [
      { type: "recovery", email: "a@b.cd" },
      "Missing one of these types: signup, email_change, sms, phone_change",
    ],
    [{ type: "email_change" }, "Missing email address or phone number"],
    [{ type: "signup" }, "Type provided requires an email address"],
    [{ type: "signup", phone: "4915112345678" }, "Type provided requires an email address"],
    [{ type: "sms", email: "a@b.cd" }, "Type provided requires a phone number"],
  ])("refuses %j: %s", async (body, msg) => {
    const { status, text } = await post("resend", body);
    expect({ status, body: JSON.parse(text) }).toEqual({
      status: 400,
      body: { code: 400, error_code: "validation_failed", msg },
    });
  });

  it("sends a confirmation again, with a code that voids the former, not before a second has passed", async () => {
    const client = clientOf(backend);
    const email = "resend@example.com";
    await client.auth.signUp({ email, password: PASSWORD });
    const first = mailTo(backend, email).code;
    expect((await client.auth.resend({ type: "signup", email })).error).toMatchObject({
      status: 429,
      code: "over_email_send_rate_limit",
    });
    backend.clock.advance(2_000);
    expect((await client.auth.resend({ type: "signup", email })).error).toBeNull();
    const second = mailTo(backend, email).code;
    if (first !== second) {
      expect((await client.auth.verifyOtp({ email, token: first, type: "signup" })).error?.code).toBe(
        "otp_expired",
      );
    }
    expect((await client.auth.verifyOtp({ email, token: second, type: "signup" })).error).toBeNull();
  });

  it("sends the mails of a change of address again", async () => {
    const { client, email } = await confirmed();
    await client.auth.updateUser({ email: `next-${email}` });
    backend.clock.advance(2_000);
    const before = backend.mails.length;
    expect((await client.auth.resend({ type: "email_change", email })).error).toBeNull();
    expect(
      backend.mails
        .slice(before)
        .map(({ to }) => to[0]?.address)
        .sort(),
    ).toEqual([`next-${email}`, email].sort());
  });

  it("answers a test number with its message id", async () => {
    const phone = "4915112345678";
    const client = clientOf(backend);
    await client.auth.signUp({ phone, password: PASSWORD });
    backend.clock.advance(6_000);
    expect((await client.auth.resend({ type: "sms", phone })).data.messageId).toBe("test-otp");
  });
});

describe("the nonce of a reauthentication", () => {
  it("counts once, and not when an hour old", async () => {
    const { client, email } = await confirmed();
    const late = async () => {
      backend.clock.advance(25 * 3_600_000);
      await client.auth.refreshSession();
      await client.auth.reauthenticate();
      return mailTo(backend, email).code;
    };
    const change = async (password: string, nonce: string) =>
      (await client.auth.updateUser({ password, nonce })).error?.code;
    const nonce = await late();
    expect(await change("another password", nonce)).toBeUndefined();
    expect(await change("a third password", nonce)).toBe("reauthentication_not_valid");
    const old = await late();
    backend.clock.advance(3_601_000);
    await client.auth.refreshSession();
    expect(await change("a third password", old)).toBe("reauthentication_not_valid");
    backend.clock.reset();
  });
});

describe("two refreshes of one token at the same moment", () => {
  it("give both callers one and the same successor, and leave one active token", async () => {
    const { client } = await confirmed();
    const { data } = await client.auth.getSession();
    const body = { refresh_token: data.session?.refresh_token };
    const answers = await Promise.all([
      post("token?grant_type=refresh_token", body),
      post("token?grant_type=refresh_token", body),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const [one, other] = answers.map(({ text }) => JSON.parse(text).refresh_token);
    expect(one).toBe(other);
    const rows = await backend.sql(
      "select token from auth.refresh_tokens where not revoked and session_id = (select session_id from auth.refresh_tokens where token = $1)",
      [one],
    );
    expect(rows).toEqual([{ token: one }]);
  });
});

describe("redirect_to outside the list", () => {
  it.each([
    "https://evil.test/",
    "https://app.example.com.evil.test/",
    "https://evil.test/?x=https://app.example.com/",
    "https://app.example.com@evil.test/",
    "//evil.test/",
    "javascript:alert(1)",
    "http://2130706433/",
    "http://0x7f.1:3000/",
    "https://evil.test\\@127.0.0.1:3000/",
    "http://10.0.0.1/",
  ])("%s leads to the site instead, token and all", async (redirectTo) => {
    const { client, email } = await confirmed();
    await client.auth.resetPasswordForEmail(email, { redirectTo });
    const target = await follow(mailTo(backend, email).link);
    expect(target.origin).toBe("http://127.0.0.1:3000");
  });

  it("is judged again when the link is followed: a changed link leads to the site", async () => {
    const { client, email } = await confirmed();
    await client.auth.resetPasswordForEmail(email, { redirectTo: "https://app.example.com/in" });
    const link = new URL(mailTo(backend, email).link);
    expect(link.searchParams.get("redirect_to")).toBe("https://app.example.com/in");
    link.searchParams.set("redirect_to", "https://evil.test/");
    expect((await follow(String(link))).origin).toBe("http://127.0.0.1:3000");
  });
});

describe("unlinking an identity", () => {
  const unlink = async (identity: string, token: string | undefined) => {
    const response = await fetch(`${backend.url}/auth/v1/user/identities/${identity}`, {
      method: "DELETE",
      headers: { apikey: backend.publishableKey, authorization: `Bearer ${token}` },
    });
    return { status: response.status, body: await response.json() };
  };

  it("refuses the only one, a stranger's and what is no UUID; clears the number with the phone's", async () => {
    const { client, id } = await confirmed();
    const token = (await client.auth.getSession()).data.session?.access_token;
    expect(await unlink("x", token)).toMatchObject({
      status: 404,
      body: { error_code: "validation_failed" },
    });
    expect(await unlink(crypto.randomUUID(), token)).toMatchObject({
      status: 422,
      body: {
        error_code: "single_identity_not_deletable",
        msg: "User must have at least 1 identity after unlinking",
      },
    });
    const { data } = await adminOf(backend).auth.admin.updateUserById(id, {
      phone: "491519999999",
      phone_confirm: true,
    });
    expect(data.user?.identities?.map((one) => one.provider)).toEqual(["email", "phone"]);
    expect(await unlink(crypto.randomUUID(), token)).toMatchObject({
      status: 422,
      body: { error_code: "identity_not_found" },
    });
    const phone = data.user?.identities?.find((one) => one.provider === "phone")?.identity_id ?? "";
    expect(await unlink(phone, token)).toEqual({ status: 200, body: {} });
    const { data: after } = await client.auth.getUser();
    expect(after.user).toMatchObject({
      phone: "",
      app_metadata: { provider: "email", providers: ["email"] },
    });
  });

  it("takes the address with its identity, when another identity carries none", async () => {
    const { client, id } = await confirmed();
    const token = (await client.auth.getSession()).data.session?.access_token;
    const { data } = await adminOf(backend).auth.admin.updateUserById(id, {
      phone: "491518888888",
      phone_confirm: true,
    });
    const mail = data.user?.identities?.find((one) => one.provider === "email")?.identity_id ?? "";
    expect((await unlink(mail, token)).status).toBe(200);
    const { data: after } = await client.auth.getUser();
    expect(after.user).toMatchObject({ email: "", phone: "491518888888" });
    expect(after.user?.email_confirmed_at).toBeUndefined();
  });
});
