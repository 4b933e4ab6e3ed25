/** Common mistakes of emulators, numbered (docs/compat/auth.md): sign-up, users, tokens, links. */
import { afterAll, describe, expect, it } from "vitest";
import type { TestBackend } from "../../src/testing/index.ts";
import { adminOf, authBackend, clientOf, follow, fragmentOf, mailTo, PASSWORD } from "./client.ts";

const [plain, strict] = await Promise.all([
  authBackend({ sms: { enable_signup: true, twilio: { enabled: true } } }),
  authBackend({
    additional_redirect_urls: ["https://*.example.com/*", "https://deep.test/**"],
    email: { enable_confirmations: true },
    sms: { enable_confirmations: true },
  }),
]);
afterAll(() => Promise.all([plain.drop(), strict.drop()]));

function call(
  backend: TestBackend,
  path: string,
  init: { method?: string; body?: object; headers?: object } = {},
) {
  return fetch(`${backend.url}/auth/v1/${path}`, {
    method: init.method ?? (init.body ? "POST" : "GET"),
    redirect: "manual",
    headers: { apikey: backend.publishableKey, ...init.headers },
    ...(init.body ? { body: JSON.stringify(init.body) } : {}),
  });
}

let count = 0;
async function confirmed(pkce = false) {
  const email = `pitfall${count++}@example.com`;
  const { data } = await adminOf(strict).auth.admin.createUser({
    email,
    password: PASSWORD,
    email_confirm: true,
  });
  const client = clientOf(strict, { pkce });
  await client.auth.signInWithPassword({ email, password: PASSWORD });
  return { client, email, id: data.user?.id ?? "" };
}

describe("errors", () => {
  it("1. have the shape of the version asked for, in a header that browsers may read", async () => {
    const body = { email: "shape@example.com", password: "abc" };
    const old = await call(plain, "signup", { body });
    expect(await old.json()).toEqual({
      code: 422,
      error_code: "weak_password",
      msg: "Password should be at least 6 characters.",
      weak_password: { reasons: ["length"] },
    });
    expect(old.headers.get("x-supabase-api-version")).toBeNull();
    const headers = { "x-supabase-api-version": "2024-01-01", origin: "http://127.0.0.1:3000" };
    const newer = await call(plain, "signup", { body, headers });
    expect(await newer.json()).toEqual({
      code: "weak_password",
      message: "Password should be at least 6 characters.",
      weak_password: { reasons: ["length"] },
    });
    expect(newer.headers.get("x-supabase-api-version")).toBe("2024-01-01");
    expect(newer.headers.get("access-control-expose-headers")?.toLowerCase()).toContain(
      "x-supabase-api-version",
    );
  });

  it("2. call the anon key on GET /user a bad JWT (403)", async () => {
    const response = await call(plain, "user", { headers: { authorization: `Bearer ${plain.anonKey}` } });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      error_code: "bad_jwt",
      msg: "invalid claim: missing sub claim",
    });
  });
});

describe("sign-up", () => {
  it("3. repeated: a fake user with confirmations on, 422 as soon as one kind needs none", async () => {
    const { email } = await confirmed();
    const fake = await clientOf(strict).auth.signUp({ email, password: PASSWORD });
    expect(fake.data.user?.identities).toEqual([]);
    await using half = await authBackend({ email: { enable_confirmations: true } });
    const admin = adminOf(half).auth.admin;
    await admin.createUser({ email, password: PASSWORD, email_confirm: true });
    const { error } = await clientOf(half).auth.signUp({ email, password: PASSWORD });
    expect(error).toMatchObject({ status: 422, code: "user_already_exists" });
  });

  it("4. repeated while unconfirmed: the password stays the first one", async () => {
    const email = "first-password@example.com";
    await clientOf(strict).auth.signUp({ email, password: PASSWORD });
    strict.clock.advance(2_000);
    await clientOf(strict).auth.signUp({ email, password: "another password" });
    await follow(mailTo(strict, email).link);
    const attempt = (password: string) => clientOf(strict).auth.signInWithPassword({ email, password });
    expect((await attempt("another password")).error?.code).toBe("invalid_credentials");
    expect((await attempt(PASSWORD)).error).toBeNull();
  });

  it("5. shows an insert trigger `data` alone, and the client the identity's members too", async () => {
    await plain.sql("create table public.seen (meta jsonb, role text)");
    await plain.sql(`create function public.see() returns trigger language plpgsql security definer set search_path = ''
      as $$ begin insert into public.seen values (new.raw_user_meta_data, new.role); return new; end $$`);
    await plain.sql(
      "create trigger see after insert on auth.users for each row execute function public.see()",
    );
    const options = { data: { name: "Ada" } };
    const { data } = await clientOf(plain).auth.signUp({
      email: "seen@example.com",
      password: PASSWORD,
      options,
    });
    expect(await plain.sql("select * from public.seen")).toEqual([{ meta: { name: "Ada" }, role: "" }]);
    expect(Object.keys(data.user?.user_metadata ?? {}).sort()).toEqual([
      "email",
      "email_verified",
      "name",
      "phone_verified",
      "sub",
    ]);
    await plain.sql("drop trigger see on auth.users");
  });

  it("6. and 7. gives identities their two ids, and empty texts rather than null", async () => {
    const response = await call(plain, "signup", { body: { email: "ids@example.com", password: PASSWORD } });
    const { user, access_token: token } = (await response.json()) as {
      user: Record<string, unknown> & { identities: Record<string, string>[] };
      access_token: string;
    };
    const [identity] = user.identities;
    expect(identity).toMatchObject({ id: user.id, user_id: user.id });
    const rows = await plain.sql("select provider_id from auth.identities where id = $1", [
      identity?.identity_id,
    ]);
    expect(rows).toEqual([{ provider_id: user.id }]);
    expect(user.phone).toBe("");
    expect(Object.values(user)).not.toContain(null);
    expect(user).not.toHaveProperty("banned_until");
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    expect(claims).toMatchObject({ phone: "", aud: "authenticated", amr: [{ method: "password" }] });
    expect([Number.isInteger(claims.exp), Number.isInteger(claims.iat)]).toEqual([true, true]);
  });

  it("22. by phone gives a session at once while confirmations are off", async () => {
    const { data } = await clientOf(plain).auth.signUp({ phone: "+491513333333", password: PASSWORD });
    expect(data.session?.user).toMatchObject({ phone: "491513333333", email: "" });
  });
});

describe("links and codes", () => {
  const amr = async (client: ReturnType<typeof clientOf>) => (await client.auth.getClaims()).data?.claims.amr;

  it("8. and 10. otp is the method of a code, also of a PKCE hash that is posted", async () => {
    const { client, email } = await confirmed(true);
    await client.auth.signInWithOtp({ email });
    const hash = new URL(mailTo(strict, email).link).searchParams.get("token") ?? "";
    expect(hash).toMatch(/^pkce_/);
    const { data } = await client.auth.verifyOtp({ token_hash: hash, type: "magiclink" });
    expect(data.session).not.toBeNull();
    expect(await amr(client)).toMatchObject([{ method: "otp" }]);
  });

  it("9. a first sign-in by mail is a confirmation, which is no magic link", async () => {
    const client = clientOf(strict);
    await client.auth.signInWithOtp({ email: "firstmail@example.com" });
    const { link, subject } = mailTo(strict, "firstmail@example.com");
    expect(subject).toBe("Confirm your email address");
    const hash = new URL(link).searchParams.get("token") ?? "";
    expect((await client.auth.verifyOtp({ token_hash: hash, type: "magiclink" })).error?.code).toBe(
      "otp_expired",
    );
    expect((await client.auth.verifyOtp({ token_hash: hash, type: "email" })).error).toBeNull();
  });

  it("11. redirects by 303 with sorted fragments, also when it fails, for PKCE in the query too", async () => {
    const failed = await call(strict, "verify?token=pkce_x&type=signup");
    expect(failed.status).toBe(303);
    const url = new URL(failed.headers.get("location") ?? "");
    const members = {
      error: "access_denied",
      error_code: "otp_expired",
      error_description: "Email link is invalid or has expired",
    };
    expect(Object.fromEntries(url.searchParams)).toEqual(members);
    expect(Object.fromEntries(fragmentOf(url))).toEqual({ ...members, sb: "" });
  });

  it("12. falls back to the referring page, then to the site", async () => {
    const to = async (headers: object) =>
      new URL(
        (
          await call(strict, "verify?token=x&type=signup&redirect_to=https://evil.test/", { headers })
        ).headers.get("location") ?? "",
      ).origin;
    expect(await to({ referer: "https://deep.test/a/b" })).toBe("https://deep.test");
    expect(await to({ referer: "https://evil.test/" })).toBe("http://127.0.0.1:3000");
  });

  it.each([
    ["https://app.example.com/in", true],
    ["https://a.b.example.com/in", false],
    ["https://app.example.com/in/side", false],
    ["https://deep.test/in/side", true],
    ["http://127.0.0.2:9999/", true],
    ["http://192.168.0.1/", false],
  ])("13. judges %s: %s", async (redirectTo, allowed) => {
    const response = await call(
      strict,
      `verify?token=x&type=signup&redirect_to=${encodeURIComponent(redirectTo)}`,
    );
    const location = response.headers.get("location") ?? "";
    expect(location.startsWith(redirectTo)).toBe(allowed);
  });

  it("14. needs one address to agree where confirmations are off", async () => {
    const client = clientOf(plain);
    await client.auth.signUp({ email: "single@example.com", password: PASSWORD });
    await client.auth.updateUser({ email: "single-next@example.com" });
    await follow(mailTo(plain, "single-next@example.com").link);
    expect((await client.auth.getUser()).data.user?.email).toBe("single-next@example.com");
  });

  it("15. one use voids every other link of the user, but not a code typed with its address", async () => {
    const { client, email } = await confirmed();
    await client.auth.updateUser({ email: `later-${email}` });
    const change = mailTo(strict, email);
    await client.auth.resetPasswordForEmail(email);
    await follow(mailTo(strict, email).link);
    expect(fragmentOf(await follow(change.link)).get("error_code")).toBe("otp_expired");
    const typed = await clientOf(strict).auth.verifyOtp({ email, token: change.code, type: "email_change" });
    expect(typed.error).toBeNull();
  });

  it("16. a PKCE recovery ends five minutes after the request, though its mail lives an hour", async () => {
    const { client, email } = await confirmed(true);
    await client.auth.resetPasswordForEmail(email);
    strict.clock.advance(301_000);
    const url = await follow(mailTo(strict, email).link);
    expect(url.searchParams.get("error_code")).toBe("flow_state_expired");
    strict.clock.reset();
  });
});
