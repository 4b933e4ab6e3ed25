/** docs/guest-accounts.md: its SQL and its code, as they stand there. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { beforeAll, expect, test } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";
import { folderForThisFile, forThisFile } from "../../for-this-file.ts";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/guest-accounts.md"), "utf8");
const block = (language: string) => page.split(`\`\`\`${language}\n`)[1]?.split("```")[0] ?? "";
const backend = await forThisFile(
  createBackend({ bare: true, config: { auth: { enable_anonymous_sign_ins: true } } }),
);
let signInAndKeep: (client: SupabaseClient, signIn: () => Promise<{ error: Error | null }>) => Promise<void>;

const client = () => createClient(backend.url, backend.publishableKey, { auth: { persistSession: false } });
const people = ["ana@example.com", "eve@example.com"].map((email) => ({
  email,
  password: "correct horse battery",
}));
const [ana, eve] = people as [(typeof people)[0], (typeof people)[0]];

beforeAll(async () => {
  await backend.sql(`create table public.notes (id bigint generated always as identity, text text,
      owner uuid not null default auth.uid() references auth.users (id));
    alter table public.notes enable row level security;
    create policy own on public.notes to authenticated using (owner = auth.uid());
    grant select, insert on public.notes to authenticated;
    insert into storage.buckets (id, name) values ('files', 'files');
    create policy own on storage.objects to authenticated using (owner_id = auth.uid()::text) with check (true);`);
  await backend.sql(block("sql"));
  const folder = folderForThisFile("guest-accounts", {});
  const file = join(folder, "keep.ts");
  writeFileSync(file, block("ts"));
  ({ signInAndKeep } = await import(pathToFileURL(file).href));
  const admin = createClient(backend.url, backend.secretKey);
  for (const one of people) await admin.auth.admin.createUser({ ...one, email_confirm: true });
});

/** A guest with a note and a file. */
async function guest(text: string) {
  const one = client();
  const { data } = await one.auth.signInAnonymously();
  expect((await one.from("notes").insert({ text })).error).toBeNull();
  expect((await one.storage.from("files").upload(`${text}.txt`, text)).error).toBeNull();
  return { one, id: data.user?.id ?? "" };
}
const texts = async (one: SupabaseClient) =>
  ((await one.from("notes").select("text")).data ?? []).map(({ text }) => text);

test("what a guest has made is the account's, and the guest is gone", async () => {
  const { one, id } = await guest("bread");
  const other = createClient(backend.url, backend.publishableKey, {
    global: {
      headers: { Authorization: `Bearer ${(await one.auth.getSession()).data.session?.access_token}` },
    },
  });
  await signInAndKeep(one, () => one.auth.signInWithPassword(ana));
  expect(await texts(one)).toEqual(["bread"]);
  expect((await one.storage.from("files").download("bread.txt")).error).toBeNull();
  expect(await backend.sql("select from auth.users where id = $1", [id])).toEqual([]);
  expect(await texts(other)).toEqual([]);
  expect((await other.from("notes").insert({ text: "late" })).error?.code).toBe("23503");
});

test("who is no guest signs in as ever", async () => {
  const one = client();
  await signInAndKeep(one, () => one.auth.signInWithPassword(eve));
  expect(await texts(one)).toEqual([]);
});

test("a sign-in that fails leaves the guest as they were", async () => {
  const { one } = await guest("milk");
  await expect(
    signInAndKeep(one, () => one.auth.signInWithPassword({ ...ana, password: "wrong" })),
  ).rejects.toThrow("Invalid login credentials");
  expect(await texts(one)).toEqual(["milk"]);
});

test("a secret works once, for a guest who is one, in its time, and nobody offers somebody else", async () => {
  const account = client();
  await account.auth.signInWithPassword(eve);
  const take = async (secret: string) => (await account.rpc("take_over_guest", { secret })).error?.code;
  expect((await account.rpc("offer_guest")).error?.code).toBe("42501");
  expect((await client().rpc("offer_guest")).error?.code).toBe("42501");
  const { one, id } = await guest("salt");
  const offered = async () => String((await one.rpc("offer_guest")).data);
  const first = await offered();
  expect((await one.rpc("take_over_guest", { secret: first })).error?.code).toBe("42501");
  expect(await take("a guess")).toBe("PT410");
  const second = await offered();
  expect(await take(first)).toBe("PT410");
  await backend.sql("update private.guest_offers set ends_at = now() where guest = $1", [id]);
  expect(await take(second)).toBe("PT410");
  const third = await offered();
  expect(await take(third)).toBeUndefined();
  expect(await take(third)).toBe("PT410");
  expect(await texts(account)).toEqual(["salt"]);
});

test("a guest who has become an account meanwhile is not taken over", async () => {
  const { one, id } = await guest("pepper");
  const secret = String((await one.rpc("offer_guest")).data);
  await backend.sql("update auth.users set is_anonymous = false where id = $1", [id]);
  const account = client();
  await account.auth.signInWithPassword(ana);
  expect((await account.rpc("take_over_guest", { secret })).error?.code).toBe("PT410");
});
