/** Codes of the error catalogue that no other test covers, each by its cause (docs/compat/auth.md 6). */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { adminOf, authBackend, clientOf, fragmentOf, PASSWORD, PROJECT } from "./client.ts";

const PHONE = "4915112345";
const provider = { enabled: true, client_id: "client", secret: "secret", url: "", email_optional: false };
const backend = await forThisFile(
  createBackend({
    projectFolder: PROJECT,
    bare: true,
    config: {
      auth: {
        enable_anonymous_sign_ins: true,
        external: { github: provider },
        email: { max_frequency: 0, secure_password_change: false },
        sms: { enable_signup: true, enable_confirmations: true, twilio: { enabled: true }, max_frequency: 0 },
        mfa: {
          totp: { enroll_enabled: true, verify_enabled: false },
          phone: { enroll_enabled: true, verify_enabled: false },
        },
      },
      environment: {
        GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD: "true",
        GOTRUE_CUSTOM_OAUTH_MAX_PROVIDERS: "1",
      },
    },
  }),
);

async function signedUp() {
  const client = clientOf(backend);
  const email = `c-${crypto.randomUUID()}@example.com`;
  const { data } = await client.auth.signUp({ email, password: PASSWORD });
  return { client, email, id: data.user?.id ?? "", token: data.session?.access_token ?? "" };
}

async function call(method: string, path: string, body: string | undefined, token?: string) {
  const response = await fetch(`${backend.url}/auth/v1/${path}`, {
    method,
    headers: { apikey: backend.publishableKey, ...(token ? { authorization: `Bearer ${token}` } : {}) },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe("the present password, where it is asked for", () => {
  it("is required, has to be right, and is not asked of who came by a link", async () => {
    const { client, email } = await signedUp();
    const change = (attributes: Record<string, string>) => client.auth.updateUser(attributes);
    expect((await change({ password: `x${PASSWORD}` })).error).toMatchObject({
      status: 400,
      code: "current_password_required",
    });
    expect((await change({ password: `x${PASSWORD}`, current_password: "wrong" })).error).toMatchObject({
      status: 400,
      code: "current_password_invalid",
    });
    expect((await change({ password: `x${PASSWORD}`, current_password: PASSWORD })).error).toBeNull();
    const { data } = await adminOf(backend).auth.admin.generateLink({ type: "recovery", email });
    const recovering = clientOf(backend);
    await recovering.auth.verifyOtp({ token_hash: data.properties?.hashed_token ?? "", type: "recovery" });
    expect((await recovering.auth.updateUser({ password: `y${PASSWORD}` })).error).toBeNull();
  });
});

describe("requests", () => {
  it("longer than a megabyte are request_entity_too_large", async () => {
    expect(await call("POST", "signup", JSON.stringify({ data: "x".repeat(1_100_000) }))).toMatchObject({
      status: 413,
      body: { error_code: "request_entity_too_large" },
    });
  });

  it("that take too long are request_timeout", async () => {
    await using hasty = await createBackend({
      projectFolder: PROJECT,
      bare: true,
      config: { environment: { GOTRUE_API_MAX_REQUEST_DURATION: "300ms" } },
    });
    const holder = await hasty.database.pool("supabase_auth_admin").connect();
    await holder.query("begin");
    await holder.query("lock table users");
    try {
      const answer = await fetch(`${hasty.url}/auth/v1/admin/users`, {
        headers: { apikey: hasty.secretKey, authorization: `Bearer ${hasty.serviceRoleKey}` },
      });
      expect(answer.status).toBe(504);
      expect(await answer.json()).toMatchObject({
        error_code: "request_timeout",
        msg: "Processing this request timed out, please retry after a moment.",
      });
    } finally {
      await holder.query("rollback");
      holder.release();
    }
  });

  it("of nobody are no_authorization, of an anonymous user too where a name is needed", async () => {
    const nobody = await fetch(`${backend.url}/auth/v1/user`, {
      headers: { apikey: backend.publishableKey, authorization: "Basic eDp5" },
    });
    expect(await nobody.json()).toMatchObject({ code: 401, error_code: "no_authorization" });
    const { data } = await clientOf(backend).auth.signInAnonymously();
    expect(await call("POST", "factors", "{}", data.session?.access_token)).toMatchObject({
      status: 403,
      body: { error_code: "no_authorization", msg: "Anonymous user not allowed to perform these actions" },
    });
  });
});

describe("users", () => {
  it("with a number that another has are phone_exists; an unconfirmed one's is phone_not_confirmed", async () => {
    const { admin } = adminOf(backend).auth;
    await admin.createUser({ phone: PHONE, password: PASSWORD });
    const { client } = await signedUp();
    expect((await client.auth.updateUser({ phone: PHONE })).error).toMatchObject({
      status: 422,
      code: "phone_exists",
    });
    expect((await admin.createUser({ phone: `+${PHONE}` })).error).toMatchObject({
      status: 422,
      code: "phone_exists",
      message: "Phone number already registered by another user",
    });
    const signed = await clientOf(backend).auth.signInWithPassword({ phone: PHONE, password: PASSWORD });
    expect(signed.error).toMatchObject({ status: 400, code: "phone_not_confirmed" });
  });

  it("get no message where nothing sends any: sms_send_failed", async () => {
    const { error } = await clientOf(backend).auth.signInWithOtp({ phone: "4915199999" });
    expect(error).toMatchObject({ status: 422, code: "sms_send_failed" });
  });

  it("of single sign-on change nothing here: user_sso_managed", async () => {
    const { client, id } = await signedUp();
    await backend.sql("update auth.users set is_sso_user = true where id = $1", [id]);
    expect((await client.auth.updateUser({ password: `x${PASSWORD}` })).error).toMatchObject({
      status: 422,
      code: "user_sso_managed",
    });
    expect((await client.auth.updateUser({ data: { fine: true } })).error).toBeNull();
  });

  it("link nothing where linking is off: manual_linking_disabled", async () => {
    const { client, token } = await signedUp();
    expect((await client.auth.linkIdentity({ provider: "github" })).error).toMatchObject({
      status: 404,
      code: "manual_linking_disabled",
    });
    const unlinked = await call("DELETE", `user/identities/${crypto.randomUUID()}`, undefined, token);
    expect(unlinked).toMatchObject({ status: 404, body: { error_code: "manual_linking_disabled" } });
  });

  it("do not unlink an identity when the address of every other one is taken", async () => {
    await using other = await authBackend({ enable_manual_linking: true });
    const sign = (email: string) => clientOf(other).auth.signUp({ email, password: PASSWORD });
    const one = (await sign("one@example.com")).data;
    await sign("two@example.com");
    await other.sql(
      `insert into auth.identities (user_id, provider_id, provider, identity_data, created_at, updated_at)
       values ($1, 'gh', 'github', '{"sub": "gh", "email": "two@example.com"}', now(), now())`,
      [one.user?.id],
    );
    const answer = await fetch(
      `${other.url}/auth/v1/user/identities/${one.user?.identities?.[0]?.identity_id}`,
      {
        method: "DELETE",
        headers: { apikey: other.publishableKey, authorization: `Bearer ${one.session?.access_token}` },
      },
    );
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ error_code: "email_conflict_identity_not_deletable" });
  });
});

describe("second factors", () => {
  it("that are enrolled but not to be verified say so", async () => {
    const { client } = await signedUp();
    const totp = await client.auth.mfa.enroll({ factorType: "totp", friendlyName: "t" });
    const phone = await client.auth.mfa.enroll({ factorType: "phone", friendlyName: "p", phone: PHONE });
    const codes = await Promise.all(
      [totp, phone].map(async ({ data }) => {
        const { error } = await client.auth.mfa.challenge({ factorId: data?.id ?? "" });
        return [error?.status, error?.code];
      }),
    );
    expect(codes).toEqual([
      [422, "mfa_totp_verify_not_enabled"],
      [422, "mfa_phone_verify_not_enabled"],
    ]);
    await backend.sql("update auth.mfa_factors set status = 'verified' where id = $1", [phone.data?.id]);
    const again = await client.auth.mfa.enroll({ factorType: "phone", friendlyName: "q", phone: PHONE });
    expect(again.error).toMatchObject({ status: 422, code: "mfa_verified_factor_exists" });
  });
});

describe("flows", () => {
  it("without their state are flow_state_not_found", async () => {
    const body = JSON.stringify({ auth_code: crypto.randomUUID(), code_verifier: "x".repeat(43) });
    expect(await call("POST", "token?grant_type=pkce", body)).toMatchObject({
      status: 404,
      body: { error_code: "flow_state_not_found" },
    });
  });

  /**
   * Starts a sign-in with the local page and gives consent.
   * @returns the callback's URL.
   */
  async function consented(query: Record<string, string>): Promise<string> {
    const ask = new URLSearchParams({ provider: "github", ...query });
    const go = (url: string, form?: Record<string, string>) =>
      fetch(url, {
        redirect: "manual",
        ...(form ? { method: "POST", body: new URLSearchParams(form) } : {}),
      });
    const page = (await go(`${backend.url}/auth/v1/authorize?${ask}`)).headers.get("location") ?? "";
    const form = { email: `f-${crypto.randomUUID()}@example.com`, verified: "true" };
    return (await go(page, form)).headers.get("location") ?? "";
  }

  it("by an invitation that is gone meanwhile are invite_not_found", async () => {
    const { data } = await adminOf(backend).auth.admin.generateLink({
      type: "invite",
      email: "gone@example.com",
    });
    const back = await consented({ invite_token: data.properties?.hashed_token ?? "" });
    await adminOf(backend).auth.admin.deleteUser(data.user?.id ?? "");
    const done = await fetch(back, { redirect: "manual" });
    const target = new URL(done.headers.get("location") ?? "missing:");
    expect(fragmentOf(target).get("error_code")).toBe("invite_not_found");
  });

  it("with a provider's proof key that is gone or old are oauth_client_state_…", async () => {
    const page = createServer((_, response) => response.end("{}"));
    await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
    const { customProviders } = adminOf(backend).auth.admin;
    const made = {
      provider_type: "oauth2" as const,
      name: "Plain",
      client_id: "client",
      client_secret: "secret",
      authorization_url: `${url}/authorize`,
      token_url: `${url}/token`,
      userinfo_url: `${url}/user`,
    };
    expect((await customProviders.createProvider({ ...made, identifier: "plain" })).error).toBeNull();
    expect((await customProviders.createProvider({ ...made, identifier: "more" })).error).toMatchObject({
      status: 400,
      code: "over_custom_provider_quota",
    });
    const begin = async (spoil: string) => {
      const there = await fetch(`${backend.url}/auth/v1/authorize?provider=custom:plain`, {
        redirect: "manual",
      });
      const state = new URL(there.headers.get("location") ?? "missing:").searchParams.get("state") ?? "";
      await backend.sql(spoil);
      const query = new URLSearchParams({ state, code: "x" });
      const done = await fetch(`${backend.url}/auth/v1/callback?${query}`, { redirect: "manual" });
      return new URL(done.headers.get("location") ?? "missing:").searchParams.get("error_code");
    };
    expect(await begin("delete from auth.oauth_client_states")).toBe("oauth_client_state_not_found");
    expect(await begin("update auth.oauth_client_states set created_at = now() - interval '1 hour'")).toBe(
      "oauth_client_state_expired",
    );
    await new Promise((resolve) => page.close(resolve));
  });
});

describe("a kind of sign-in that is off", () => {
  it("is email_provider_disabled or phone_provider_disabled, each call with its own status", async () => {
    await using off = await authBackend({ email: { enable_signup: false } });
    const { auth } = clientOf(off);
    const email = "off@example.com";
    const phone = PHONE;
    const errors = [
      await auth.signUp({ email, password: PASSWORD }),
      await auth.signInWithPassword({ email, password: PASSWORD }),
      await auth.signInWithOtp({ email }),
      await auth.resetPasswordForEmail(email),
      await auth.resend({ type: "signup", email }),
      await auth.signUp({ phone, password: PASSWORD }),
      await auth.signInWithPassword({ phone, password: PASSWORD }),
      await auth.signInWithOtp({ phone }),
      await auth.resend({ type: "sms", phone }),
    ];
    expect(errors.map(({ error }) => [error?.status, error?.code, error?.message])).toEqual([
      [400, "email_provider_disabled", "Email signups are disabled"],
      [422, "email_provider_disabled", "Email logins are disabled"],
      [422, "email_provider_disabled", "Email logins are disabled"],
      [400, "email_provider_disabled", "Email logins are disabled"],
      [400, "email_provider_disabled", "Email logins are disabled"],
      [400, "phone_provider_disabled", "Phone signups are disabled"],
      [422, "phone_provider_disabled", "Phone logins are disabled"],
      [400, "phone_provider_disabled", "Unsupported phone provider"],
      [400, "phone_provider_disabled", "Phone logins are disabled"],
    ]);
  });
});
