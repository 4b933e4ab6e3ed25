/** Signing in to Nosh: the accounts of the seed, and users that somebody makes with SQL. */

import { expect, test } from "vitest";
import { demoAccounts, demoPassword } from "../../../scripts/demo-accounts.ts";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { clientOf, dataOf, guest, people, signedIn } from "../people.ts";

const backend = await forThisFile(createBackend());

test.each(demoAccounts)("the demo account %s signs in and reads its own profile", async (email) => {
  const client = clientOf(backend);
  const { user } = dataOf(await client.auth.signInWithPassword({ email, password: demoPassword }));
  const profile = dataOf(
    await client
      .from("profiles")
      .select("is_guest")
      .eq("id", user?.id ?? "")
      .single(),
  );
  expect(profile).toEqual({ is_guest: false });
});

test("a demo account does not open with another password", async () => {
  const { data, error } = await clientOf(backend).auth.signInWithPassword({
    email: demoAccounts[0],
    password: `${demoPassword}!`,
  });
  expect(error).toMatchObject({ code: "invalid_credentials", status: 400 });
  expect(data.session).toBeNull();
});

test("a user inserted with crypt() signs in, and the trigger has made their profile", async () => {
  await backend.sql(`
    insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
      raw_app_meta_data, raw_user_meta_data, created_at, updated_at, confirmation_token, recovery_token,
      email_change_token_new, email_change)
    values ('00000000-0000-0000-0000-000000000000', '00000000-0000-4000-8000-00000000aaaa', 'authenticated',
      'authenticated', 'greta@nosh.test', extensions.crypt('made with sql', extensions.gen_salt('bf')), now(),
      '{"provider": "email", "providers": ["email"]}', '{"display_name": "Greta"}', now(), now(), '', '', '', '')`);
  const client = clientOf(backend);
  const { user } = dataOf(
    await client.auth.signInWithPassword({ email: "greta@nosh.test", password: "made with sql" }),
  );
  expect(user?.id).toBe("00000000-0000-4000-8000-00000000aaaa");
  expect(
    dataOf(
      await client
        .from("profiles")
        .select("display_name")
        .eq("id", user?.id ?? ""),
    ),
  ).toEqual([{ display_name: "Greta" }]);
});

test("a code from the mail signs in, once", async () => {
  const client = clientOf(backend);
  const { error } = await client.auth.signInWithOtp({ email: "fatou@nosh.test" });
  expect(error).toBeNull();
  const code = /^\d{6}/.exec(backend.mails.at(-1)?.subject ?? "")?.[0] ?? "";
  const verify = () =>
    clientOf(backend).auth.verifyOtp({ email: "fatou@nosh.test", token: code, type: "email" });
  expect(dataOf(await verify()).user?.id).toBe(people.fatou);
  expect((await verify()).error).toMatchObject({ code: "otp_expired", status: 403 });
});

test("a guest who adds an address stays the same person", async () => {
  const { client, id } = await guest(backend, "Bo");
  const { user } = dataOf(await client.auth.updateUser({ email: "bo@nosh.test" }));
  expect(user).toMatchObject({ id, is_anonymous: false, email: "bo@nosh.test" });
  const profile = await client.from("profiles").select("display_name, is_guest").eq("id", id);
  expect(profile.data).toEqual([{ display_name: "Bo", is_guest: false }]);
});

test("where addresses are confirmed, a guest stays one until they follow the mail's link", async () => {
  await using strict = await createBackend({ config: { auth: { email: { enable_confirmations: true } } } });
  const { client, id } = await guest(strict, "Bo");
  const { user: before } = dataOf(await client.auth.updateUser({ email: "bo@nosh.test" }));
  expect(before).toMatchObject({ id, is_anonymous: true });
  const [mail] = strict.mails;
  expect(mail?.to.map((to) => to.address)).toEqual(["bo@nosh.test"]);
  const link = /href="([^"]*\/verify\?[^"]*)"/.exec(mail?.html ?? "")?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect((await fetch(link, { redirect: "manual" })).status).toBe(303);
  const { user } = dataOf(await client.auth.refreshSession());
  expect(user).toMatchObject({ id, is_anonymous: false, email: "bo@nosh.test" });
});

test("a session that signed out everywhere is refused afterwards", async () => {
  const client = await signedIn(backend, "emre");
  const other = await signedIn(backend, "emre");
  expect((await client.auth.signOut({ scope: "global" })).error).toBeNull();
  const { error } = await other.auth.refreshSession();
  expect(error?.status).toBe(400);
});
