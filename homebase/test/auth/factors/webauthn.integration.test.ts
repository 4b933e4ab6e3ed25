/** WebAuthn: as a second factor and as passkeys (docs/compat/auth.md 2, "MFA"). */
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { adminOf, authBackend, clientOf, PASSWORD } from "../client.ts";
import { Authenticator, type Options } from "./authenticator.ts";

const ORIGIN = "https://nosh.example";

const backend = await forThisFile(
  authBackend({
    passkey: { enabled: true },
    webauthn: { rp_id: "nosh.example", rp_display_name: "Nosh", rp_origins: [ORIGIN] },
    mfa: { web_authn: { enroll_enabled: true, verify_enabled: true } },
  }),
);

async function signedUp(email = `w-${crypto.randomUUID()}@example.com`) {
  const client = clientOf(backend, { passkey: true });
  const { data, error } = await client.auth.signUp({ email, password: PASSWORD });
  expect(error).toBeNull();
  return { client, email, id: data.user?.id ?? "", token: data.session?.access_token ?? "" };
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function post(path: string, body: unknown, token: string): Promise<Answer> {
  const response = await fetch(`${backend.url}/auth/v1/${path}`, {
    method: "POST",
    headers: {
      apikey: backend.publishableKey,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** The options of a factor's challenge, in JSON. */
async function challenged(factorId: string, token: string) {
  const { status, body } = await post(`factors/${factorId}/challenge`, {}, token);
  expect(status).toBe(200);
  const { id, webauthn } = body as {
    id: string;
    webauthn: { type: string; credential_options: { publicKey: Options & Record<string, unknown> } };
  };
  return { id, type: webauthn.type, options: webauthn.credential_options.publicKey };
}

describe("a WebAuthn factor", () => {
  it("is enrolled, created by its first challenge, asked for by the next, and raises the session", async () => {
    const { client, token, id, email } = await signedUp();
    const key = new Authenticator(ORIGIN);
    const enrolled = await client.auth.mfa.enroll({ factorType: "webauthn", friendlyName: "key" });
    expect(enrolled.data).toEqual({ id: expect.any(String), type: "webauthn", friendly_name: "key" });
    const factorId = enrolled.data?.id ?? "";

    const first = await challenged(factorId, token);
    expect(first.type).toBe("create");
    expect(first.options).toMatchObject({
      rp: { id: "nosh.example", name: "Nosh" },
      user: { id: Buffer.from(id).toString("base64url"), name: email, displayName: email },
      attestation: "none",
      authenticatorSelection: { userVerification: "preferred" },
    });
    const credential = key.create(first.options);
    const verified = await client.auth.mfa.verify({
      factorId,
      challengeId: first.id,
      // A browser's credential has toJSON, which auth-js calls.
      webauthn: {
        rpId: "nosh.example",
        type: "create",
        credential_response: { toJSON: () => credential } as never,
      },
    });
    expect(verified.error).toBeNull();
    const claims = decodeJwt<{ amr: { method: string }[]; aal: string }>(verified.data?.access_token ?? "");
    expect(claims.aal).toBe("aal2");
    expect(claims.amr.map(({ method }) => method).sort()).toEqual(["mfa/webauthn", "password"]);
    const { data: me } = await client.auth.getUser();
    expect(me.user?.factors).toMatchObject([
      { id: factorId, status: "verified", factor_type: "webauthn", friendly_name: "key" },
    ]);
    expect(JSON.stringify(me.user)).not.toContain("publicKey");

    const later = clientOf(backend);
    await later.auth.signInWithPassword({ email, password: PASSWORD });
    const lowToken = (await later.auth.getSession()).data.session?.access_token ?? "";
    const second = await challenged(factorId, lowToken);
    expect(second.type).toBe("request");
    expect(second.options).toMatchObject({ rpId: "nosh.example", allowCredentials: [{ id: credential.id }] });
    // Browsers get no public key, counter or factor of their own credentials.
    expect(Object.keys((second.options.allowCredentials as object[])[0] ?? {}).sort()).toEqual([
      "id",
      "transports",
      "type",
    ]);
    const raised = await later.auth.mfa.verify({
      factorId,
      challengeId: second.id,
      webauthn: {
        rpId: "nosh.example",
        type: "request",
        credential_response: { toJSON: () => key.get(second.options) } as never,
      },
    });
    expect(raised.error).toBeNull();
    expect(decodeJwt(raised.data?.access_token ?? "").aal).toBe("aal2");
    const reused = await post(
      `factors/${factorId}/verify`,
      {
        challenge_id: second.id,
        webauthn: { type: "request", credential_response: key.get(second.options) },
      },
      raised.data?.access_token ?? "",
    );
    expect(reused).toMatchObject({ status: 422, body: { error_code: "mfa_factor_not_found" } });
  });

  it("refuses another page, another challenge and what is no answer", async () => {
    const { client, token } = await signedUp();
    const { data } = await client.auth.mfa.enroll({ factorType: "webauthn", friendlyName: "key" });
    const factorId = data?.id ?? "";
    const challenge = await challenged(factorId, token);
    const verify = (webauthn: unknown) =>
      post(`factors/${factorId}/verify`, { challenge_id: challenge.id, webauthn }, token);
    const answers = {
      page: new Authenticator("https://evil.example").create(challenge.options),
      challenge: new Authenticator(ORIGIN).create({ ...challenge.options, challenge: "b3RoZXI" }),
      party: new Authenticator(ORIGIN).create({ ...challenge.options, rp: { id: "evil.example" } }),
    };
    for (const credential_response of Object.values(answers)) {
      expect(await verify({ type: "create", credential_response })).toMatchObject({
        status: 500,
        body: { error_code: "unexpected_failure" },
      });
    }
    const wrong: [unknown, string][] = [
      [undefined, "WebAuthn config required"],
      [{ type: "other" }, "WebAuthn type must be create or request"],
      [{ type: "create" }, "credential_response required"],
      [{ type: "create", credential_response: { id: "x" } }, "Invalid credential_response"],
    ];
    for (const [webauthn, msg] of wrong) {
      expect(await verify(webauthn)).toMatchObject({
        status: 400,
        body: { error_code: "validation_failed", msg },
      });
    }
    const { data: me } = await client.auth.getUser();
    expect(me.user?.factors).toMatchObject([{ status: "unverified" }]);
  });

  it("is not enrolled nor asked for where configuration has it off", async () => {
    await using other = await authBackend();
    const client = clientOf(other);
    await client.auth.signUp({ email: "off@example.com", password: PASSWORD });
    const { error } = await client.auth.mfa.enroll({ factorType: "webauthn", friendlyName: "key" });
    expect(error).toMatchObject({ status: 422, code: "mfa_webauthn_enroll_not_enabled" });
  });
});

/** Registers a passkey. */
async function registered(client: Awaited<ReturnType<typeof signedUp>>["client"], key: Authenticator) {
  const { data } = await client.auth.passkey.startRegistration();
  const credential = key.create(data?.options as never);
  const done = await client.auth.passkey.verifyRegistration({
    challengeId: data?.challenge_id ?? "",
    credential: credential as never,
  });
  expect(done.error).toBeNull();
  return { passkey: done.data, credential };
}

describe("passkeys", () => {
  it("sign their user in without a name", async () => {
    const { client, id, email } = await signedUp();
    const key = new Authenticator(ORIGIN);
    const started = await client.auth.passkey.startRegistration();
    expect(started.data?.options).toMatchObject({
      rp: { id: "nosh.example" },
      user: { name: email },
      attestation: "none",
      authenticatorSelection: { residentKey: "required", userVerification: "preferred" },
    });
    const { passkey } = await registered(client, key);
    expect(passkey).toEqual({ id: expect.any(String), created_at: expect.stringMatching(/Z$/) });

    const stranger = clientOf(backend, { passkey: true });
    const ask = await stranger.auth.passkey.startAuthentication();
    expect(ask.data?.options).toMatchObject({ rpId: "nosh.example", userVerification: "preferred" });
    const signed = await stranger.auth.passkey.verifyAuthentication({
      challengeId: ask.data?.challenge_id ?? "",
      credential: key.get(ask.data?.options as never) as never,
    });
    expect(signed.error).toBeNull();
    expect(signed.data?.user?.id).toBe(id);
    expect(decodeJwt(signed.data?.session?.access_token ?? "").amr).toMatchObject([{ method: "passkey" }]);
    const { data: list } = await client.auth.passkey.list();
    expect(list).toMatchObject([{ id: passkey?.id, last_used_at: expect.stringMatching(/Z$/) }]);
  });

  it("answer each challenge once, in time, and only by who was asked", async () => {
    const { client } = await signedUp();
    const key = new Authenticator(ORIGIN);
    const { credential } = await registered(client, key);
    const stranger = clientOf(backend, { passkey: true });
    const answer = async (change: (options: Options) => unknown) => {
      const { data } = await stranger.auth.passkey.startAuthentication();
      const challengeId = data?.challenge_id ?? "";
      const verify = (one: unknown) =>
        stranger.auth.passkey.verifyAuthentication({ challengeId, credential: one as never });
      return { first: await verify(change(data?.options as never)), verify };
    };
    const good = await answer((options) => key.get(options));
    expect(good.first.error).toBeNull();
    expect((await good.verify(key.get({ challenge: "x" }))).error).toMatchObject({
      status: 400,
      code: "webauthn_challenge_not_found",
    });
    const other = await answer(() => key.get({ challenge: "b3RoZXI" }));
    expect(other.first.error).toMatchObject({
      status: 400,
      code: "webauthn_verification_failed",
      message: "Credential verification failed",
    });
    const malformed = await answer(() => ({ id: "x" }));
    expect(malformed.first.error).toMatchObject({ message: "Invalid credential response" });
    const late = await answer((options) => {
      backend.clock.advance(301_000);
      return key.get(options);
    });
    backend.clock.reset();
    expect(late.first.error).toMatchObject({ status: 400, code: "webauthn_challenge_expired" });

    // The same credential cannot be registered twice, nor for another user's challenge.
    const second = await signedUp();
    const { data } = await second.client.auth.passkey.startRegistration();
    const stolen = await client.auth.passkey.verifyRegistration({
      challengeId: data?.challenge_id ?? "",
      credential: credential as never,
    });
    expect(stolen.error).toMatchObject({ code: "webauthn_challenge_not_found" });
  });

  it("are renamed and removed by their user, listed and removed by an administrator", async () => {
    const { client, id } = await signedUp();
    const one = (await registered(client, new Authenticator(ORIGIN))).passkey?.id ?? "";
    const two = (await registered(client, new Authenticator(ORIGIN))).passkey?.id ?? "";
    const renamed = await client.auth.passkey.update({ passkeyId: one, friendlyName: "Laptop" });
    expect(renamed.data).toMatchObject({ id: one, friendly_name: "Laptop" });
    const long = await client.auth.passkey.update({ passkeyId: one, friendlyName: "x".repeat(121) });
    expect(long.error).toMatchObject({ message: "friendly_name must be 120 characters or less" });
    const stranger = await signedUp();
    const theirs = await stranger.client.auth.passkey.update({ passkeyId: one, friendlyName: "Mine" });
    expect(theirs.error).toMatchObject({ status: 404, message: "Passkey not found" });
    expect((await client.auth.passkey.delete({ passkeyId: one })).error).toBeNull();

    const { admin } = clientOf(backend, { passkey: true, key: backend.secretKey }).auth;
    const listed = await admin.passkey.listPasskeys({ userId: id });
    expect(listed.data).toMatchObject([{ id: two }]);
    expect((await admin.passkey.deletePasskey({ userId: id, passkeyId: two })).error).toBeNull();
    expect((await client.auth.passkey.list()).data).toEqual([]);
    const actions = await backend.sql<{ action: string }>(
      `select payload ->> 'action' as action from auth.audit_log_entries
       where payload ->> 'action' like 'passkey_%' and payload -> 'traits' ->> 'passkey_id' = any($1)
       order by created_at, payload ->> 'action'`,
      [[one, two]],
    );
    expect(actions.map(({ action }) => action)).toEqual([
      "passkey_created",
      "passkey_created",
      "passkey_updated",
      "passkey_deleted",
      "passkey_deleted",
    ]);
  });

  it("end at ten, and do not let a banned or unconfirmed user in", async () => {
    const { client, id } = await signedUp();
    const key = new Authenticator(ORIGIN);
    await registered(client, key);
    await backend.sql(
      `insert into auth.webauthn_credentials (user_id, credential_id, public_key)
       select $1, decode(lpad(n::text, 8, '0'), 'hex'), '' from generate_series(1, 9) n`,
      [id],
    );
    expect((await client.auth.passkey.startRegistration()).error).toMatchObject({
      status: 422,
      code: "too_many_passkeys",
    });
    const sign = async () => {
      const stranger = clientOf(backend, { passkey: true });
      const { data } = await stranger.auth.passkey.startAuthentication();
      const credential = key.get(data?.options as never) as never;
      const challengeId = data?.challenge_id ?? "";
      return (await stranger.auth.passkey.verifyAuthentication({ challengeId, credential })).error;
    };
    await adminOf(backend).auth.admin.updateUserById(id, { ban_duration: "1h" });
    expect(await sign()).toMatchObject({ status: 403, code: "user_banned" });
    await adminOf(backend).auth.admin.updateUserById(id, { ban_duration: "none" });
    await backend.sql("update auth.users set email_confirmed_at = null where id = $1", [id]);
    expect(await sign()).toMatchObject({ status: 403, code: "email_not_confirmed" });
  });
});
