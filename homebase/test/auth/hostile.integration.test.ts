/** Arbitrary input to Auth is rejected or accepted: no text, type or depth causes a server error. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBackend, type TestBackend } from "../../wings/testing.ts";
import { clientOf, PASSWORD, PROJECT } from "./client.ts";

let backend: TestBackend;
let user: { token: string; id: string; refresh: string; factor: string };
beforeAll(async () => {
  const enabled = { enroll_enabled: true, verify_enabled: true };
  backend = await createBackend({
    projectFolder: PROJECT,
    bare: true,
    config: {
      auth: {
        enable_anonymous_sign_ins: true,
        enable_manual_linking: true,
        passkey: { enabled: true },
        web3: { solana: { enabled: true }, ethereum: { enabled: true } },
        oauth_server: { enabled: true, allow_dynamic_registration: true },
        mfa: { totp: enabled, phone: enabled, web_authn: enabled },
      },
    },
  });
  const { data } = await clientOf(backend).auth.signUp({ email: "hostile@example.com", password: PASSWORD });
  const token = data.session?.access_token ?? "";
  const { text } = await send("POST", "factors", { factor_type: "totp" }, token);
  user = {
    token,
    id: data.user?.id ?? "",
    refresh: data.session?.refresh_token ?? "",
    factor: JSON.parse(text).id,
  };
});
afterAll(() => backend?.drop());

async function send(method: string, path: string, body: unknown, token?: string) {
  const response = await fetch(`${backend.url}/auth/v1/${path}`, {
    method,
    redirect: "manual",
    headers: {
      apikey: token === backend.secretKey ? backend.secretKey : backend.publishableKey,
      "content-type": "application/json",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** Each endpoint with the fields that it reads, and a body that is as valid as possible. */
const ENDPOINTS: [
  method: string,
  path: string,
  level: "key" | "user" | "admin",
  body: Record<string, unknown>,
][] = [
  [
    "POST",
    "signup",
    "key",
    {
      email: "new@example.com",
      password: PASSWORD,
      data: { a: 1 },
      phone: "",
      channel: "",
      code_challenge: undefined,
      code_challenge_method: undefined,
      gotrue_meta_security: {},
    },
  ],
  [
    "POST",
    "token?grant_type=password",
    "key",
    { email: "hostile@example.com", password: PASSWORD, phone: "" },
  ],
  ["POST", "token?grant_type=refresh_token", "key", { refresh_token: "abcdefghijkl" }],
  ["POST", "token?grant_type=pkce", "key", { auth_code: "a", code_verifier: "b" }],
  [
    "POST",
    "token?grant_type=id_token",
    "key",
    { id_token: "a.b.c", provider: "google", nonce: "n", access_token: "a", client_id: "c", issuer: "i" },
  ],
  ["POST", "token?grant_type=web3", "key", { chain: "solana", message: "m", signature: "s" }],
  ["POST", "otp", "key", { email: "otp@example.com", phone: "", create_user: true, data: {}, channel: "" }],
  ["POST", "magiclink", "key", { email: "link@example.com", data: {} }],
  [
    "POST",
    "recover",
    "key",
    { email: "hostile@example.com", code_challenge: "c".repeat(50), code_challenge_method: "plain" },
  ],
  ["POST", "resend", "key", { type: "signup", email: "hostile@example.com", phone: "" }],
  [
    "POST",
    "verify",
    "key",
    {
      type: "signup",
      token: "123456",
      email: "hostile@example.com",
      token_hash: "",
      phone: "",
      redirect_to: "",
    },
  ],
  [
    "POST",
    "passkeys/authentication/verify",
    "key",
    { challenge_id: "11111111-1111-1111-1111-111111111111", credential: {} },
  ],
  [
    "PUT",
    "user",
    "user",
    {
      data: { a: 1 },
      email: "",
      phone: "",
      password: undefined,
      nonce: "",
      channel: "",
      current_password: "",
      app_metadata: undefined,
    },
  ],
  [
    "POST",
    "factors",
    "user",
    { factor_type: "totp", friendly_name: "name", issuer: "issuer", phone: "4915100000000" },
  ],
  ["POST", "factors/FACTOR/challenge", "user", { channel: "sms" }],
  [
    "POST",
    "factors/FACTOR/verify",
    "user",
    { challenge_id: "11111111-1111-1111-1111-111111111111", code: "123456", webauthn: {} },
  ],
  [
    "POST",
    "passkeys/registration/verify",
    "user",
    { challenge_id: "11111111-1111-1111-1111-111111111111", credential: {} },
  ],
  [
    "POST",
    "admin/users",
    "admin",
    {
      email: "made@example.com",
      phone: "",
      password: PASSWORD,
      role: "authenticated",
      aud: "authenticated",
      email_confirm: true,
      phone_confirm: false,
      user_metadata: {},
      app_metadata: {},
      ban_duration: "none",
      id: undefined,
      password_hash: undefined,
      nonce: "",
    },
  ],
  [
    "PUT",
    "admin/users/USER",
    "admin",
    {
      user_metadata: {},
      app_metadata: {},
      email: "",
      phone: "",
      role: "",
      ban_duration: "none",
      email_confirm: true,
      password: undefined,
    },
  ],
  [
    "POST",
    "admin/generate_link",
    "admin",
    {
      type: "magiclink",
      email: "hostile@example.com",
      password: "",
      new_email: "",
      data: {},
      redirect_to: "",
    },
  ],
  ["POST", "invite", "admin", { email: "invited@example.com", data: {} }],
  ["PUT", "admin/users/USER/factors/FACTOR", "admin", { friendly_name: "name", phone: "" }],
  [
    "POST",
    "admin/custom-providers",
    "admin",
    {
      provider_type: "oidc",
      identifier: "custom:x",
      name: "x",
      client_id: "c",
      client_secret: "s",
      issuer: "https://issuer.invalid",
      scopes: ["openid"],
      authorization_params: {},
    },
  ],
  [
    "POST",
    "admin/oauth/clients",
    "admin",
    {
      client_name: "c",
      redirect_uris: ["https://a.invalid/"],
      grant_types: ["authorization_code"],
      scope: "",
    },
  ],
];

const tokenOf = (level: "key" | "user" | "admin") =>
  level === "admin" ? backend.secretKey : level === "user" ? user.token : undefined;
const pathOf = (path: string) => path.replace("FACTOR", user.factor).replace("USER", user.id);

const OF_EVERY_TYPE: [name: string, value: unknown][] = [
  ["null", null],
  ["true", true],
  ["0", 0],
  ["a large number", 1e300],
  ["a negative number", -1.5],
  ["no text", ""],
  ["a text", "text"],
  ["a long text", "x".repeat(10_000)],
  ["NUL", "a\0b"],
  ["half a surrogate pair", "a\ud800b"],
  ["a list", [1, "\0", null]],
  ["an object", { a: { b: [] } }],
  ["an object with NUL in a value", { a: "\0" }],
  ["an object with NUL in a name", { "\0": 1 }],
  ["names of prototypes", JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}')],
];

describe.each(ENDPOINTS)("%s %s", (method, path, level, body) => {
  it("takes every type of JSON in every field", { timeout: 60_000 }, async () => {
    for (const field of Object.keys(body)) {
      await Promise.all(
        OF_EVERY_TYPE.map(async ([name, value]) => {
          const { status, text } = await send(
            method,
            pathOf(path),
            { ...body, [field]: value },
            tokenOf(level),
          );
          expect(status, `${field}: ${name}: ${text}`).toBeLessThan(500);
        }),
      );
    }
  });

  it("refuses NUL, half a surrogate pair and great depth as what they are: 400 with a code", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const objects = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const bodies = [
      ...Object.keys(body).flatMap((field) => [
        { ...body, [field]: "a\0b" },
        { ...body, [field]: "\udc00" },
      ]),
      deep,
      `{"data":${deep}}`,
      objects,
    ];
    for (const one of bodies) {
      const { status, text } = await send(method, pathOf(path), one, tokenOf(level));
      expect({ status, code: JSON.parse(text).error_code }, text.slice(0, 200)).toEqual({
        status: 400,
        code: "bad_json",
      });
    }
  });
});

describe("paths, queries and headers", () => {
  it.each([
    ["GET", "verify?type=signup&token=%00"],
    ["GET", "verify?type=signup&token=a%00b&redirect_to=%00"],
    ["GET", "authorize?provider=google&redirect_to=http://x/%00"],
    ["GET", "authorize?provider=%00"],
    ["GET", "callback?state=%00&code=%00"],
    ["GET", "callback?state=11111111-1111-1111-1111-111111111111&code=%ED%A0%80"],
    ["GET", "admin/users?filter=%00"],
    ["GET", "admin/users?page=%00&per_page=99999999999999999999"],
    ["GET", "admin/users?sort=%00"],
    ["GET", "admin/audit?query=author:%00"],
    ["GET", "admin/users/%00"],
    ["DELETE", "admin/users/%00"],
    ["GET", "admin/custom-providers/%00"],
    ["DELETE", "factors/%00"],
    ["DELETE", "user/identities/%00"],
    ["POST", "logout?scope=%00"],
    ["GET", "%00"],
  ])("%s %s is refused", async (method, path) => {
    for (const token of [undefined, user.token, backend.secretKey]) {
      const { status, text } = await send(method, path, undefined, token);
      expect(status, text).toBeGreaterThanOrEqual(300);
      expect(status, text).toBeLessThan(500);
    }
  });

  it("an audience or agent of any characters is no failure", async () => {
    for (const value of ["\u00ff\u0080", "'; drop table users", "x".repeat(4_000)]) {
      const response = await fetch(`${backend.url}/auth/v1/token?grant_type=password`, {
        method: "POST",
        headers: {
          apikey: backend.publishableKey,
          "content-type": "application/json",
          "x-jwt-aud": value,
          "user-agent": value,
        },
        body: JSON.stringify({ email: "hostile@example.com", password: PASSWORD }),
      });
      expect(response.status, await response.text()).toBeLessThan(500);
    }
  });
});

it("arbitrary JSON in arbitrary fields gives no failure of the server", async () => {
  const endpoint = fc.constantFrom(...ENDPOINTS);
  await fc.assert(
    fc.asyncProperty(
      endpoint,
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.jsonValue(),
      fc.nat(),
      async ([method, path, level, body], more, value, at) => {
        const names = Object.keys(body);
        const field = names[at % Math.max(names.length, 1)] ?? "email";
        const { status, text } = await send(
          method,
          pathOf(path),
          { ...body, ...more, [field]: value },
          tokenOf(level),
        );
        expect(status, text).toBeLessThan(500);
      },
    ),
    { seed: 11, numRuns: 150 },
  );
});
