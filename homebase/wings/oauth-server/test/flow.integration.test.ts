/**
 * Signing in to another application with the OAuth server, with openid-client as the application and
 * supabase-js as the consent page (docs/compat/auth.md 1, "OAuth server"; supabase/auth,
 * internal/api/oauthserver).
 */
import { randomUUID } from "node:crypto";
import * as openid from "openid-client";
import { beforeAll, describe, expect, it } from "vitest";
import { adminOf, clientOf, PASSWORD } from "../../../test/auth/client.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import { authBackend } from "../../testing.ts";

const BACK = "https://tool.example/back";

let userId: string;
const EMAIL = "ada@example.com";
const backend = await forThisFile(
  authBackend({ oauth_server: { enabled: true, allow_dynamic_registration: true } }),
);
const user = clientOf(backend);
beforeAll(async () => {
  const { data } = await user.auth.signUp({
    email: EMAIL,
    password: PASSWORD,
    options: { data: { name: "Ada", avatar_url: "https://a.test/ada.png", username: "ada" } },
  });
  userId = data.user?.id ?? "";
});

type How = openid.DiscoveryRequestOptions["algorithm"];
const discover = (id: string, secret?: string, auth?: openid.ClientAuth, algorithm: How = "oidc") =>
  openid.discovery(new URL(`${backend.url}/auth/v1`), id, secret, auth, {
    execute: [openid.allowInsecureRequests],
    algorithm,
  });

/** A confidential application. */
async function application(changes: Record<string, unknown> = {}) {
  const { data, error } = await adminOf(backend).auth.admin.oauth.createClient({
    client_name: "Tool",
    client_uri: "https://tool.example",
    redirect_uris: [BACK],
    ...changes,
  });
  if (error) throw error;
  return data;
}

interface Asked {
  config: openid.Configuration;
  verifier: string;
  state: string;
  nonce: string;
  /** The consent page's parameters. */
  authorizationId: string;
}

/** The application sends the browser to the server, which redirects it to the consent page. */
async function ask(config: openid.Configuration, scope: string): Promise<Asked> {
  const verifier = openid.randomPKCECodeVerifier();
  const state = openid.randomState();
  const nonce = openid.randomNonce();
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: BACK,
    scope,
    state,
    nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  const { status, headers } = await fetch(url, { redirect: "manual" });
  const page = new URL(headers.get("location") ?? "");
  expect([status, page.origin + page.pathname]).toEqual([
    302,
    `${backend.config.auth.site_url}/oauth/consent`,
  ]);
  const authorizationId = page.searchParams.get("authorization_id") ?? "";
  return { config, verifier, state, nonce, authorizationId };
}

const redeem = ({ config, verifier, state, nonce }: Asked, back: string) =>
  openid.authorizationCodeGrant(config, new URL(back), {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
  });

async function approve(asked: Asked): Promise<string> {
  const shown = await user.auth.oauth.getAuthorizationDetails(asked.authorizationId);
  if (shown.data && "redirect_url" in shown.data) return shown.data.redirect_url;
  const { data, error } = await user.auth.oauth.approveAuthorization(asked.authorizationId);
  if (error) throw error;
  return data.redirect_url;
}

const call = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${backend.url}/auth/v1/${path}`, { redirect: "manual", ...init });
  const text = await response.text();
  return {
    status: response.status,
    location: response.headers.get("location"),
    body: text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
};

it("is found by OpenID Connect and by OAuth, at both addresses of the latter, with one document", async () => {
  const { client_id: id } = await application();
  const byConnect = (await discover(id)).serverMetadata();
  const byOAuth = (await discover(id, undefined, undefined, "oauth2")).serverMetadata();
  expect({ ...byOAuth }).toEqual({ ...byConnect });
  expect(byConnect).toMatchObject({
    issuer: `${backend.url}/auth/v1`,
    registration_endpoint: `${backend.url}/auth/v1/oauth/clients/register`,
    code_challenge_methods_supported: ["S256", "plain"],
  });
  const document = await (
    await fetch(`${backend.url}/.well-known/oauth-authorization-server/auth/v1`)
  ).json();
  for (const address of [
    "/.well-known/oauth-authorization-server",
    "/auth/v1/.well-known/oauth-authorization-server",
    "/auth/v1/.well-known/openid-configuration",
  ]) {
    const answer = await fetch(`${backend.url}${address}`);
    expect([answer.status, await answer.json()]).toEqual([200, document]);
  }
});

it("signs a user in to an application, which asks about the user and goes on with the session", async () => {
  const { client_id: id, client_secret: secret = "" } = await application();
  const asked = await ask(
    await discover(id, secret, openid.ClientSecretBasic(secret)),
    "openid email profile",
  );

  const shown = await user.auth.oauth.getAuthorizationDetails(asked.authorizationId);
  expect(shown.data).toEqual({
    authorization_id: asked.authorizationId,
    redirect_uri: BACK,
    client: { id, name: "Tool", uri: "https://tool.example" },
    user: { id: userId, email: EMAIL },
    scope: "openid email profile",
  });
  const approved = await user.auth.oauth.approveAuthorization(asked.authorizationId);
  const back = new URL(approved.data?.redirect_url ?? "");
  expect([back.origin + back.pathname, back.searchParams.get("state")]).toEqual([BACK, asked.state]);

  const tokens = await redeem(asked, back.href);
  expect(Object.keys(tokens).sort()).toEqual([
    "access_token",
    "expires_in",
    "id_token",
    "refresh_token",
    "token_type",
  ]);
  expect(tokens.claims()).toMatchObject({
    iss: `${backend.url}/auth/v1`,
    aud: id,
    sub: userId,
    nonce: asked.nonce,
    email: EMAIL,
    email_verified: true,
    phone_number_verified: false,
    name: "Ada",
    picture: "https://a.test/ada.png",
    preferred_username: "ada",
    client_id: id,
  });
  const claims = JSON.parse(
    Buffer.from(tokens.access_token.split(".")[1] ?? "", "base64url").toString(),
  ) as Record<string, unknown>;
  expect(claims).toMatchObject({
    sub: userId,
    role: "authenticated",
    client_id: id,
    scope: "openid email profile",
    amr: [{ method: "oauth_provider/authorization_code" }],
  });

  expect(await openid.fetchUserInfo(asked.config, tokens.access_token, userId)).toMatchObject({
    sub: userId,
    email: EMAIL,
    email_verified: true,
    name: "Ada",
    user_metadata: { username: "ada" },
  });

  const first = tokens.refresh_token ?? "";
  const next = await openid.refreshTokenGrant(asked.config, first);
  expect(next.refresh_token).not.toBe(first);
  const again = await openid.refreshTokenGrant(asked.config, next.refresh_token ?? "");
  const renewed = JSON.parse(Buffer.from(again.access_token.split(".")[1] ?? "", "base64url").toString());
  expect(renewed).toMatchObject({
    client_id: id,
    scope: "openid email profile",
    session_id: claims.session_id,
  });
  // The first token is two behind: using it ends the session, once the reuse interval is over.
  backend.clock.advance(60_000);
  await expect(openid.refreshTokenGrant(asked.config, first)).rejects.toMatchObject({
    error: "invalid_grant",
  });
  await expect(openid.refreshTokenGrant(asked.config, again.refresh_token ?? "")).rejects.toMatchObject({
    error: "invalid_grant",
  });
});

it("tells only what the scopes are for", async () => {
  const { client_id: id, client_secret: secret = "" } = await application();
  const asked = await ask(await discover(id, secret, openid.ClientSecretBasic(secret)), "openid");
  const tokens = await redeem(asked, await approve(asked));
  expect(Object.keys(tokens.claims() ?? {}).sort()).toEqual([
    "aud",
    "auth_time",
    "client_id",
    "email_verified",
    "exp",
    "iat",
    "iss",
    "nonce",
    "phone_number_verified",
    "sub",
  ]);
  expect(await openid.fetchUserInfo(asked.config, tokens.access_token, userId)).toEqual({ sub: userId });
  const plain = await ask(await discover(id, secret, openid.ClientSecretBasic(secret)), "email");
  const granted = await openid.authorizationCodeGrant(plain.config, new URL(await approve(plain)), {
    pkceCodeVerifier: plain.verifier,
    expectedState: plain.state,
  });
  expect(granted.id_token).toBeUndefined();
});

it("registers a public application by itself, which needs no secret but its verifier", async () => {
  const config = await openid.dynamicClientRegistration(
    new URL(`${backend.url}/auth/v1`),
    { redirect_uris: [BACK], client_name: "Found", token_endpoint_auth_method: "none" },
    openid.None(),
    { execute: [openid.allowInsecureRequests] },
  );
  const asked = await ask(config, "openid");
  const tokens = await redeem(asked, await approve(asked));
  expect(tokens.claims()?.sub).toBe(userId);
});

it("asks no second time for what was consented to, and does after the grant is revoked", async () => {
  const { client_id: id, client_secret: secret = "" } = await application({ client_name: "Once" });
  const config = await discover(id, secret, openid.ClientSecretBasic(secret));
  const first = await ask(config, "openid email");
  const tokens = await redeem(first, await approve(first));

  const narrower = await ask(config, "email");
  const straight = await user.auth.oauth.getAuthorizationDetails(narrower.authorizationId);
  expect(straight.data).toEqual({ redirect_url: expect.stringContaining(`${BACK}?code=`) });
  const wider = await ask(config, "openid email phone");
  expect((await user.auth.oauth.getAuthorizationDetails(wider.authorizationId)).data).toHaveProperty(
    "client",
  );

  const grants = await user.auth.oauth.listGrants();
  expect(grants.data?.find(({ client }) => client.id === id)).toEqual({
    client: { id, name: "Once", uri: "https://tool.example" },
    scopes: ["openid", "email"],
    granted_at: expect.stringMatching(/Z$/),
  });
  expect((await user.auth.oauth.revokeGrant({ clientId: id })).error).toBeNull();
  expect((await user.auth.oauth.listGrants()).data?.some(({ client }) => client.id === id)).toBe(false);
  expect((await user.auth.oauth.revokeGrant({ clientId: id })).error).toMatchObject({
    status: 404,
    code: "oauth_consent_not_found",
  });
  await expect(openid.refreshTokenGrant(config, tokens.refresh_token ?? "")).rejects.toMatchObject({
    error: "invalid_grant",
  });
  const after = await ask(config, "email");
  expect((await user.auth.oauth.getAuthorizationDetails(after.authorizationId)).data).toHaveProperty(
    "client",
  );
});

it("tells an application that the user has denied it", async () => {
  const { client_id: id, client_secret: secret = "" } = await application();
  const asked = await ask(await discover(id, secret, openid.ClientSecretBasic(secret)), "phone");
  await user.auth.oauth.getAuthorizationDetails(asked.authorizationId);
  const denied = await user.auth.oauth.denyAuthorization(asked.authorizationId);
  const back = denied.data?.redirect_url ?? "";
  expect(back).toBe(
    `${BACK}?error=access_denied&error_description=User+denied+the+request&state=${encodeURIComponent(asked.state)}`,
  );
  await expect(redeem(asked, back)).rejects.toMatchObject({ error: "access_denied" });
  expect((await user.auth.oauth.approveAuthorization(asked.authorizationId)).error).toMatchObject({
    status: 400,
    message: "authorization request cannot be processed",
  });
});

describe("a code", () => {
  const begin = async (scope = "email") => {
    const { client_id: id, client_secret: secret = "" } = await application();
    const asked = await ask(await discover(id, secret, openid.ClientSecretBasic(secret)), scope);
    const code = new URL(await approve(asked)).searchParams.get("code") ?? "";
    const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
    const token = (fields: Record<string, string>, authorization = basic) =>
      call("oauth/token", {
        method: "POST",
        headers: { authorization },
        body: new URLSearchParams({ grant_type: "authorization_code", code, ...fields }),
      });
    return { asked, token, id, secret, code };
  };

  it("is redeemed once, however many ask at a time", async () => {
    const { asked, token } = await begin();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => token({ code_verifier: asked.verifier, redirect_uri: BACK })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
    expect(answers.find(({ status }) => status === 400)?.body).toEqual({
      error: "invalid_grant",
      error_description: "Invalid authorization code",
    });
  });

  it("needs its verifier, its address, its application and its time", async () => {
    const { asked, token } = await begin();
    const other = await begin();
    const refused = async (answer: Promise<{ status: number; body: Record<string, unknown> }>) => {
      const { status, body } = await answer;
      return [status, body.error ?? body.error_code, body.error_description ?? body.msg];
    };
    expect(await refused(token({}))).toEqual([
      400,
      "invalid_grant",
      "PKCE verification failed: code_verifier is required when PKCE challenge is present",
    ]);
    expect(await refused(token({ code_verifier: "x".repeat(43) }))).toEqual([
      400,
      "invalid_grant",
      "PKCE verification failed: code challenge does not match previously saved code verifier",
    ]);
    expect(await refused(token({ code_verifier: asked.verifier, redirect_uri: `${BACK}/2` }))).toEqual([
      400,
      "invalid_grant",
      "Invalid redirect_uri",
    ]);
    const foreign = `Basic ${Buffer.from(`${other.id}:${other.secret}`).toString("base64")}`;
    expect(await refused(token({ code_verifier: asked.verifier }, foreign))).toEqual([
      400,
      "invalid_grant",
      "Authorization code was not issued for this client",
    ]);
    expect(await refused(token({ code_verifier: asked.verifier }, "Basic bm9uZQ=="))).toEqual([
      400,
      "invalid_credentials",
      "Invalid client credentials: invalid basic auth format",
    ]);
    expect(await refused(token({ code_verifier: asked.verifier }, `${foreign.slice(0, -4)}AAAA`))).toEqual([
      400,
      "invalid_credentials",
      "invalid client credentials",
    ]);
    expect(await refused(token({ client_id: other.id, client_secret: other.secret }, ""))).toEqual([
      400,
      "invalid_credentials",
      "invalid authentication method: client is registered for 'client_secret_basic' but 'client_secret_post' was used",
    ]);
    backend.clock.advance(11 * 60_000);
    expect(await refused(token({ code_verifier: asked.verifier }))).toEqual([
      400,
      "invalid_grant",
      "Authorization code has expired",
    ]);
  });
});

describe("a refresh token", () => {
  it("of an application serves that application alone, and no other serves an application", async () => {
    const { client_id: id, client_secret: secret = "" } = await application();
    const config = await discover(id, secret, openid.ClientSecretBasic(secret));
    const asked = await ask(config, "email");
    const tokens = await openid.authorizationCodeGrant(config, new URL(await approve(asked)), {
      pkceCodeVerifier: asked.verifier,
      expectedState: asked.state,
    });
    const own = await call("token?grant_type=refresh_token", {
      method: "POST",
      headers: { apikey: backend.publishableKey },
      body: JSON.stringify({ refresh_token: tokens.refresh_token }),
    });
    expect([own.status, own.body]).toEqual([
      400,
      { error: "invalid_client", error_description: "Client authentication required for OAuth session" },
    ]);
    const { data } = await user.auth.getSession();
    await expect(openid.refreshTokenGrant(config, data.session?.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_client",
      error_description: "Client authentication not allowed for non-OAuth session",
    });
    const second = await application();
    const stranger = await discover(
      second.client_id,
      second.client_secret ?? "",
      openid.ClientSecretBasic(second.client_secret ?? ""),
    );
    await expect(openid.refreshTokenGrant(stranger, tokens.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_client",
      error_description: "Client does not match the session's OAuth client",
    });
  });
});

describe("a request", () => {
  const CHALLENGE = "c".repeat(43);
  it("of an unknown application or address is answered here, other faults at the application's address", async () => {
    const { client_id: id } = await application();
    const authorize = (parameters: Record<string, string>) =>
      call(`oauth/authorize?${new URLSearchParams(parameters)}`);
    const good = {
      client_id: id,
      redirect_uri: BACK,
      code_challenge: CHALLENGE,
      code_challenge_method: "s256",
    };
    expect(await authorize({})).toMatchObject({ status: 400, body: { msg: "client_id is required" } });
    expect(await authorize({ client_id: id })).toMatchObject({ body: { msg: "redirect_uri is required" } });
    expect(await authorize({ ...good, client_id: "x" })).toMatchObject({
      status: 400,
      body: { error_code: "oauth_client_not_found", msg: "invalid client_id format" },
    });
    expect(await authorize({ ...good, client_id: randomUUID() })).toMatchObject({
      body: { error_code: "oauth_client_not_found", msg: "invalid client_id" },
    });
    expect(await authorize({ ...good, redirect_uri: `${BACK}/other` })).toMatchObject({
      status: 400,
      location: null,
      body: { error_code: "validation_failed", msg: "invalid redirect_uri" },
    });
    const told: [Record<string, string>, string][] = [
      [{ response_type: "token" }, "only response_type=code is supported"],
      [{ scope: "email admin" }, "unsupported scope: admin"],
      [{ resource: "nowhere" }, "resource must be an absolute URI"],
      [{ resource: "https://a.test/#b" }, "resource must not include a fragment component"],
      [{ code_challenge: "" }, "PKCE flow requires both code_challenge and code_challenge_method"],
      [{ code_challenge_method: "s512" }, "code_challenge_method must be 'S256' or 'plain'"],
      [{ code_challenge: "short" }, "code_challenge must be between 43 and 128 characters"],
    ];
    for (const [changes, description] of told) {
      const { status, location } = await authorize({ ...good, ...changes, state: "mine" });
      const back = new URL(location ?? "");
      expect([status, back.origin + back.pathname, Object.fromEntries(back.searchParams)]).toEqual([
        302,
        BACK,
        { error: "invalid_request", error_description: description, state: "mine" },
      ]);
    }
  });

  it("is shown to its first user alone, to no foreign page, and for ten minutes", async () => {
    const { client_id: id, client_secret: secret = "" } = await application();
    const config = await discover(id, secret, openid.ClientSecretBasic(secret));
    const asked = await ask(config, "openid email profile phone");
    const { data } = await user.auth.getSession();
    const headers = { apikey: backend.publishableKey, authorization: `Bearer ${data.session?.access_token}` };
    expect(
      await call(`oauth/authorizations/${asked.authorizationId}`, {
        headers: { ...headers, origin: "https://evil.example" },
      }),
    ).toMatchObject({ status: 400, body: { msg: "unauthorized request origin" } });
    await user.auth.oauth.getAuthorizationDetails(asked.authorizationId);
    const other = clientOf(backend);
    await other.auth.signUp({ email: "bob@example.com", password: PASSWORD });
    expect((await other.auth.oauth.getAuthorizationDetails(asked.authorizationId)).error).toMatchObject({
      status: 404,
      code: "oauth_authorization_not_found",
    });
    expect((await other.auth.oauth.approveAuthorization(asked.authorizationId)).error).toMatchObject({
      status: 404,
    });
    backend.clock.advance(11 * 60_000);
    expect((await user.auth.oauth.approveAuthorization(asked.authorizationId)).error).toMatchObject({
      status: 404,
      code: "oauth_authorization_not_found",
    });
    expect(
      await backend.sql("select status from auth.oauth_authorizations where authorization_id = $1", [
        asked.authorizationId,
      ]),
    ).toEqual([{ status: "expired" }]);
  });
});

it("is not there where it is off", async () => {
  const off = await authBackend();
  try {
    for (const path of ["/.well-known/oauth-authorization-server", "/auth/v1/oauth/authorize"]) {
      const answer = await fetch(`${off.url}${path}`);
      expect([answer.status, await answer.json()]).toMatchObject([404, { error_code: "feature_disabled" }]);
    }
  } finally {
    await off.drop();
  }
});
