/** Real providers over OpenID Connect, simulated by the test's server; sign-in with a provider's ID token. */
import { createHash, generateKeyPairSync } from "node:crypto";
import { decodeJwt } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { authBackend, clientOf, fragmentOf } from "../client.ts";
import { OidcProvider } from "./oidc-provider.ts";

const APP = "http://127.0.0.1:3000/welcome";
const settings = {
  enabled: true,
  client_id: "client,ios-client",
  secret: "secret",
  url: "",
  email_optional: false,
};

const provider = await OidcProvider.open();
const backend = await authBackend({
  enable_manual_linking: true,
  enable_anonymous_sign_ins: true,
  external: {
    keycloak: { ...settings, url: provider.url },
    github: { ...settings, url: provider.url },
    azure: { ...settings, url: "http://127.0.0.1:1" },
    google: settings,
    apple: { ...settings, skip_nonce_check: true },
    facebook: { ...settings, enabled: false },
  },
});
afterAll(async () => {
  await backend.drop();
  await provider.close();
});

const go = (url: string) => fetch(url, { redirect: "manual" });
const target = (response: Response) => new URL(response.headers.get("location") ?? "missing:");

async function signIn(name: "keycloak" | "github", query: Record<string, string> = {}): Promise<URL> {
  const ask = new URLSearchParams({ provider: name, redirect_to: APP, ...query });
  const there = target(await go(`${backend.url}/auth/v1/authorize?${ask}`));
  const back = new URLSearchParams({ state: there.searchParams.get("state") ?? "", code: "provider-code" });
  return target(await go(`${backend.url}/auth/v1/callback?${back}`));
}

describe("a provider with an address in configuration", () => {
  it("is found by discovery and asked with client, callback, state, scopes and whatever the app adds", async () => {
    const ask = new URLSearchParams({
      provider: "keycloak",
      scopes: "offline",
      login_hint: "ada",
      redirect_to: APP,
    });
    const response = await go(`${backend.url}/auth/v1/authorize?${ask}`);
    expect(response.status).toBe(302);
    const there = target(response);
    expect(`${there.origin}${there.pathname}`).toBe(`${provider.url}/authorize`);
    expect(Object.fromEntries(there.searchParams)).toMatchObject({
      tenant: "one",
      client_id: "client",
      redirect_uri: `${backend.url}/auth/v1/callback`,
      response_type: "code",
      login_hint: "ada",
    });
    expect(there.searchParams.get("scope")).toMatch(/openid.* offline$/);
  });

  it("signs in by the ID token that its code is exchanged for, and hands its tokens on", async () => {
    provider.person = { sub: "kc-1", email: "Ada@Example.com", email_verified: true, name: "Ada" };
    const done = await signIn("keycloak");
    const session = fragmentOf(done);
    expect(session.get("provider_token")).toBe("provider-access");
    expect(session.get("provider_refresh_token")).toBe("provider-refresh");
    expect(Object.fromEntries(provider.exchanges.at(-1) ?? [])).toEqual({
      grant_type: "authorization_code",
      code: "provider-code",
      redirect_uri: `${backend.url}/auth/v1/callback`,
      client_id: "client",
      client_secret: "secret",
    });
    const { data } = await clientOf(backend).auth.getUser(session.get("access_token") ?? "");
    expect(data.user).toMatchObject({
      email: "ada@example.com",
      app_metadata: { provider: "keycloak", providers: ["keycloak"] },
      identities: [{ provider: "keycloak", id: "kc-1", identity_data: { iss: provider.url, name: "Ada" } }],
    });
  });

  it("reads GitHub's accounts by its API, with the primary address", async () => {
    provider.person = { sub: "ignored", email: "grace@example.com", email_verified: true, name: "Grace" };
    const session = fragmentOf(await signIn("github"));
    const { data } = await clientOf(backend).auth.getUser(session.get("access_token") ?? "");
    expect(data.user).toMatchObject({
      email: "grace@example.com",
      user_metadata: { user_name: "ada", preferred_username: "ada", full_name: "Grace", provider_id: "42" },
      identities: [{ provider: "github", id: "42" }],
    });
  });

  it("leads back with server_error when the provider refuses the code", async () => {
    provider.refusal = 400;
    const done = await signIn("keycloak");
    provider.refusal = undefined;
    expect(done.searchParams.get("error")).toBe("server_error");
    expect(done.searchParams.get("error_description")).toBe("Unable to exchange external code");
  });

  it("has no local page", async () => {
    const page = await go(`${backend.url}/auth/v1/homebase/oauth/keycloak/authorize?client_id=client`);
    expect(page.status).toBe(404);
  });

  it("answers 501 when nothing at the address says how it is spoken to", async () => {
    const response = await go(`${backend.url}/auth/v1/authorize?provider=azure`);
    expect(response.status).toBe(501);
    expect(await response.json()).toMatchObject({ error_code: "not_implemented" });
  });
});

/** A token of the stand-in's Google. */
async function googleToken(
  form: Record<string, string>,
): Promise<{ id_token: string; access_token: string }> {
  const response = await fetch(`${backend.url}/auth/v1/homebase/oauth/google/token`, {
    method: "POST",
    body: new URLSearchParams(form),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as { id_token: string; access_token: string };
}

const grant = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  fetch(`${backend.url}/auth/v1/token?grant_type=id_token`, {
    method: "POST",
    headers: { apikey: backend.publishableKey, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  }).then(async (response) => ({
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
  }));

describe("signInWithIdToken", () => {
  it("takes a token of the local page's Google, which has an issuer and keys of its own", async () => {
    const issuer = `${backend.url}/auth/v1/homebase/oauth/google`;
    const configuration = (await (
      await fetch(`${issuer}/.well-known/openid-configuration`)
    ).json()) as Record<string, string>;
    expect(configuration).toMatchObject({ issuer, jwks_uri: `${issuer}/jwks` });
    const nonce = "raw nonce";
    const hash = createHash("sha256").update(nonce).digest("hex");
    const { id_token: token, access_token } = await googleToken({
      email: "g@example.com",
      name: "G",
      nonce: hash,
    });
    const { data, error } = await clientOf(backend).auth.signInWithIdToken({
      provider: "google",
      token,
      access_token,
      nonce,
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      email: "g@example.com",
      app_metadata: { provider: "google" },
      user_metadata: { iss: issuer, full_name: "G", email_verified: true },
    });
    expect(decodeJwt(data.session?.access_token ?? "").amr).toMatchObject([
      { method: "oauth", provider: "google" },
    ]);
    const again = await clientOf(backend).auth.signInWithIdToken({ provider: "google", token, nonce });
    expect(again.data.user?.id).toBe(data.user?.id);
  });

  it("takes a token of a provider with an address, checked by the keys at that address", async () => {
    const token = await provider.idToken({ sub: "kc-9", email: "nine@example.com", email_verified: true });
    const { data, error } = await clientOf(backend).auth.signInWithIdToken({ provider: "keycloak", token });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email: "nine@example.com", identities: [{ id: "kc-9" }] });
    const byIssuer = await grant({ issuer: provider.url, client_id: "client", id_token: token });
    expect(byIssuer.body).toMatchObject({ token_type: "bearer", user: { id: data.user?.id } });
  });

  it("links the account to who is signed in", async () => {
    const client = clientOf(backend);
    const { data: anonymous } = await client.auth.signInAnonymously();
    const { id_token } = await googleToken({ email: "linked@example.com" });
    const linked = await grant(
      { provider: "google", id_token, link_identity: true },
      { authorization: `Bearer ${anonymous.session?.access_token}` },
    );
    expect(linked.body).toMatchObject({
      user: { id: anonymous.user?.id, is_anonymous: false, email: "linked@example.com" },
    });
    // The gateway replaces a missing token by the key's own, which belongs to no user.
    expect(await grant({ provider: "google", id_token, link_identity: true })).toMatchObject({
      status: 403,
      body: { error_code: "bad_jwt", msg: "invalid claim: missing sub claim" },
    });
  });

  const refusals: [string, () => Promise<Record<string, unknown>>, Record<string, unknown>][] = [
    ["no token", async () => ({}), { error: "invalid request", error_description: "id_token required" }],
    [
      "neither provider nor issuer",
      async () => ({ id_token: "x" }),
      { error: "invalid request", error_description: "provider or client_id and issuer required" },
    ],
    [
      "a provider that is switched off",
      async () => ({ id_token: "x", provider: "facebook" }),
      { error_code: "provider_disabled", msg: 'Provider (issuer "https://www.facebook.com") is not enabled' },
    ],
    [
      "a provider without ID tokens",
      async () => ({ id_token: "x", provider: "github" }),
      { error_code: "validation_failed", msg: 'Custom OIDC provider "github" not allowed' },
    ],
    [
      "what is no token",
      async () => ({ id_token: "x", provider: "keycloak" }),
      { error: "invalid request", error_description: "Bad ID token" },
    ],
    [
      "a token of another issuer",
      async () => ({ id_token: await provider.idToken({ sub: "1" }), provider: "google" }),
      { error: "invalid request", error_description: "Bad ID token" },
    ],
    [
      "a token that is too old",
      async () => ({
        id_token: await provider.idToken({ sub: "1", email: "a@b.co" }, -60),
        provider: "keycloak",
      }),
      { error: "invalid request", error_description: "Bad ID token" },
    ],
    [
      "a token by another key",
      async () => {
        const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
        const key = await crypto.subtle.importKey(
          "pkcs8",
          privateKey.export({ type: "pkcs8", format: "der" }),
          { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
          false,
          ["sign"],
        );
        const id_token = await provider.idToken({ sub: "1", email: "a@b.co" }, 60, key);
        return { id_token, provider: "keycloak" };
      },
      { error: "invalid request", error_description: "Bad ID token" },
    ],
    [
      "a token without subject",
      async () => ({ id_token: await provider.idToken({ email: "a@b.co" }), provider: "keycloak" }),
      { error: "invalid request", error_description: "Missing sub claim in id_token" },
    ],
    [
      "a token for another client",
      async () => ({
        id_token: await provider.idToken({ sub: "1", email: "a@b.co", aud: ["x", "y"] }),
        provider: "keycloak",
      }),
      { error: "invalid request", error_description: "Unacceptable audience in id_token: [x y]" },
    ],
    [
      "a nonce in the token alone",
      async () => ({
        id_token: await provider.idToken({ sub: "1", email: "a@b.co", nonce: "n" }),
        provider: "keycloak",
      }),
      {
        error: "invalid request",
        error_description: "Passed nonce and nonce in id_token should either both exist or not.",
      },
    ],
    [
      "another nonce",
      async () => ({
        id_token: await provider.idToken({ sub: "1", email: "a@b.co", nonce: "n" }),
        provider: "keycloak",
        nonce: "m",
      }),
      { error: "invalid nonce", error_description: "Nonces mismatch" },
    ],
    [
      "an access token that belongs to another ID token",
      async () => ({
        id_token: (await googleToken({ email: "g@example.com" })).id_token,
        provider: "google",
        access_token: "other",
      }),
      { error: "invalid request", error_description: "Bad ID token" },
    ],
  ];
  it.each(refusals)("refuses %s", async (_what, body, expected) => {
    expect(await grant(await body())).toMatchObject({ status: 400, body: expected });
  });

  it("takes a second client id of the list, and no nonce check where configuration skips it", async () => {
    const token = await provider.idToken({ sub: "kc-9", email: "nine@example.com", aud: "ios-client" });
    expect((await grant({ provider: "keycloak", id_token: token })).status).toBe(200);
    const form = new URLSearchParams({ email: "apple@example.com", nonce: "unchecked" });
    const address = `${backend.url}/auth/v1/homebase/oauth/apple/token`;
    const made = (await (await fetch(address, { method: "POST", body: form })).json()) as {
      id_token: string;
    };
    expect((await grant({ provider: "apple", id_token: made.id_token })).status).toBe(200);
  });
});
