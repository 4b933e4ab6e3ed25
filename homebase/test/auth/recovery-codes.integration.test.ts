/**
 * Recovery codes over plain HTTP, as auth-js requests them (supabase/auth,
 * internal/api/recovery_codes_test.go).
 */
import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { totpCode } from "../../src/auth/factors/totp.ts";
import type { TestBackend } from "../../src/testing/index.ts";
import { authBackend, clientOf, PASSWORD } from "./client.ts";

let backend: TestBackend;
beforeAll(async () => {
  const enabled = { enroll_enabled: true, verify_enabled: true };
  backend = await authBackend({ mfa: { totp: enabled, recovery_codes: enabled } });
});
afterAll(() => backend?.drop());

let count = 0;
async function signedUp() {
  const client = clientOf(backend);
  const email = `codes${count++}@example.com`;
  const { error } = await client.auth.signUp({ email, password: PASSWORD });
  if (error) throw error;
  return { client, email };
}

/** A user with a verified authenticator: the client is aal2. */
async function secured() {
  const user = await signedUp();
  const { data, error } = await user.client.auth.mfa.enroll({ factorType: "totp" });
  if (error) throw error;
  const code = totpCode(data.totp.secret, backend.clock.now());
  const proven = await user.client.auth.mfa.challengeAndVerify({ factorId: data.id, code });
  if (proven.error) throw proven.error;
  return { ...user, factor: data.id };
}

interface Answer {
  status: number;
  // Compares the whole, or a member by name.
  body: Record<string, unknown> & { codes?: string[]; access_token?: string };
}

async function ask(client: SupabaseClient, method: string, path = "", body?: unknown): Promise<Answer> {
  const { data } = await client.auth.getSession();
  const response = await fetch(`${backend.url}/auth/v1/factors/recovery-codes${path}`, {
    method,
    headers: {
      apikey: backend.publishableKey,
      authorization: `Bearer ${data.session?.access_token}`,
      "content-type": "application/json",
      "x-supabase-api-version": "2024-01-01",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

/** The same user, signed in with the password only. */
async function again(email: string) {
  const client = clientOf(backend);
  const { error } = await client.auth.signInWithPassword({ email, password: PASSWORD });
  if (error) throw error;
  return client;
}

async function withCodes() {
  const user = await secured();
  const { body } = await ask(user.client, "POST");
  return { ...user, codes: body.codes ?? [], id: body.id };
}

describe("making them", () => {
  it("shows ten codes once, and how many are left afterwards", async () => {
    const { client } = await secured();
    const made = await ask(client, "POST");
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ type: "recovery_code", friendly_name: "Recovery codes", total: 10 });
    expect(made.body.codes).toHaveLength(10);
    for (const code of made.body.codes ?? []) expect(code).toMatch(/^[a-z2-7]{16}$/);
    expect(await ask(client, "GET")).toEqual({
      status: 200,
      body: {
        id: made.body.id,
        type: "recovery_code",
        friendly_name: "Recovery codes",
        total: 10,
        remaining: 10,
      },
    });
    const stored = await backend.sql("select code_hash from auth.mfa_recovery_codes limit 1");
    expect(stored[0]?.code_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=1,p=1\$/);
    expect(await ask(client, "POST")).toMatchObject({
      status: 422,
      body: { code: "mfa_verified_factor_exists" },
    });
  });

  it("asks for a second factor first", async () => {
    const { client } = await signedUp();
    expect(await ask(client, "POST")).toMatchObject({ status: 403, body: { code: "insufficient_aal" } });
    expect(await ask(client, "GET")).toMatchObject({ status: 404, body: { code: "mfa_factor_not_found" } });
    expect(await ask(client, "POST", "/verify", { code: "abc" })).toMatchObject({
      status: 422,
      body: { code: "mfa_verification_failed", message: "Invalid recovery code entered" },
    });
  });

  it("replaces them, and takes them away", async () => {
    const { client, email, codes, id, factor } = await withCodes();
    const other = await client.auth.mfa.unenroll({ factorId: factor });
    expect(other.error).toMatchObject({ status: 422, code: "mfa_recovery_codes_sole_factor" });
    const own = await client.auth.mfa.unenroll({ factorId: String(id) });
    expect(own.error).toMatchObject({ status: 422, code: "validation_failed" });
    const fresh = await ask(client, "POST", "/regenerate");
    expect(fresh).toMatchObject({ status: 200, body: { id, total: 10 } });
    const below = await again(email);
    expect((await ask(below, "POST", "/verify", { code: codes[0] })).status).toBe(422);
    expect((await ask(below, "POST", "/verify", { code: fresh.body.codes?.[0] })).status).toBe(200);
    const { client: third } = { client: await again(email) };
    expect(await ask(third, "DELETE")).toMatchObject({ status: 403, body: { code: "insufficient_aal" } });
    expect(await ask(client, "DELETE")).toEqual({ status: 200, body: { id } });
    expect((await ask(client, "GET")).status).toBe(404);
  });
});

describe("using one", () => {
  it("raises the session, once for each code, however it is typed", async () => {
    const { email, codes } = await withCodes();
    const [first = ""] = codes;
    const client = await again(email);
    const typed = first.toUpperCase().replace(/(.{4})(?=.)/g, "$1-");
    const raised = await ask(client, "POST", "/verify", { code: ` ${typed} ` });
    expect(raised.status).toBe(200);
    const claims = JSON.parse(
      Buffer.from(raised.body.access_token?.split(".")[1] ?? "", "base64url").toString(),
    );
    expect(claims.aal).toBe("aal2");
    expect(claims.amr.map(({ method }: { method: string }) => method).sort()).toEqual([
      "mfa/recovery_code",
      "password",
    ]);
    expect((await ask(await again(email), "POST", "/verify", { code: first })).body.code).toBe(
      "mfa_verification_failed",
    );
    expect((await ask(await again(email), "GET")).body).toMatchObject({ total: 10, remaining: 9 });
  });

  it("takes none for a while after five wrong ones", async () => {
    const { email, codes } = await withCodes();
    const client = await again(email);
    for (let guess = 0; guess < 5; guess++) {
      expect((await ask(client, "POST", "/verify", { code: "wrong" })).status).toBe(422);
    }
    expect(await ask(client, "POST", "/verify", { code: codes[0] })).toMatchObject({
      status: 429,
      body: { code: "mfa_recovery_codes_locked" },
    });
    backend.clock.advance(16 * 60_000);
    expect((await ask(client, "POST", "/verify", { code: codes[0] })).status).toBe(200);
  });
});

it("is off unless it is switched on", async () => {
  const plain = await authBackend({});
  const client = clientOf(plain);
  const { data } = await client.auth.signUp({ email: "off@example.com", password: PASSWORD });
  const post = async (path: string) => {
    const response = await fetch(`${plain.url}/auth/v1/factors/recovery-codes${path}`, {
      method: "POST",
      headers: { apikey: plain.publishableKey, authorization: `Bearer ${data.session?.access_token}` },
    });
    return [response.status, ((await response.json()) as { error_code: string }).error_code];
  };
  expect(await post("")).toEqual([422, "mfa_recovery_codes_enroll_disabled"]);
  expect(await post("/verify")).toEqual([422, "mfa_recovery_codes_verify_disabled"]);
  await plain.drop();
});
