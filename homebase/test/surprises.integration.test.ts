/** The marked points of docs/upstream-surprises.md: developers rely on the list being true. */
import { expect, it } from "vitest";
import { createBackend } from "../src/testing/index.ts";
import { clientOf, follow, fragmentOf, mailTo, PASSWORD, PROJECT } from "./auth/client.ts";
import { forThisFile } from "./for-this-file.ts";
import { ChangeRig, on, rows } from "./realtime/change-rig.ts";
import { PhoenixSocket } from "./realtime/phoenix-socket.ts";

const backend = await forThisFile(
  createBackend({
    projectFolder: PROJECT,
    bare: true,
    config: { auth: { enable_anonymous_sign_ins: true, email: { max_frequency: 0 } } },
  }),
);

async function signedUp(email: string) {
  const client = clientOf(backend);
  const { data, error } = await client.auth.signUp({ email, password: PASSWORD });
  if (error) throw error;
  return { client, token: data.session?.access_token ?? "" };
}

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

it("tables, functions and views of schema public are open to visitors", async () => {
  await backend.sql(`
    create table public.open_table (id int primary key);
    create table public.guarded (id int primary key);
    alter table public.guarded enable row level security;
    insert into public.guarded values (1);
    create view public.around as select * from public.guarded;
    create function public.count_guarded() returns bigint language sql security definer as 'select count(*) from public.guarded'`);
  const visitor = clientOf(backend);
  await expect
    .poll(async () => (await visitor.from("open_table").insert({ id: 1 })).error?.code)
    .toBe(undefined);
  expect((await visitor.from("guarded").select()).data).toEqual([]);
  expect((await visitor.from("around").select()).data).toEqual([{ id: 1 }]);
  expect((await visitor.rpc("count_guarded")).data).toBe(1);
});

it("anonymous users are authenticated, users write their metadata, and a factor alone guards nothing", async () => {
  const anonymous = clientOf(backend);
  const { data } = await anonymous.auth.signInAnonymously();
  expect(claimsOf(data.session?.access_token ?? "")).toMatchObject({
    role: "authenticated",
    is_anonymous: true,
    aal: "aal1",
  });
  await anonymous.auth.updateUser({ data: { role: "boss" } });
  const { data: refreshed } = await anonymous.auth.refreshSession();
  expect(claimsOf(refreshed.session?.access_token ?? "").user_metadata).toMatchObject({ role: "boss" });
  expect((await anonymous.from("open_table").select()).error).toBeNull();
});

it("an access token outlives the sign-out in REST, not in Auth", async () => {
  const { client, token } = await signedUp("out@example.com");
  await client.auth.signOut();
  const headers = { apikey: backend.publishableKey, authorization: `Bearer ${token}` };
  expect((await fetch(`${backend.url}/rest/v1/open_table`, { headers })).status).toBe(200);
  expect((await fetch(`${backend.url}/auth/v1/user`, { headers })).status).toBe(403);
});

it("answers tell which addresses are taken", async () => {
  await signedUp("taken@example.com");
  const visitor = clientOf(backend);
  expect((await visitor.auth.signUp({ email: "taken@example.com", password: PASSWORD })).error?.code).toBe(
    "user_already_exists",
  );
  const options = { shouldCreateUser: false };
  expect((await visitor.auth.signInWithOtp({ email: "nobody@example.com", options })).error?.code).toBe(
    "otp_disabled",
  );
  expect((await visitor.auth.signInWithOtp({ email: "taken@example.com", options })).error).toBeNull();
});

it("fetching a mailed link uses it up", async () => {
  await signedUp("scanned@example.com");
  const visitor = clientOf(backend);
  await visitor.auth.resetPasswordForEmail("scanned@example.com");
  const { link } = mailTo(backend, "scanned@example.com");
  expect(fragmentOf(await follow(link)).get("access_token")).not.toBeNull();
  expect(fragmentOf(await follow(link)).get("error_code")).toBe("otp_expired");
});

it("a code that was sent for something else outlives the links that a recovery voids", async () => {
  const { client } = await signedUp("many@example.com");
  await client.auth.updateUser({ email: "next@example.com" });
  const { code, link } = mailTo(backend, "next@example.com");
  await client.auth.resetPasswordForEmail("many@example.com");
  await follow(mailTo(backend, "many@example.com").link);
  expect(fragmentOf(await follow(link)).get("error_code")).toBe("otp_expired");
  const verified = await client.auth.verifyOtp({
    type: "email_change",
    email: "next@example.com",
    token: code,
  });
  expect(verified.error).toBeNull();
});

it("public buckets ignore policies, and a signed address outlives the right to it", async () => {
  await backend.sql(
    "insert into storage.buckets (id, name, public) values ('public', 'public', true), ('private', 'private', false)",
  );
  const admin = clientOf(backend, { key: backend.secretKey });
  for (const bucket of ["public", "private"]) {
    expect((await admin.storage.from(bucket).upload("a.txt", "text")).error).toBeNull();
  }
  expect((await fetch(`${backend.url}/storage/v1/object/public/public/a.txt`)).status).toBe(200);
  await backend.sql(
    "create policy mine on storage.objects for select to authenticated using (bucket_id = 'private')",
  );
  const { client } = await signedUp("signer@example.com");
  const { data } = await client.storage.from("private").createSignedUrl("a.txt", 60);
  await backend.sql("drop policy mine on storage.objects");
  expect((await client.storage.from("private").download("a.txt")).error).not.toBeNull();
  expect((await fetch(data?.signedUrl ?? "")).status).toBe(200);
});

it("deletes are told to everybody who listens, by primary key", async () => {
  const rig = new ChangeRig(backend);
  await rig.table(
    "secrets",
    "id int primary key, text text",
    "alter table public.secrets enable row level security; alter table public.secrets replica identity full; grant select on public.secrets to anon, authenticated",
  );
  const listener = await rig.listener([on("secrets")]);
  await backend.sql("insert into public.secrets values (7, 'hidden')");
  await backend.sql("delete from public.secrets");
  await expect.poll(() => rows(listener)).toEqual([{ id: 7 }]);
  expect(listener.changes[0]?.type).toBe("DELETE");
  listener.close();
});

it("channels that are not joined as private are everybody's, and every origin may call", async () => {
  const one = await PhoenixSocket.open(backend);
  const other = await PhoenixSocket.open(backend);
  const joined = await one.join("anything");
  await other.join("anything");
  one.push(joined.topic, "broadcast", { type: "broadcast", event: "e", payload: {} }, undefined);
  await expect.poll(() => other.heard("broadcast").length).toBe(1);
  one.close();
  other.close();
  const response = await fetch(`${backend.url}/rest/v1/open_table`, {
    headers: { apikey: backend.publishableKey, origin: "https://anywhere.invalid" },
  });
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
});
