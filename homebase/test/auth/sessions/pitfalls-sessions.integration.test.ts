/**
 * Common mistakes of emulators, numbered (docs/compat/auth.md): sessions, sign-in, factors,
 * administration.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { totpCode } from "../../../src/auth/factors/totp.ts";
import { forThisFile } from "../../for-this-file.ts";
import { adminOf, authBackend, clientOf, PASSWORD } from "../client.ts";

const HOUR = 3_600_000;

const backend = await forThisFile(
  authBackend({
    sessions: { timebox: 2 * HOUR },
    mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
    email: { enable_confirmations: true },
    jwt_expiry: 86_400,
    sms: {
      enable_signup: true,
      enable_confirmations: true,
      twilio: { enabled: true },
      test_otp: { "491515555555": "555555" },
    },
  }),
);
beforeAll(async () => {
  await backend.sql("create table public.notes (body text)");
  await backend.sql("insert into public.notes values ('kept')");
  await backend.sql("alter table public.notes enable row level security");
  await backend.sql(
    "create policy own on public.notes for select to authenticated using ((select auth.uid()) is not null)",
  );
  await backend.sql("grant select on public.notes to authenticated");
});

let count = 0;
async function confirmed(password = PASSWORD) {
  const email = `session-pitfall${count++}@example.com`;
  const { data } = await adminOf(backend).auth.admin.createUser({ email, password, email_confirm: true });
  const client = clientOf(backend);
  const signed = await client.auth.signInWithPassword({ email, password });
  if (!signed.data.session) throw signed.error;
  return { client, email, id: data.user?.id ?? "", session: signed.data.session, answer: signed };
}

const refresh = (token = "") => clientOf(backend).auth.refreshSession({ refresh_token: token });

describe("refresh", () => {
  it("17. with the parent of the active token gives that token, an hour later too", async () => {
    const { session } = await confirmed();
    const next = (await refresh(session.refresh_token)).data.session?.refresh_token;
    backend.clock.advance(HOUR);
    expect((await refresh(session.refresh_token)).data.session?.refresh_token).toBe(next);
    backend.clock.reset();
  });

  it("18. with a stolen token revokes tokens and keeps the session; sign-out deletes it; REST goes on", async () => {
    const { client, session, id } = await confirmed();
    const second = (await refresh(session.refresh_token)).data.session?.refresh_token;
    await refresh(second);
    backend.clock.advance(60_000);
    expect((await refresh(session.refresh_token)).error?.code).toBe("refresh_token_already_used");
    expect((await client.auth.getUser()).error).toBeNull();
    const sessions = () => backend.sql("select 1 from auth.sessions where user_id = $1", [id]);
    expect(await sessions()).toHaveLength(1);
    await client.auth.signOut();
    expect(await sessions()).toHaveLength(0);
    const headers = { apikey: backend.publishableKey, authorization: `Bearer ${session.access_token}` };
    const user = await fetch(`${backend.url}/auth/v1/user`, { headers });
    expect(await user.json()).toMatchObject({ code: 403, error_code: "session_not_found" });
    const notes = await fetch(`${backend.url}/rest/v1/notes`, { headers });
    expect(await notes.json()).toEqual([{ body: "kept" }]);
    backend.clock.reset();
  });

  it("20. alone minds the session's limits: getUser does not", async () => {
    const { client, session } = await confirmed();
    backend.clock.advance(3 * HOUR);
    expect((await client.auth.getUser(session.access_token)).error).toBeNull();
    expect((await refresh(session.refresh_token)).error).toMatchObject({
      code: "session_expired",
      message: "Invalid Refresh Token: Session Expired",
    });
    backend.clock.reset();
  });
});

describe("a new password", () => {
  it("19. ends the other sessions; set by an administrator, all", async () => {
    const { client, email, id } = await confirmed();
    const other = clientOf(backend);
    await other.auth.signInWithPassword({ email, password: PASSWORD });
    await client.auth.updateUser({ password: "another password" });
    expect((await other.auth.getUser()).error).not.toBeNull();
    expect((await client.auth.getUser()).error).toBeNull();
    await adminOf(backend).auth.admin.updateUserById(id, { password: "a third password" });
    expect((await client.auth.getUser()).error).not.toBeNull();
  });
});

describe("sign-in by password", () => {
  it("21. betrays that an address is unconfirmed only to who knows the password, a ban before", async () => {
    const email = "unconfirmed@example.com";
    await clientOf(backend).auth.signUp({ email, password: PASSWORD });
    const attempt = (address: string, password: string) =>
      clientOf(backend).auth.signInWithPassword({ email: address, password });
    expect((await attempt(email, "wrong password")).error?.code).toBe("invalid_credentials");
    expect((await attempt(email, PASSWORD)).error?.code).toBe("email_not_confirmed");
    const banned = await confirmed();
    await adminOf(backend).auth.admin.updateUserById(banned.id, { ban_duration: "1h30m" });
    expect((await attempt(banned.email, "wrong password")).error?.code).toBe("user_banned");
  });

  it("21. lets a weak old password in, and says what it lacks", async () => {
    const { answer } = await confirmed("abc");
    expect(answer.error).toBeNull();
    expect(answer.data.weakPassword).toEqual({
      message: "Password should be at least 6 characters.",
      reasons: ["length"],
    });
  });

  it("22. a test number's code counts for a known user who was sent none", async () => {
    const phone = "491515555555";
    await adminOf(backend).auth.admin.createUser({ phone, password: PASSWORD });
    const { data } = await clientOf(backend).auth.verifyOtp({ phone, token: "555555", type: "sms" });
    expect(data.user?.phone).toBe(phone);
  });
});

describe("administration", () => {
  const admin = (path: string, init: RequestInit = {}) =>
    fetch(`${backend.url}/auth/v1/${path}`, { ...init, headers: { apikey: backend.secretKey } });

  it("23. lists with page first in Link and the total, identities null; creates with 200; signs out with 204", async () => {
    await confirmed();
    const { session } = await confirmed();
    const listed = await admin("admin/users?per_page=1");
    expect(listed.headers.get("link")).toMatch(
      /^<\/admin\/users\?page=2&per_page=1>; rel="next", <\/admin\/users\?page=\d+&per_page=1>; rel="last"$/,
    );
    expect(Number(listed.headers.get("x-total-count"))).toBeGreaterThanOrEqual(2);
    const { users } = (await listed.json()) as { users: Record<string, unknown>[] };
    expect(users).toMatchObject([{ identities: null }]);
    const created = await admin("admin/users", {
      method: "POST",
      body: '{"email":"two-hundred@example.com"}',
    });
    expect(created.status).toBe(200);
    const left = await fetch(`${backend.url}/auth/v1/logout?scope=local`, {
      method: "POST",
      headers: { apikey: backend.publishableKey, authorization: `Bearer ${session.access_token}` },
    });
    expect([left.status, await left.text()]).toEqual([204, ""]);
  });

  it("25. leaves created users unconfirmed, deletes metadata by null, and calls a failed trigger retryable", async () => {
    const { auth } = adminOf(backend);
    const made = await auth.admin.createUser({ email: "bare@example.com", user_metadata: { a: 1, b: 2 } });
    expect(made.data.user?.email_confirmed_at).toBeUndefined();
    const changed = await auth.admin.updateUserById(made.data.user?.id ?? "", { user_metadata: { a: null } });
    expect(changed.data.user?.user_metadata).toEqual({ b: 2 });
    await backend.sql(`create function public.fail() returns trigger language plpgsql as
      $$ begin raise exception 'no'; end $$`);
    await backend.sql(
      "create trigger fail after insert on auth.users for each row execute function public.fail()",
    );
    const { error } = await clientOf(backend).auth.signUp({ email: "fail@example.com", password: PASSWORD });
    await backend.sql("drop trigger fail on auth.users");
    expect(error).toMatchObject({ name: "AuthRetryableFetchError", status: 500 });
  });
});

describe("second factors", () => {
  it("24. a second nameless one conflicts, a used challenge blames the address, levels have three answers", async () => {
    const { client, email } = await confirmed();
    const { data: factor } = await client.auth.mfa.enroll({ factorType: "totp" });
    if (!factor) throw new Error("no factor");
    expect((await client.auth.mfa.enroll({ factorType: "totp" })).error?.code).toBe(
      "mfa_factor_name_conflict",
    );
    const challengeId = (await client.auth.mfa.challenge({ factorId: factor.id })).data?.id ?? "";
    const code = totpCode(factor.totp.secret, backend.clock.now());
    const verify = () => client.auth.mfa.verify({ factorId: factor.id, challengeId, code });
    expect((await verify()).error).toBeNull();
    expect((await verify()).error?.code).toBe("mfa_ip_address_mismatch");
    const weak = clientOf(backend);
    await weak.auth.signInWithPassword({ email, password: PASSWORD });
    const statuses = [
      (await weak.auth.mfa.enroll({ factorType: "totp", friendlyName: "b" })).error?.status,
      (await weak.auth.mfa.unenroll({ factorId: factor.id })).error?.status,
      (await weak.auth.updateUser({ password: "another password" })).error?.status,
    ];
    expect(statuses).toEqual([403, 422, 401]);
  });
});
