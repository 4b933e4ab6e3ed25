/** Sign-in with a provider, with Homebase's local page as its stand-in (docs/compat/auth.md 2, "OAuth"). */
import type { Provider, SupabaseClient } from "@supabase/supabase-js";
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { adminOf, authBackend, clientOf, fragmentOf, mailTo, PASSWORD } from "../client.ts";

const APP = "http://127.0.0.1:3000/welcome?from=test";
const provider = { enabled: true, client_id: "client", secret: "secret", url: "", email_optional: false };

const backend = await forThisFile(
  authBackend({
    enable_manual_linking: true,
    enable_anonymous_sign_ins: true,
    email: {
      enable_confirmations: true,
      notification: { identity_linked: { enabled: true }, identity_unlinked: { enabled: true } },
    },
    external: {
      github: provider,
      google: provider,
      discord: { ...provider, email_optional: true },
      gitlab: { ...provider, enabled: false },
      figma: { ...provider, secret: "" },
    },
  }),
);

/** A response's Location. */
function target(response: Response): URL {
  return new URL(response.headers.get("location") ?? "missing:");
}

const open = (url: string, form?: Record<string, string>) =>
  fetch(url, {
    redirect: "manual",
    ...(form ? { method: "POST", body: new URLSearchParams(form) } : {}),
  });

/** The URL of the provider's page for a new sign-in. */
async function start(client: SupabaseClient, name: Provider = "github", redirectTo = APP): Promise<URL> {
  const { data } = await client.auth.signInWithOAuth({
    provider: name,
    options: { redirectTo, skipBrowserRedirect: true },
  });
  const response = await open(data.url ?? "");
  expect(response.status).toBe(302);
  return target(response);
}

/** Submits the page and follows the provider's redirect through the callback. */
async function consent(page: URL | string, form: Record<string, string>): Promise<URL> {
  const back = await open(String(page), form);
  expect(back.status).toBe(302);
  const done = await open(String(target(back)));
  expect(done.status).toBe(302);
  return target(done);
}

async function signIn(form: Record<string, string>, name: Provider = "github") {
  const client = clientOf(backend, { pkce: true });
  const url = await consent(await start(client, name), form);
  const code = url.searchParams.get("code");
  if (!code) return { client, url, user: null };
  const { data, error } = await client.auth.exchangeCodeForSession(code);
  if (error) throw error;
  return { client, url, user: data.user, session: data.session };
}

const ada = { email: "Ada@Example.com", name: "Ada Lovelace", verified: "true" };

async function confirmedUser(email: string) {
  const { data, error } = await adminOf(backend).auth.admin.createUser({
    email,
    password: PASSWORD,
    email_confirm: true,
  });
  if (error) throw error;
  return data.user;
}

describe("/authorize", () => {
  it("leads to the provider with client, callback, scope and a state that is remembered", async () => {
    const page = await start(clientOf(backend));
    expect(page.pathname).toBe("/auth/v1/homebase/oauth/github/authorize");
    expect(Object.fromEntries(page.searchParams)).toMatchObject({
      client_id: "client",
      redirect_uri: `${backend.url}/auth/v1/callback`,
      response_type: "code",
      scope: "user:email",
    });
    const rows = await backend.sql("select provider_type, referrer from auth.flow_state where id = $1", [
      page.searchParams.get("state"),
    ]);
    expect(rows).toEqual([{ provider_type: "github", referrer: APP }]);
  });

  it.each([
    ["nosuch", "Unsupported provider: Provider nosuch could not be found"],
    ["gitlab", "Unsupported provider: provider is not enabled"],
    ["figma", "Unsupported provider: missing OAuth secret"],
  ])("refuses %s: %s", async (name, msg) => {
    const response = await open(`${backend.url}/auth/v1/authorize?provider=${name}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ code: 400, error_code: "validation_failed", msg });
  });
});

describe("the page in the provider's place", () => {
  it("is HTML that no other page can frame, and escapes what it shows", async () => {
    await confirmedUser("o'neill@example.com");
    const response = await open(String(await start(clientOf(backend))));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    const html = await response.text();
    expect(html).toContain("Sign in with GitHub");
    expect(html).toContain("o&#39;neill@example.com");
  });

  it("asks again for an address that is none", async () => {
    const response = await open(String(await start(clientOf(backend))), { email: "<x>", name: "X" });
    expect(response.status).toBe(400);
    const html = await response.text();
    expect(html).toContain("This is no e-mail address.");
    expect(html).toContain('value="&lt;x&gt;"');
  });

  it("serves nobody who did not come by /authorize, and leads nowhere but to the callback", async () => {
    const page = await start(clientOf(backend));
    for (const [name, value] of [
      ["state", crypto.randomUUID()],
      ["redirect_uri", "https://evil.test/"],
      ["client_id", "another"],
    ] as const) {
      const changed = new URL(page);
      changed.searchParams.set(name, value);
      expect((await open(String(changed), ada)).status).toBe(400);
    }
  });

  it("offers an account that was used before, and users who have none", async () => {
    const { user } = await signIn({ email: "picked@example.com", name: "Picked", verified: "true" });
    const page = await start(clientOf(backend, { pkce: true }));
    const html = await (await open(String(page))).text();
    const identity = user?.identities?.[0]?.identity_id;
    expect(html).toContain(`value="identity:${identity}"`);
    const again = await signIn({ account: `identity:${identity}` });
    expect(again.user?.id).toBe(user?.id);
    const known = await confirmedUser("offered@example.com");
    const linked = await signIn({ account: `user:${known.id}` });
    expect(linked.user).toMatchObject({ id: known.id, app_metadata: { providers: ["email", "github"] } });
  });
});

describe("/callback", () => {
  it("makes a new user of a verified account, by PKCE, with the provider's tokens", async () => {
    const { url, user, session, client } = await signIn(ada);
    expect(`${url.origin}${url.pathname}`).toBe("http://127.0.0.1:3000/welcome");
    expect(url.searchParams.get("from")).toBe("test");
    expect(user).toMatchObject({
      email: "ada@example.com",
      app_metadata: { provider: "github", providers: ["github"] },
      user_metadata: {
        email: "ada@example.com",
        email_verified: true,
        full_name: "Ada Lovelace",
        preferred_username: "Ada",
        phone_verified: false,
        iss: "https://api.github.com",
      },
    });
    expect(user?.identities).toMatchObject([{ provider: "github", id: user?.user_metadata.sub }]);
    expect(session?.provider_token).toMatch(/^local_/);
    expect((await client.auth.getClaims()).data?.claims.amr).toMatchObject([{ method: "oauth" }]);
    const picture = await fetch(user?.user_metadata.avatar_url);
    expect(picture.headers.get("content-type")).toBe("image/svg+xml");
  });

  it("gives an implicit client its session in the fragment, keys sorted, without type", async () => {
    const page = await start(clientOf(backend));
    const fragment = fragmentOf(await consent(page, { ...ada, email: "implicit@example.com" }));
    expect([...fragment.keys()]).toEqual([
      "access_token",
      "expires_at",
      "expires_in",
      "provider_refresh_token",
      "provider_token",
      "refresh_token",
      "sb",
      "token_type",
    ]);
  });

  it("signs a known identity in again, with what the provider tells now", async () => {
    const first = await signIn({ ...ada, email: "again@example.com" });
    const second = await signIn({ ...ada, email: "again@example.com", name: "Countess Lovelace" });
    expect(second.user?.id).toBe(first.user?.id);
    expect(second.user?.user_metadata.full_name).toBe("Countess Lovelace");
    expect(second.user?.identities).toHaveLength(1);
  });

  it("adds a verified account to the user of the same address", async () => {
    const user = await confirmedUser("linked@example.com");
    const signed = await signIn({ email: "linked@example.com", verified: "true" }, "google");
    expect(signed.user?.id).toBe(user.id);
    expect(signed.user?.app_metadata).toEqual({ provider: "email", providers: ["email", "google"] });
    const { error } = await clientOf(backend).auth.signInWithPassword({
      email: "linked@example.com",
      password: PASSWORD,
    });
    expect(error).toBeNull();
  });

  it("takes password and identity from whoever signed up with the address but never confirmed it", async () => {
    await clientOf(backend).auth.signUp({ email: "squatted@example.com", password: PASSWORD });
    const { user } = await signIn({ email: "squatted@example.com", verified: "true" });
    expect(user?.identities?.map((one) => one.provider)).toEqual(["github"]);
    const attempt = await clientOf(backend).auth.signInWithPassword({
      email: "squatted@example.com",
      password: PASSWORD,
    });
    expect(attempt.error?.code).toBe("invalid_credentials");
  });

  it("sends an unverified address a confirmation first: provider_email_needs_verification", async () => {
    const { url } = await signIn({ email: "unverified@example.com" });
    const expected = {
      error: "access_denied",
      error_code: "provider_email_needs_verification",
      error_description:
        "Unverified email with github. A confirmation email has been sent to your github email",
    };
    expect(Object.fromEntries(url.searchParams)).toMatchObject(expected);
    expect(Object.fromEntries(fragmentOf(url))).toEqual({ ...expected, sb: "" });
    expect((await open(mailTo(backend, "unverified@example.com").link)).status).toBe(303);
    expect((await signIn({ email: "unverified@example.com" })).user?.email).toBe("unverified@example.com");
  });

  it("never hands a user over to an account with the same unverified address", async () => {
    const owner = await confirmedUser("owned@example.com");
    const { url } = await signIn({ email: "owned@example.com" });
    expect(url.searchParams.get("error_code")).toBe("provider_email_needs_verification");
    const { data } = await adminOf(backend).auth.admin.getUserById(owner.id);
    expect(data.user?.identities?.map((one) => one.provider)).toEqual(["email"]);
  });

  it("leads a denied request back with the provider's error", async () => {
    const { url } = await signIn({ cancel: "true" });
    expect(url.searchParams.get("error")).toBe("access_denied");
    expect(fragmentOf(url).get("error_description")).toBe("The user denied the request");
  });

  it("wants an address, unless the provider's is optional", async () => {
    const page = await start(clientOf(backend), "github");
    expect((await open(String(page), { email: "", name: "Nobody" })).status).toBe(400);
    const { user } = await signIn({ email: "", name: "Nobody" }, "discord");
    expect(user).toMatchObject({ email: "", app_metadata: { provider: "discord" } });
  });

  it("refuses a state that is missing, unknown, used or old, back at the site", async () => {
    const at = async (query: string) => {
      const response = await open(`${backend.url}/auth/v1/callback?${query}`);
      expect(response.status).toBe(303);
      return target(response);
    };
    expect(String(await at("code=x"))).toBe(
      "http://127.0.0.1:3000?error=invalid_request&error_code=bad_oauth_callback&error_description=OAuth+state+parameter+missing".replace(
        "3000?",
        "3000/?",
      ),
    );
    const code = async (query: string) => (await at(query)).searchParams.get("error_code");
    expect(await code(`code=x&state=${crypto.randomUUID()}`)).toBe("bad_oauth_state");
    const client = clientOf(backend, { pkce: true });
    const page = await start(client);
    await consent(page, { ...ada, email: "used@example.com" });
    const state = page.searchParams.get("state");
    expect(await code(`code=x&state=${state}`)).toBe("flow_state_already_used");
    const old = (await start(client)).searchParams.get("state");
    backend.clock.advance(301_000);
    expect(await code(`code=x&state=${old}`)).toBe("bad_oauth_state");
    backend.clock.reset();
  });

  it("takes what a provider posts, as Apple does", async () => {
    const { searchParams } = target(
      await open(String(await start(clientOf(backend))), { ...ada, email: "p@x.yz" }),
    );
    const posted = await open(`${backend.url}/auth/v1/callback`, Object.fromEntries(searchParams));
    expect(posted.status).toBe(302);
    expect(fragmentOf(target(posted)).get("access_token")).not.toBeNull();
  });

  it("accepts an invitation by an account of the address invited, and of no other", async () => {
    const { data } = await adminOf(backend).auth.admin.inviteUserByEmail("guest@example.com");
    const token = new URL(mailTo(backend, "guest@example.com").link).searchParams.get("token") ?? "";
    const invited = async (form: Record<string, string>) => {
      const url = `${backend.url}/auth/v1/authorize?provider=github&redirect_to=${encodeURIComponent(APP)}&invite_token=`;
      expect((await open(`${url}unknown`)).status).toBe(404);
      return consent(target(await open(`${url}${token}`)), form);
    };
    const wrong = await invited({ email: "intruder@example.com", verified: "true" });
    expect(wrong.searchParams.get("error_description")).toBe(
      "Invited email does not match emails from external provider",
    );
    const right = await invited({ email: "guest@example.com", verified: "true" });
    const session = fragmentOf(right).get("access_token") ?? "";
    const { data: user } = await clientOf(backend).auth.getUser(session);
    expect(user.user?.id).toBe(data.user?.id);
  });

  it("knows no code but the page's own, once", async () => {
    const first = target(await open(String(await start(clientOf(backend))), ada));
    const forged = new URL(first);
    forged.searchParams.set("code", "forged");
    const answer = target(await open(String(forged)));
    expect(answer.searchParams.get("error_description")).toBe("Unable to exchange external code");
    expect(answer.searchParams.get("error")).toBe("server_error");
  });

  it("makes no user where sign-up is off, nor signs a banned one in", async () => {
    await using closed = await authBackend({ enable_signup: false, external: { github: provider } });
    const { data } = await clientOf(closed).auth.signInWithOAuth({
      provider: "github",
      options: { skipBrowserRedirect: true },
    });
    const url = await consent(target(await open(data.url ?? "")), ada);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error: "access_denied",
      error_code: "signup_disabled",
    });
    const { user } = await signIn({ ...ada, email: "banned@example.com" });
    await adminOf(backend).auth.admin.updateUserById(user?.id ?? "", { ban_duration: "1h" });
    const banned = await signIn({ ...ada, email: "banned@example.com" });
    expect(banned.url.searchParams.get("error_code")).toBe("user_banned");
  });
});

describe("linking by hand", () => {
  async function link(client: SupabaseClient, form: Record<string, string>) {
    const { data, error } = await client.auth.linkIdentity({
      provider: "google",
      options: { redirectTo: APP, skipBrowserRedirect: true },
    });
    if (error) throw error;
    return consent(data.url ?? "", form);
  }

  it("adds an identity of another address to the signed-in user, who is told, and can unlink it again", async () => {
    const { client, user } = await signIn({ ...ada, email: "hand@example.com" });
    const url = await link(client, { email: "other@example.com", verified: "true" });
    const { data } = await client.auth.exchangeCodeForSession(url.searchParams.get("code") ?? "");
    expect(data.user).toMatchObject({ id: user?.id, email: "hand@example.com" });
    expect(data.user?.app_metadata.providers).toEqual(["github", "google"]);
    expect(mailTo(backend, "hand@example.com").subject).toBe("A new identity has been linked");
    const again = await link(client, { email: "other@example.com", verified: "true" });
    expect(again.searchParams.get("error_code")).toBe("identity_already_exists");
    const google = data.user?.identities?.find((one) => one.provider === "google");
    if (!google) throw new Error("no identity");
    expect((await client.auth.unlinkIdentity(google)).error).toBeNull();
    expect(mailTo(backend, "hand@example.com").subject).toBe("An identity has been unlinked");
    const { data: after } = await client.auth.getUserIdentities();
    expect(after?.identities.map((one) => one.provider)).toEqual(["github"]);
  });

  it("makes an anonymous user a lasting one, with the account's verified address", async () => {
    const client = clientOf(backend, { pkce: true });
    const { data: guest } = await client.auth.signInAnonymously();
    const url = await link(client, { email: "lasting@example.com", verified: "true" });
    const { data } = await client.auth.exchangeCodeForSession(url.searchParams.get("code") ?? "");
    expect(data.user).toMatchObject({
      id: guest.user?.id,
      email: "lasting@example.com",
      is_anonymous: false,
      app_metadata: { provider: "google" },
    });
  });
});
