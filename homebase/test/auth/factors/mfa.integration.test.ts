/** Second factors through supabase-js (docs/compat/auth.md 2, "MFA"). */
import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { totpCode } from "../../../src/auth/factors/totp.ts";
import type { TestBackend } from "../../../src/testing/index.ts";
import { adminOf, authBackend, clientOf, mailTo, PASSWORD } from "../client.ts";

const PHONE = "+4915112345678";

let backend: TestBackend;
beforeAll(async () => {
  const enabled = { enroll_enabled: true, verify_enabled: true };
  backend = await authBackend({
    mfa: { totp: enabled, phone: enabled, max_enrolled_factors: 3 },
    sms: { test_otp: { [PHONE.slice(1)]: "424242" } },
    email: {
      notification: { mfa_factor_enrolled: { enabled: true }, mfa_factor_unenrolled: { enabled: true } },
    },
  });
});
afterAll(() => backend.drop());

let count = 0;
async function signedUp() {
  const client = clientOf(backend);
  const email = `mfa${count++}@example.com`;
  const { data, error } = await client.auth.signUp({ email, password: PASSWORD });
  if (error || !data.user) throw error ?? new Error("no user");
  return { client, email, id: data.user.id };
}

async function enroll(client: SupabaseClient, friendlyName?: string) {
  const { data, error } = await client.auth.mfa.enroll({
    factorType: "totp",
    ...(friendlyName ? { friendlyName } : {}),
  });
  if (error) throw error;
  return data;
}

/** Enrols and verifies a factor: the client is aal2 afterwards. */
async function secured(friendlyName = "phone app") {
  const user = await signedUp();
  const factor = await enroll(user.client, friendlyName);
  const { error } = await prove(user.client, factor);
  if (error) throw error;
  // A TOTP code is accepted once: the next one is for a later time.
  backend.clock.advance(90_000);
  return { ...user, factor };
}

function prove(client: SupabaseClient, factor: { id: string; totp: { secret: string } }) {
  const code = totpCode(factor.totp.secret, backend.clock.now());
  return client.auth.mfa.challengeAndVerify({ factorId: factor.id, code });
}

describe("enrolling an authenticator app", () => {
  it("shows a secret, an address for apps and its QR code", async () => {
    const { client, email } = await signedUp();
    const factor = await enroll(client, "my app");
    expect(factor).toMatchObject({ type: "totp", friendly_name: "my app" });
    expect(factor.totp.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(factor.totp.uri).toBe(
      `otpauth://totp/127.0.0.1:3000:${email}?algorithm=SHA1&digits=6&issuer=127.0.0.1%3A3000&period=30&secret=${factor.totp.secret}`,
    );
    expect(factor.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg /);
    const listed = (await client.auth.getUser()).data.user?.factors;
    expect(listed).toMatchObject([
      { id: factor.id, status: "unverified", friendly_name: "my app", factor_type: "totp", phone: "" },
    ]);
  });

  it("refuses an issuer that no QR code has room for, and stores nothing", async () => {
    const { client } = await signedUp();
    const refused = await client.auth.mfa.enroll({ factorType: "totp", issuer: "x".repeat(10_000) });
    expect(refused.error).toMatchObject({ status: 400, code: "validation_failed" });
    expect((await client.auth.getUser()).data.user?.factors).toBeUndefined();
  });

  it("refuses a second factor of the same name, also of none: mfa_factor_name_conflict", async () => {
    const { client } = await signedUp();
    await enroll(client);
    const { error } = await client.auth.mfa.enroll({ factorType: "totp" });
    expect(error).toMatchObject({
      status: 422,
      code: "mfa_factor_name_conflict",
      message: 'A factor with the friendly name "" for this user already exists',
    });
  });

  it("refuses more factors than configured: too_many_enrolled_mfa_factors", async () => {
    const { client } = await signedUp();
    for (const name of ["one", "two", "three"]) await enroll(client, name);
    const { error } = await client.auth.mfa.enroll({ factorType: "totp", friendlyName: "four" });
    expect(error).toMatchObject({ status: 422, code: "too_many_enrolled_mfa_factors" });
  });

  it("forgets factors that were never challenged, five minutes later", async () => {
    const { client } = await signedUp();
    await enroll(client, "abandoned");
    backend.clock.advance(301_000);
    const kept = await enroll(client, "kept");
    backend.clock.reset();
    const { data } = await client.auth.getUser();
    expect(data.user?.factors?.map(({ id }) => id)).toEqual([kept.id]);
  });

  it("is refused where configuration has it off", async () => {
    await using plain = await authBackend();
    const client = clientOf(plain);
    await client.auth.signUp({ email: "off@example.com", password: PASSWORD });
    expect((await client.auth.mfa.enroll({ factorType: "totp" })).error).toMatchObject({
      status: 422,
      code: "mfa_totp_enroll_not_enabled",
      message: "MFA enroll is disabled for TOTP",
    });
  });
});

describe("verifying", () => {
  it("raises the session to aal2, with the newest method first, and rotates its tokens", async () => {
    const { client, email } = await signedUp();
    const before = (await client.auth.getSession()).data.session;
    const factor = await enroll(client);
    expect((await prove(client, factor)).error).toBeNull();
    const after = (await client.auth.getSession()).data.session;
    expect(after?.refresh_token).not.toBe(before?.refresh_token);
    const { data } = await client.auth.getClaims();
    expect(data?.claims.aal).toBe("aal2");
    expect(data?.claims.amr?.map((one) => (typeof one === "string" ? one : one.method))).toEqual([
      "totp",
      "password",
    ]);
    expect((await client.auth.mfa.listFactors()).data?.totp).toMatchObject([
      { id: factor.id, status: "verified" },
    ]);
    expect(await client.auth.mfa.getAuthenticatorAssuranceLevel()).toMatchObject({
      data: { currentLevel: "aal2", nextLevel: "aal2" },
    });
    expect(mailTo(backend, email).subject).toBe("A new MFA factor has been enrolled");
    expect((await client.auth.refreshSession()).error).toBeNull();
    expect((await client.auth.getClaims()).data?.claims.aal).toBe("aal2");
  });

  it("ends the user's other sessions below aal2", async () => {
    const { client, email } = await signedUp();
    const other = clientOf(backend);
    await other.auth.signInWithPassword({ email, password: PASSWORD });
    await prove(client, await enroll(client));
    expect((await other.auth.getUser()).error).not.toBeNull();
    expect((await client.auth.getUser()).error).toBeNull();
  });

  it("refuses a wrong code, an unknown challenge, a used one and one that has grown old", async () => {
    const { client, factor } = await secured();
    const challenge = async () => (await client.auth.mfa.challenge({ factorId: factor.id })).data?.id ?? "";
    const verify = async (challengeId: string, code = totpCode(factor.totp.secret, backend.clock.now())) =>
      (await client.auth.mfa.verify({ factorId: factor.id, challengeId, code })).error;
    const open = await challenge();
    expect(await verify(open, "12345")).toMatchObject({
      status: 422,
      code: "mfa_verification_failed",
      message: "Invalid TOTP code entered",
    });
    expect(await verify(open, "")).toMatchObject({ status: 400, message: "Code needs to be non-empty" });
    expect(await verify(crypto.randomUUID())).toMatchObject({
      status: 422,
      code: "mfa_factor_not_found",
      message: "MFA factor with the provided challenge ID not found",
    });
    expect(await verify(open)).toBeNull();
    expect(await verify(open)).toMatchObject({ status: 422, code: "mfa_ip_address_mismatch" });
    const old = await challenge();
    backend.clock.advance(301_000);
    expect(await verify(old)).toMatchObject({ status: 422, code: "mfa_challenge_expired" });
    backend.clock.reset();
  });

  it("accepts a code one step old, not two", async () => {
    const { client, factor } = await secured();
    const at = async (age: number) => {
      const code = totpCode(factor.totp.secret, backend.clock.now() - age);
      return (await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code })).error;
    };
    expect(await at(30_000)).toBeNull();
    expect((await at(60_000))?.code).toBe("mfa_verification_failed");
  });

  it("knows no factor of somebody else: 404", async () => {
    const { factor } = await secured();
    const { client } = await signedUp();
    expect((await client.auth.mfa.challenge({ factorId: factor.id })).error).toMatchObject({
      status: 404,
      code: "mfa_factor_not_found",
      message: "Factor not found",
    });
  });

  it("lets the mfa_verification_attempt hook reject, which signs the user out", async () => {
    const enabled = { enroll_enabled: true, verify_enabled: true };
    await using guarded = await authBackend({
      mfa: { totp: enabled },
      hook: { mfa_verification_attempt: { enabled: true, uri: "pg-functions://postgres/public/guard" } },
    });
    await guarded.sql(`create function public.guard(event jsonb) returns jsonb language sql as
      $$ select case when (event ->> 'valid')::bool then '{"decision":"continue"}'::jsonb
         else '{"decision":"reject","message":"One try only."}' end $$`);
    await guarded.sql("grant execute on function public.guard(jsonb) to supabase_auth_admin");
    const client = clientOf(guarded);
    await client.auth.signUp({ email: "guard@example.com", password: PASSWORD });
    const factor = await enroll(client);
    const { error } = await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: "000" });
    expect(error).toMatchObject({ status: 403, code: "mfa_verification_rejected", message: "One try only." });
    expect((await client.auth.getUser()).error).not.toBeNull();
  });
});

describe("levels", () => {
  it("asks aal2 to enrol more (403), to unenrol (422) and to change the password (401)", async () => {
    const { email, factor } = await secured();
    const client = clientOf(backend);
    await client.auth.signInWithPassword({ email, password: PASSWORD });
    expect(await client.auth.mfa.getAuthenticatorAssuranceLevel()).toMatchObject({
      data: { currentLevel: "aal1", nextLevel: "aal2" },
    });
    const enrolled = await client.auth.mfa.enroll({ factorType: "totp", friendlyName: "second" });
    expect(enrolled.error).toMatchObject({
      status: 403,
      code: "insufficient_aal",
      message: "AAL2 required to enroll a new factor",
    });
    const unenrolled = await client.auth.mfa.unenroll({ factorId: factor.id });
    expect(unenrolled.error).toMatchObject({ status: 422, code: "insufficient_aal" });
    const changed = await client.auth.updateUser({ password: "another password" });
    expect(changed.error).toMatchObject({ status: 401, code: "insufficient_aal" });
    expect((await client.auth.updateUser({ data: { name: "Ada" } })).error).toBeNull();
  });

  it("falls to aal1 with the next token when the factor is unenrolled, and tells the user", async () => {
    const { client, email, factor } = await secured();
    expect((await client.auth.mfa.unenroll({ factorId: factor.id })).data).toEqual({ id: factor.id });
    await client.auth.refreshSession();
    const { data } = await client.auth.getClaims();
    expect(data?.claims).toMatchObject({ aal: "aal1", amr: [{ method: "password" }] });
    expect((await client.auth.getUser()).data.user?.factors).toBeUndefined();
    expect(mailTo(backend, email).subject).toBe("An MFA factor has been unenrolled");
  });

  it("holds a policy on auth.jwt()->>'aal' against rows", async () => {
    await backend.sql("create table if not exists public.vault (secret text)");
    await backend.sql("insert into public.vault values ('gold')");
    await backend.sql("alter table public.vault enable row level security");
    await backend.sql("grant select on public.vault to authenticated");
    await backend.sql(
      "create policy strong on public.vault for select to authenticated using ((select auth.jwt() ->> 'aal') = 'aal2')",
    );
    const { client, email } = await secured();
    const weak = clientOf(backend);
    await weak.auth.signInWithPassword({ email, password: PASSWORD });
    // A notification tells the schema cache of the new table.
    const rows = (one: SupabaseClient) => expect.poll(async () => (await one.from("vault").select()).data);
    await rows(client).toEqual([{ secret: "gold" }]);
    await rows(weak).toEqual([]);
  });
});

describe("administration", () => {
  it("lists, renames and deletes a user's factors", async () => {
    const { id, factor } = await secured("phone app");
    const admin = adminOf(backend).auth.admin.mfa;
    expect((await admin.listFactors({ userId: id })).data?.factors).toMatchObject([
      { id: factor.id, status: "verified", friendly_name: "phone app" },
    ]);
    const renamed = await fetch(`${backend.url}/auth/v1/admin/users/${id}/factors/${factor.id}`, {
      method: "PUT",
      headers: { apikey: backend.secretKey },
      body: JSON.stringify({ friendly_name: "old phone" }),
    });
    expect(await renamed.json()).toMatchObject({ id: factor.id, friendly_name: "old phone" });
    expect((await admin.deleteFactor({ userId: id, id: factor.id })).error).toBeNull();
    expect((await admin.listFactors({ userId: id })).data?.factors).toEqual([]);
    expect((await admin.deleteFactor({ userId: id, id: factor.id })).error).toMatchObject({
      status: 404,
      code: "mfa_factor_not_found",
    });
  });
});

describe("a phone as factor", () => {
  it("is proven by the code of a test number", async () => {
    const { client } = await signedUp();
    const enrolled = await client.auth.mfa.enroll({ factorType: "phone", phone: PHONE });
    expect(enrolled.data).toMatchObject({ type: "phone", phone: PHONE });
    const factorId = enrolled.data?.id ?? "";
    const { data } = await client.auth.mfa.challenge({ factorId, channel: "sms" });
    expect(data?.type).toBe("phone");
    const again = await client.auth.mfa.challenge({ factorId, channel: "sms" });
    expect(again.error).toMatchObject({ status: 429, code: "over_sms_send_rate_limit" });
    const verify = (code: string) => client.auth.mfa.verify({ factorId, challengeId: data?.id ?? "", code });
    expect((await verify("111111")).error).toMatchObject({
      code: "mfa_verification_failed",
      message: "Invalid MFA Phone code entered",
    });
    expect((await verify("424242")).error).toBeNull();
    const { data: checked } = await client.auth.getClaims();
    expect(checked?.claims).toMatchObject({
      aal: "aal2",
      amr: [{ method: "mfa/phone" }, { method: "password" }],
    });
  });
});
