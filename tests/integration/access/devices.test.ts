/** One person on several devices: a guest's personal link, and the list of signed-in devices. */

import { expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { clientOf, dataOf, guest, signedIn } from "../people.ts";

const backend = await forThisFile(createBackend());

/** A guest with a seat, and their personal link. */
async function guestWithLink(name: string) {
  const one = await guest(backend, name);
  const [link] = dataOf(await one.client.rpc("create_personal_link"));
  if (!link) throw new Error("No link came back.");
  return { ...one, token: link.token };
}

/** Opens a link on a separate device and adopts the session. */
async function openOn(token: string) {
  const client = clientOf(backend);
  const [opened] = dataOf(await client.rpc("open_personal_link", { token }));
  // The only form of token that the hosted auth service looks up in its table.
  expect(opened?.refresh_token).toMatch(/^[a-z0-9]{12}$/);
  const { user, session } = dataOf(
    await client.auth.refreshSession({ refresh_token: opened?.refresh_token ?? "" }),
  );
  return { client, user, session, name: opened?.display_name };
}

test("a guest is the same person on a second device, and both go on", async () => {
  const { client, id, token } = await guestWithLink("Greta");
  const second = await openOn(token);
  expect(second.user).toMatchObject({ id, is_anonymous: true });
  expect(second.name).toBe("Greta");
  // Each has its own session: renewing one does not end the other.
  for (const device of [client, second.client, client, second.client]) {
    const { error } = await device.auth.refreshSession();
    expect(error).toBeNull();
  }
  dataOf(await client.from("profiles").update({ display_name: "Greta G" }).eq("id", id).select());
  const seen = dataOf(await second.client.from("profiles").select("display_name").eq("id", id).single());
  expect(seen.display_name).toBe("Greta G");
});

test("a link ends: replaced, withdrawn, used up, too old, or no guest any more", async () => {
  const gone = { code: "PT410", details: "personal_link_gone" };
  const open = async (token: string) => (await clientOf(backend).rpc("open_personal_link", { token })).error;

  const replaced = await guestWithLink("Replaced");
  dataOf(await replaced.client.rpc("create_personal_link"));
  expect(await open(replaced.token)).toMatchObject(gone);

  const withdrawn = await guestWithLink("Withdrawn");
  expect((await withdrawn.client.rpc("revoke_personal_link")).error).toBeNull();
  expect(await open(withdrawn.token)).toMatchObject(gone);

  const used = await guestWithLink("Used");
  const { client: second } = await openOn(used.token);
  expect(await open(used.token)).toMatchObject(gone);
  // Nor does signing out there open it again.
  expect((await second.auth.signOut({ scope: "local" })).error).toBeNull();
  expect(await open(used.token)).toMatchObject(gone);

  const old = await guestWithLink("Old");
  await backend.sql("update private.personal_links set expires_at = now() where user_id = $1", [old.id]);
  expect(await open(old.token)).toMatchObject(gone);

  const account = await guestWithLink("Account");
  dataOf(await account.client.auth.updateUser({ email: "was-a-guest@nosh.test" }));
  const admin = clientOf(backend, backend.secretKey);
  dataOf(await admin.auth.admin.updateUserById(account.id, { email_confirm: true }));
  await backend.sql("update auth.users set is_anonymous = false where id = $1", [account.id]);
  expect(await open(account.token)).toMatchObject(gone);

  expect(await open("nonsense")).toMatchObject(gone);
});

test("a lost answer does not use a link up: opened again, the session before it is gone", async () => {
  const { token } = await guestWithLink("Retried");
  const [lost] = dataOf(await clientOf(backend).rpc("open_personal_link", { token }));
  await openOn(token);
  const late = await clientOf(backend).auth.refreshSession({ refresh_token: lost?.refresh_token ?? "" });
  expect(late.error).not.toBeNull();
});

test("revoking ends the sessions that the guest's links opened, except the one that revokes", async () => {
  const { client: first, token } = await guestWithLink("Revoker");
  const { client: second } = await openOn(token);
  const [next] = dataOf(await first.rpc("create_personal_link"));
  const { client: third } = await openOn(next?.token ?? "");
  expect((await second.rpc("revoke_personal_link")).error).toBeNull();
  expect((await third.auth.refreshSession()).error).not.toBeNull();
  for (const device of [second, first]) expect((await device.auth.refreshSession()).error).toBeNull();
  expect((await first.rpc("revoke_personal_link")).error).toBeNull();
  expect((await second.auth.refreshSession()).error).not.toBeNull();
  expect((await first.auth.refreshSession()).error).toBeNull();
});

test("there is something to revoke while a link can be opened, or a device that one opened is signed in", async () => {
  const revocable = async (one: ReturnType<typeof clientOf>) => dataOf(await one.rpc("has_personal_link"));
  const { client, id, token } = await guestWithLink("Holder");
  const plain = clientOf(backend);
  dataOf(await plain.auth.signInAnonymously());
  expect(await revocable(plain)).toBe(false);
  expect(await revocable(client)).toBe(true);
  await backend.sql("update private.personal_links set expires_at = now() where user_id = $1", [id]);
  expect(await revocable(client)).toBe(false);
  await backend.sql(
    "update private.personal_links set expires_at = now() + interval '1 day' where user_id = $1",
    [id],
  );
  const { client: second } = await openOn(token);
  expect(await revocable(client)).toBe(true);
  // Nothing but itself: it would stay.
  expect(await revocable(second)).toBe(false);
  expect((await client.rpc("revoke_personal_link")).error).toBeNull();
  expect(await revocable(client)).toBe(false);
});

test("a guest's revoking leaves the sessions of everybody else", async () => {
  const { token } = await guestWithLink("Bystander");
  const { client: theirs } = await openOn(token);
  const { client: other } = await guestWithLink("Other");
  expect((await other.rpc("revoke_personal_link")).error).toBeNull();
  expect((await theirs.auth.refreshSession()).error).toBeNull();
});

test("who has an account gets no personal link", async () => {
  const ana = await signedIn(backend, "ana");
  expect((await ana.rpc("create_personal_link")).error).toMatchObject({
    code: "PT409",
    details: "not_a_guest",
  });
});

test("one sees where one is signed in, and ends a session there", async () => {
  const [here, there] = [await signedIn(backend, "ben"), await signedIn(backend, "ben")];
  const chiara = await signedIn(backend, "chiara");
  const mine = dataOf(await here.rpc("my_sessions"));
  expect(mine.length).toBe(2);
  expect(mine.map((session) => session.current)).toEqual([true, false]);

  const other = mine.find((session) => !session.current)?.id ?? "";
  // Another person's session is not accessible.
  await chiara.rpc("end_session", { session: other });
  expect(dataOf(await here.rpc("my_sessions")).length).toBe(2);
  expect((await here.rpc("end_session", { session: other })).error).toBeNull();
  expect((await there.auth.refreshSession()).error).not.toBeNull();
  expect((await here.auth.refreshSession()).error).toBeNull();
  expect(dataOf(await here.rpc("my_sessions")).map((session) => session.current)).toEqual([true]);
});
