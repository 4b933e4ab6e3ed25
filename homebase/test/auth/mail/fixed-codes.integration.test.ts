/** Codes that a test fixes: of mails by address, and of messages by config.toml or the hook without a provider. */
import { createClient } from "@supabase/supabase-js";
import { expect, test } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";
import { forThisFile } from "../../for-this-file.ts";

const PHONE = "15551230000";
const backend = await forThisFile(
  createBackend({
    bare: true,
    mailCodes: { "Ana@example.com": "424242", "new@example.com": "111111" },
    config: {
      auth: {
        email: { enable_confirmations: true, max_frequency: 0, double_confirm_changes: false },
        sms: { enable_signup: true, test_otp: { [PHONE]: "123456" } },
      },
    } as never,
  }),
);
const client = () => createClient(backend.url, backend.publishableKey, { auth: { persistSession: false } });

test("mails to the address have the code in each flow, once each", async () => {
  const { auth } = client();
  const email = "ana@example.com";
  await auth.signUp({ email, password: "correct horse" });
  expect((await auth.verifyOtp({ email, token: "424242", type: "signup" })).data.user?.email).toBe(email);
  expect((await auth.verifyOtp({ email, token: "424242", type: "signup" })).error?.code).toBe("otp_expired");
  await auth.signInWithOtp({ email });
  expect(backend.mails.at(-1)?.html).toContain("424242");
  expect((await auth.verifyOtp({ email, token: "424242", type: "email" })).error).toBeNull();
  await auth.resetPasswordForEmail(email);
  expect((await auth.verifyOtp({ email, token: "424242", type: "recovery" })).error).toBeNull();
  await auth.updateUser({ email: "new@example.com" });
  const changed = await auth.verifyOtp({ email: "new@example.com", token: "111111", type: "email_change" });
  expect(changed.data.user?.email).toBe("new@example.com");
  const admin = createClient(backend.url, backend.secretKey).auth.admin;
  const link = await admin.generateLink({ type: "magiclink", email: "new@example.com" });
  expect(link.data.properties?.email_otp).toBe("111111");
});

test("another address has a code of chance, and this one no wrong code", async () => {
  const { auth } = client();
  for (const email of ["ana+1@example.com", "xana@example.com", "ana@example.com.org"]) {
    await auth.signInWithOtp({ email });
    expect((await auth.verifyOtp({ email, token: "424242", type: "email" })).error?.code).toBe("otp_expired");
  }
  await auth.signInWithOtp({ email: "ana@example.com" });
  expect(
    (await auth.verifyOtp({ email: "ana@example.com", token: "000000", type: "email" })).error?.code,
  ).toBe("otp_expired");
});

test.each([
  [{ "*@example.com": "123456" }, "is no address"],
  [{ "example.com": "123456" }, "is no address"],
  [{ "a@example.com": "1234" }, "has not 6 digits"],
  [{ "a@example.com": "abcdef" }, "has not 6 digits"],
])("%j is refused", async (mailCodes, fault) => {
  await expect(createBackend({ bare: true, mailCodes })).rejects.toThrow(fault);
});

// Cases from public reports, C: supabase/cli 4683.
test("a number of test_otp signs in without a provider, and another number is refused by the message that fails", async () => {
  const { auth } = client();
  expect((await auth.signInWithOtp({ phone: PHONE })).error).toBeNull();
  const { data } = await auth.verifyOtp({ phone: PHONE, token: "123456", type: "sms" });
  expect(data.session?.user.phone).toBe(PHONE);
  expect((await auth.signInWithOtp({ phone: "15551239999" })).error?.code).toBe("sms_send_failed");
  const settings = await fetch(`${backend.url}/auth/v1/settings`, {
    headers: { apikey: backend.publishableKey },
  });
  expect(await settings.json()).toMatchObject({ external: { phone: true } });
});

test("without a provider, a hook or fixed codes, sign-ins by phone are off", async () => {
  await using other = await createBackend({
    bare: true,
    config: { auth: { sms: { enable_signup: true } } } as never,
  });
  const { auth } = createClient(other.url, other.publishableKey);
  expect((await auth.signInWithOtp({ phone: PHONE })).error?.code).toBe("phone_provider_disabled");
});
