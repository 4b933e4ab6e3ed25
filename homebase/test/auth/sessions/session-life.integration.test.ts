/** Session lifetimes, and concurrent refreshes (docs/compat/auth.md 2, "Sessions"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { totpCode } from "../../../src/auth/factors/totp.ts";
import { createBackend, type TestBackend } from "../../../src/testing/index.ts";
import { authBackend, clientOf, PASSWORD, PROJECT } from "../client.ts";

const MINUTE = 60_000;

async function signedUp(backend: TestBackend, email = "life@example.com") {
  const client = clientOf(backend);
  const { data } = await client.auth.signUp({ email, password: PASSWORD });
  return { client, session: data.session };
}

describe("a session", () => {
  it("ends with its time box, however busy it is", async () => {
    await using backend = await authBackend({ sessions: { timebox: 60 * MINUTE } });
    const { client } = await signedUp(backend);
    for (let passed = 0; passed < 60; passed += 25) {
      expect((await client.auth.refreshSession()).error).toBeNull();
      backend.clock.advance(25 * MINUTE);
    }
    expect((await client.auth.refreshSession()).error).toMatchObject({
      status: 400,
      code: "session_expired",
      message: "Invalid Refresh Token: Session Expired",
    });
  });

  it("ends when nobody used it for long; using it keeps it", async () => {
    await using backend = await authBackend({ sessions: { inactivity_timeout: 30 * MINUTE } });
    const { client } = await signedUp(backend);
    for (let turn = 0; turn < 3; turn += 1) {
      backend.clock.advance(29 * MINUTE);
      expect((await client.auth.refreshSession()).error).toBeNull();
    }
    backend.clock.advance(31 * MINUTE);
    expect((await client.auth.refreshSession()).error).toMatchObject({
      message: "Invalid Refresh Token: Session Expired (Inactivity)",
    });
  });

  it("ends by a newer one where a user may have one of a kind", async () => {
    await using backend = await createBackend({
      projectFolder: PROJECT,
      bare: true,
      config: {
        environment: { GOTRUE_SESSIONS_SINGLE_PER_USER: "true", GOTRUE_SESSIONS_TAGS: "web,phone" },
      },
    });
    const first = await signedUp(backend);
    backend.clock.advance(MINUTE);
    const second = clientOf(backend);
    await second.auth.signInWithPassword({ email: "life@example.com", password: PASSWORD });
    const third = clientOf(backend);
    const { data } = await third.auth.signInWithPassword({ email: "life@example.com", password: PASSWORD });
    const id = JSON.parse(
      Buffer.from(data.session?.access_token.split(".")[1] ?? "", "base64url").toString(),
    );
    await backend.sql("update auth.sessions set tag = 'phone' where id = $1", [id.session_id]);
    backend.clock.advance(MINUTE);
    expect((await second.auth.refreshSession()).error).toBeNull();
    expect((await first.client.auth.refreshSession()).error).toMatchObject({
      code: "session_expired",
      message: "Invalid Refresh Token: Session Expired (Revoked by Newer Login)",
    });
    expect((await third.auth.refreshSession()).error).toBeNull();
  });

  it("does not stay at aal1 for longer than allowed once its user has a second factor", async () => {
    await using backend = await createBackend({
      projectFolder: PROJECT,
      bare: true,
      config: {
        auth: { mfa: { totp: { enroll_enabled: true, verify_enabled: true } } },
        environment: { GOTRUE_SESSIONS_ALLOW_LOW_AAL: "10m" },
      },
    });
    const { client } = await signedUp(backend);
    const { data } = await client.auth.mfa.enroll({ factorType: "totp" });
    const code = totpCode(data?.totp.secret ?? "", backend.clock.now());
    await client.auth.mfa.challengeAndVerify({ factorId: data?.id ?? "", code });
    const low = clientOf(backend);
    await low.auth.signInWithPassword({ email: "life@example.com", password: PASSWORD });
    backend.clock.advance(9 * MINUTE);
    expect((await low.auth.refreshSession()).error).toBeNull();
    backend.clock.advance(2 * MINUTE);
    expect((await low.auth.refreshSession()).error).toMatchObject({
      code: "session_expired",
      message: "Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)",
    });
    expect((await client.auth.refreshSession()).error).toBeNull();
  });
});

describe("a refresh", () => {
  let backend: TestBackend;
  beforeAll(async () => {
    backend = await createBackend({
      projectFolder: PROJECT,
      bare: true,
      config: { environment: { GOTRUE_API_MAX_REQUEST_DURATION: "4s" } },
    });
  });
  afterAll(() => backend.drop());

  const refresh = (token: string) =>
    fetch(`${backend.url}/auth/v1/token?grant_type=refresh_token`, {
      method: "POST",
      headers: { apikey: backend.publishableKey },
      body: JSON.stringify({ refresh_token: token }),
    }).then(async (response) => ({ status: response.status, body: (await response.json()) as unknown }));

  it("waits for the session's lock for half of its time, then gives up with 409 conflict", async () => {
    const { session } = await signedUp(backend, "locked@example.com");
    const holder = await backend.database.pool("supabase_auth_admin").connect();
    try {
      await holder.query("begin");
      await holder.query("select 1 from sessions for update");
      expect(await refresh(session?.refresh_token ?? "")).toEqual({
        status: 409,
        body: {
          code: 409,
          error_code: "conflict",
          msg: "Too many concurrent token refresh requests on the same session or refresh token",
        },
      });
    } finally {
      await holder.query("rollback");
      holder.release();
    }
    expect((await refresh(session?.refresh_token ?? "")).status).toBe(200);
  });

  it("wants a token, and one that has a session, or the token goes too", async () => {
    expect(await refresh("")).toEqual({
      status: 400,
      body: { error: "invalid_request", error_description: "refresh_token required" },
    });
    const { session } = await signedUp(backend, "orphan@example.com");
    await backend.sql("update auth.refresh_tokens set session_id = null where token = $1", [
      session?.refresh_token,
    ]);
    expect(await refresh(session?.refresh_token ?? "")).toMatchObject({
      status: 400,
      body: { error_code: "session_not_found", msg: "Invalid Refresh Token: No Valid Session Found" },
    });
    expect(await refresh(session?.refresh_token ?? "")).toMatchObject({
      body: { error_code: "refresh_token_not_found" },
    });
  });

  it("says that its user is banned", async () => {
    const { session } = await signedUp(backend, "banned@example.com");
    await backend.sql("update auth.users set banned_until = now() + interval '1 hour' where id = $1", [
      session?.user.id,
    ]);
    expect(await refresh(session?.refresh_token ?? "")).toMatchObject({
      status: 400,
      body: { error_code: "user_banned", msg: "Invalid Refresh Token: User Banned" },
    });
  });
});
