/** Auth hooks (docs/compat/auth.md 5, "Hooks"), and notification mails. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { TestBackend } from "../../../src/testing/index.ts";
import { authBackend, clientOf, mailTo, PASSWORD } from "../client.ts";

type Body = Record<string, Record<string, unknown>>;

let backend: TestBackend;
const received: Body[] = [];
let reply: { status: number; type: string; body: string };
const ok = { status: 200, type: "application/json", body: "{}" };

const server = createServer(async (incoming, outgoing) => {
  let text = "";
  for await (const chunk of incoming) text += chunk;
  received.push(JSON.parse(text));
  outgoing.writeHead(reply.status, { "content-type": reply.type });
  outgoing.end(reply.body);
});

const on = { enabled: true };

beforeAll(async () => {
  reply = ok;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const http = { enabled: true, uri, secrets: "v1,whsec_c2VjcmV0" };
  backend = await authBackend({
    email: {
      enable_confirmations: true,
      notification: { password_changed: on, email_changed: on, phone_changed: on },
    },
    sms: { enable_signup: true, enable_confirmations: true, twilio: on },
    hook: {
      send_email: http,
      send_sms: http,
      password_verification_attempt: { enabled: true, uri: "pg-functions://postgres/public/attempt" },
    },
  });
  await backend.sql(`create table public.attempts (user_id uuid, valid bool)`);
  await backend.sql(`create function public.attempt(event jsonb) returns jsonb language plpgsql security definer
    set search_path = '' as $$ begin
      insert into public.attempts values ((event ->> 'user_id')::uuid, (event ->> 'valid')::bool);
      if (select count(*) from public.attempts where user_id = (event ->> 'user_id')::uuid and not valid) > 1 then
        return '{"decision":"reject","message":"Too many tries.","should_logout_user":true}';
      end if;
      return '{"decision":"continue"}';
    end $$`);
  await backend.sql("grant execute on function public.attempt(jsonb) to supabase_auth_admin");
});
afterEach(() => {
  reply = ok;
});
afterAll(async () => {
  await backend.drop();
  server.close();
});

function last(action: string) {
  const found = received.findLast((body) => body.email_data?.email_action_type === action);
  if (!found) throw new Error(`no ${action}`);
  return found;
}

let count = 0;
async function confirmed() {
  const email = `hook${count++}@example.com`;
  const client = clientOf(backend);
  await client.auth.signUp({ email, password: PASSWORD });
  const { token_hash: hash } = last("signup").email_data ?? {};
  const { error, data } = await client.auth.verifyOtp({ token_hash: String(hash), type: "signup" });
  if (error) throw error;
  backend.clock.advance(2_000);
  return { client, email, id: data.user?.id ?? "" };
}

describe("send_email", () => {
  it("is handed each mail instead of the inbox, with code, hash and address", async () => {
    const sent = backend.mails.length;
    const { client, email } = await confirmed();
    await client.auth.resetPasswordForEmail(email, { redirectTo: "http://127.0.0.1:3000/reset" });
    expect(last("recovery")).toMatchObject({
      user: { email },
      email_data: {
        token: expect.stringMatching(/^\d{6}$/),
        token_hash: expect.stringMatching(/^[0-9a-f]{56}$/),
        redirect_to: "http://127.0.0.1:3000/reset",
        site_url: `${backend.url}/auth/v1`,
        token_new: "",
        token_hash_new: "",
      },
    });
    expect(backend.mails.length).toBe(sent);
  });

  it("gets both tokens of a change of address, crossed as the real server has them", async () => {
    const { client, email } = await confirmed();
    await client.auth.updateUser({ email: `new-${email}` });
    const data = last("email_change").email_data ?? {};
    const first = await clientOf(backend).auth.verifyOtp({
      email,
      token: String(data.token),
      type: "email_change",
    });
    expect(first.error).toBeNull();
    const second = await clientOf(backend).auth.verifyOtp({
      token_hash: String(data.token_hash),
      type: "email_change",
    });
    expect(second.data.user?.email).toBe(`new-${email}`);
    expect(last("email_changed_notification").email_data).toMatchObject({ old_email: email });
  });

  it("is told of a changed password, whose notice may fail without undoing the change", async () => {
    const { client, email } = await confirmed();
    expect((await client.auth.updateUser({ password: "another password" })).error).toBeNull();
    expect(last("password_changed_notification").user).toMatchObject({ email });
    reply = { ...ok, status: 500 };
    expect((await client.auth.updateUser({ password: "a third password" })).error).toBeNull();
    reply = ok;
    const again = await client.auth.signInWithPassword({ email, password: "a third password" });
    expect(again.error).toBeNull();
  });

  it.each([
    [
      { ...ok, body: '{"error":{"http_code":422,"message":"Address on a list."}}' },
      422,
      "unknown",
      "Address on a list.",
    ],
    [
      { ...ok, type: "text/plain" },
      400,
      "hook_payload_invalid_content_type",
      "Invalid JSON response. Received content-type: text/plain",
    ],
    [{ ...ok, status: 418 }, 500, "unexpected_failure", "Unexpected status code returned from hook: 418"],
    [
      { ...ok, body: `"${"x".repeat(210_000)}"` },
      422,
      "hook_payload_over_size_limit",
      "Payload size exceeded size limit of 204800 bytes",
    ],
  ])("fails the request when it answers %j", async (answer, status, error_code, msg) => {
    reply = answer;
    const email = `hook${count++}@example.com`;
    const response = await fetch(`${backend.url}/auth/v1/signup`, {
      method: "POST",
      headers: { apikey: backend.publishableKey },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    expect(await response.json()).toMatchObject({ code: status, error_code, msg });
    expect(await backend.sql("select 1 from auth.users where email = $1", [email])).toEqual([]);
  });
});

describe("send_sms", () => {
  it("is handed the code of a sign-up, a resend and a change of number", async () => {
    const client = clientOf(backend);
    const phone = "491511111111";
    const signed = await client.auth.signUp({ phone: `+${phone}`, password: PASSWORD });
    expect(signed.data.session).toBeNull();
    backend.clock.advance(6_000);
    expect((await client.auth.resend({ type: "sms", phone })).error).toBeNull();
    const sms = () => received.findLast((body) => body.sms)?.sms ?? {};
    expect(sms()).toMatchObject({ phone, otp: expect.stringMatching(/^\d{6}$/) });
    const verified = await client.auth.verifyOtp({ phone, token: String(sms().otp), type: "sms" });
    expect(verified.data.user?.phone_confirmed_at).toBeDefined();

    const next = "491512222222";
    const changed = await client.auth.updateUser({ phone: next });
    expect(changed.data.user).toMatchObject({ phone, new_phone: next });
    backend.clock.advance(6_000);
    expect((await client.auth.resend({ type: "phone_change", phone })).error).toBeNull();
    expect(sms()).toMatchObject({ phone: next });
    const done = await client.auth.verifyOtp({ phone: next, token: String(sms().otp), type: "phone_change" });
    expect(done.data.user?.phone).toBe(next);
    expect(done.data.user?.identities?.[0]?.identity_data).toMatchObject({
      phone: next,
      phone_verified: true,
    });
    const old = await clientOf(backend).auth.signInWithPassword({ phone, password: PASSWORD });
    expect(old.error?.code).toBe("invalid_credentials");
  });
});

describe("password_verification_attempt", () => {
  it("sees right and wrong passwords, rejects with its message, and may end sessions", async () => {
    const { client, email, id } = await confirmed();
    const attempt = (password: string) => clientOf(backend).auth.signInWithPassword({ email, password });
    expect((await attempt(PASSWORD)).error).toBeNull();
    expect((await attempt("wrong")).error?.message).toBe("Invalid login credentials");
    expect((await client.auth.getUser()).error).toBeNull();
    // An error rolls back the hook's writes with everything else, as upstream.
    await backend.sql("insert into public.attempts values ($1, false), ($1, false)", [id]);
    expect((await attempt("wrong")).error).toMatchObject({
      status: 400,
      code: "invalid_credentials",
      message: "Too many tries.",
    });
    expect((await client.auth.getUser()).error).not.toBeNull();
  });
});

describe("custom_access_token", () => {
  it("has to give complete claims", async () => {
    await using strict = await authBackend({
      hook: { custom_access_token: { enabled: true, uri: "pg-functions://postgres/public/claims" } },
    });
    await strict.sql(`create function public.claims(event jsonb) returns jsonb language sql as
      $$ select jsonb_build_object('claims', (event -> 'claims') - 'aal') $$`);
    await strict.sql("grant execute on function public.claims(jsonb) to supabase_auth_admin");
    const response = await fetch(`${strict.url}/auth/v1/signup`, {
      method: "POST",
      headers: { apikey: strict.publishableKey },
      body: JSON.stringify({ email: "claims@example.com", password: PASSWORD }),
    });
    expect(response.status).toBe(500);
    expect(((await response.json()) as { msg: string }).msg).toContain("(root): aal is required");
    expect(await strict.sql("select 1 from auth.users")).toEqual([]);
  });
});

describe("a trigger on sign-up that fails", () => {
  it("is told as such, and no hook is called or blamed", async () => {
    const called = received.length;
    const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    await using other = await authBackend({
      hook: { custom_access_token: { enabled: true, uri, secrets: "v1,whsec_c2VjcmV0" } },
    });
    await other.sql(`create function public.refuse() returns trigger language plpgsql as $$ begin
      raise exception 'no profile for this address'; end $$`);
    await other.sql(
      "create trigger refuse after insert on auth.users for each row execute function public.refuse()",
    );
    const { error } = await clientOf(other).auth.signUp({ email: "refused@example.com", password: PASSWORD });
    expect(error).toMatchObject({ status: 500, message: "Database error saving new user" });
    expect(received.length).toBe(called);
  });
});

describe("notices without a hook", () => {
  it("go to the inbox, and only when they are on", async () => {
    await using plain = await authBackend({ email: { notification: { password_changed: on } } });
    const client = clientOf(plain);
    await client.auth.signUp({ email: "notice@example.com", password: PASSWORD });
    await client.auth.updateUser({ password: "another password" });
    expect(mailTo(plain, "notice@example.com").subject).toBe("Your password has been changed");
    expect(plain.mails).toHaveLength(1);
  });
});
