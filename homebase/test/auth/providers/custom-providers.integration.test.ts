/** Providers that an administrator adds at run time (docs/compat/auth.md 1, "Custom providers"). */
import { createHash } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { authBackend } from "../../../wings/testing.ts";
import { adminOf, clientOf, fragmentOf } from "../client.ts";
import { OidcProvider } from "./oidc-provider.ts";

const APP = "http://127.0.0.1:3000/welcome";

const provider = await OidcProvider.open();
const backend = await authBackend();
afterAll(async () => {
  await backend.drop();
  await provider.close();
});

const oidc = (identifier: string) => ({
  provider_type: "oidc" as const,
  identifier,
  name: "Company",
  client_id: "client",
  client_secret: "secret",
  issuer: provider.url,
});
const api = () => adminOf(backend).auth.admin.customProviders;

describe("the list", () => {
  it("shows what was added, without the secret, changes and forgets it", async () => {
    const made = await api().createProvider({ ...oidc("listed"), scopes: ["email"] });
    expect(made.error).toBeNull();
    expect(made.data).toMatchObject({
      identifier: "custom:listed",
      provider_type: "oidc",
      scopes: ["openid", "email"],
      enabled: true,
      pkce_enabled: true,
      custom_claims_allowlist: [],
      email_optional: false,
      skip_nonce_check: false,
    });
    expect(JSON.stringify(made.data)).not.toContain("secret");
    const changed = await api().updateProvider("custom:listed", {
      name: "Renamed",
      enabled: false,
      custom_claims_allowlist: ["groups"],
    });
    expect(changed.data).toMatchObject({
      name: "Renamed",
      enabled: false,
      client_id: "client",
      custom_claims_allowlist: ["groups"],
    });
    expect((await api().getProvider("custom:listed")).data).toMatchObject({ name: "Renamed" });
    const { data } = await api().listProviders({ type: "oidc" });
    expect(data?.providers.map(({ identifier }) => identifier)).toEqual(["custom:listed"]);
    expect((await api().listProviders({ type: "oauth2" })).data?.providers).toEqual([]);
    expect((await api().deleteProvider("custom:listed")).error).toBeNull();
    expect((await api().getProvider("custom:listed")).error).toMatchObject({
      status: 404,
      code: "custom_provider_not_found",
    });
  });

  it("takes nothing incomplete, reserved, unencrypted or double", async () => {
    await api().createProvider(oidc("double"));
    const cases: [Record<string, unknown>, string][] = [
      [{ provider_type: "saml" }, "provider_type must be either 'oauth2' or 'oidc'"],
      [{ identifier: "" }, "identifier is required"],
      [
        { identifier: "google" },
        "Cannot use reserved provider name: google. This provider is already built into Supabase Auth.",
      ],
      [{ client_secret: "" }, "client_secret is required"],
      [{ issuer: "" }, "issuer is required for OIDC providers"],
      [{ provider_type: "oauth2" }, "authorization_url is required for OAuth2 providers"],
      [{ authorization_params: { state: "x" } }, "Cannot override reserved OAuth parameter: state"],
      [{ attribute_mapping: { role: "groups" } }, "Cannot map to protected system field: role"],
      [{ issuer: "http://idp.example" }, "URL must use HTTPS: http://idp.example"],
      [{ identifier: "double" }, "A custom OAuth provider with this identifier already exists"],
    ];
    for (const [change, message] of cases) {
      const { error } = await api().createProvider({ ...oidc("new"), ...change } as never);
      expect(error).toMatchObject({ status: 400, message });
    }
    const { error } = await api().getProvider("double");
    expect(error).toMatchObject({ message: "identifier must start with 'custom:' prefix" });
    const stranger = await clientOf(backend).auth.admin.customProviders.listProviders();
    expect(stranger.error?.status).toBe(403);
  });
});

async function signIn(name: string): Promise<{ there: URL; done: URL }> {
  const ask = new URLSearchParams({ provider: name, redirect_to: APP });
  const go = (url: string) => fetch(url, { redirect: "manual" });
  const there = new URL(
    (await go(`${backend.url}/auth/v1/authorize?${ask}`)).headers.get("location") ?? "missing:",
  );
  const back = new URLSearchParams({ state: there.searchParams.get("state") ?? "", code: "code" });
  const answer = await go(`${backend.url}/auth/v1/callback?${back}`);
  return { there, done: new URL(answer.headers.get("location") ?? "missing:") };
}

describe("sign-in", () => {
  it("goes by OpenID Connect, with a proof key that only the exchange shows", async () => {
    await api().createProvider({
      ...oidc("company"),
      authorization_params: { prompt: "consent" },
      custom_claims_allowlist: ["groups", "department"],
    });
    const person = { sub: "c-1", email: "custom@example.com", email_verified: true, name: "Cu" };
    provider.person = { ...person, groups: ["a", "b"], salary: 1 };
    const { there, done } = await signIn("custom:company");
    expect(there.searchParams.get("prompt")).toBe("consent");
    expect(there.searchParams.get("code_challenge_method")).toBe("S256");
    const verifier = provider.exchanges.at(-1)?.get("code_verifier") ?? "";
    expect(createHash("sha256").update(verifier).digest("base64url")).toBe(
      there.searchParams.get("code_challenge"),
    );
    const { data } = await clientOf(backend).auth.getUser(fragmentOf(done).get("access_token") ?? "");
    expect(data.user).toMatchObject({
      email: "custom@example.com",
      app_metadata: { provider: "custom:company" },
      user_metadata: { custom_claims: { groups: ["a", "b"] } },
      identities: [
        { provider: "custom:company", id: "c-1", identity_data: { custom_claims: { groups: ["a", "b"] } } },
      ],
    });
    expect(await backend.sql("select 1 from auth.oauth_client_states")).toEqual([]);
  });

  it("goes by OAuth 2 and its userinfo, names mapped", async () => {
    await api().createProvider({
      provider_type: "oauth2",
      identifier: "plain",
      name: "Plain",
      client_id: "client",
      client_secret: "secret",
      pkce_enabled: false,
      authorization_url: `${provider.url}/authorize`,
      token_url: `${provider.url}/token`,
      userinfo_url: `${provider.url}/api/v3/user`,
      attribute_mapping: { preferred_username: "login", avatar_url: "avatar_url" },
      email_optional: true,
      custom_claims_allowlist: ["login", "preferred_username", "groups"],
    });
    provider.person = { sub: "ignored", name: "Plain Person" };
    const { there, done } = await signIn("custom:plain");
    expect(there.searchParams.has("code_challenge")).toBe(false);
    const { data } = await clientOf(backend).auth.getUser(fragmentOf(done).get("access_token") ?? "");
    expect(data.user).toMatchObject({
      email: "",
      user_metadata: {
        sub: "42",
        preferred_username: "ada",
        name: "Plain Person",
        // As the provider names them: not by the names that they are mapped to.
        custom_claims: { login: "ada" },
      },
      identities: [{ provider: "custom:plain", id: "42" }],
    });
  });

  it("takes the provider's ID tokens, and none of one that is off or unknown", async () => {
    await api().createProvider({ ...oidc("tokens"), acceptable_client_ids: ["app"] });
    const token = await provider.idToken({
      sub: "t-1",
      email: "token@example.com",
      email_verified: true,
      aud: "app",
    });
    const sign = (name: `custom:${string}`) =>
      clientOf(backend).auth.signInWithIdToken({ provider: name, token });
    expect((await sign("custom:tokens")).data.user?.email).toBe("token@example.com");
    await api().updateProvider("custom:tokens", { enabled: false });
    expect((await sign("custom:tokens")).error).toMatchObject({ status: 400, code: "provider_disabled" });
    expect((await sign("custom:nobody")).error).toMatchObject({
      status: 400,
      message: 'Custom OIDC provider "custom:nobody" not allowed',
    });
    const ask = await fetch(`${backend.url}/auth/v1/authorize?provider=custom:nobody`, {
      redirect: "manual",
    });
    expect(await ask.json()).toMatchObject({
      msg: "Unsupported provider: Provider custom:nobody could not be found",
    });
  });
});

describe("what is switched off", () => {
  it("answers as the real server does", async () => {
    const get = async (path: string) => {
      const response = await fetch(`${backend.url}/auth/v1/${path}`, {
        headers: { apikey: backend.secretKey, authorization: `Bearer ${backend.serviceRoleKey}` },
      });
      return { status: response.status, body: (await response.json()) as unknown };
    };
    const off = { status: 404, body: { error_code: "feature_disabled", msg: "OAuth server is disabled" } };
    for (const path of [
      "admin/oauth/clients",
      "user/oauth/grants",
      "oauth/authorize",
      ".well-known/oauth-authorization-server",
    ]) {
      expect(await get(path)).toMatchObject(off);
    }
    expect(await get("admin/sso/providers")).toEqual({ status: 200, body: { items: [] } });
    expect(await get(`admin/sso/providers/${crypto.randomUUID()}`)).toMatchObject({
      status: 404,
      body: { error_code: "sso_provider_not_found" },
    });
  });
});
