/** Kept reasons beside what changes: in a cluster of its own, where nobody else commits. */
import { afterAll, expect, test } from "vitest";
import type { DeveloperStart } from "../../../src/developer/stack-wing.ts";
import { createBackend } from "../../../src/testing/index.ts";
import { startTestCluster } from "../../../src/testing/shared-cluster.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import type { Why } from "../server/api.ts";
import { Reasons } from "../server/why.ts";

const cluster = await startTestCluster(process.cwd());
afterAll(() => cluster.stop(), 60_000);
const backend = await forThisFile(createBackend({ bare: true }));
const reasons = new Reasons({ backend: backend.backend } as DeveloperStart);
let id = "";

const sql = (text: string) => backend.sql(text);
const why = (): Promise<Why> => {
  const record = backend.backend.requests.withValues(id);
  if (!record) throw new Error("The request is kept.");
  return reasons.of(record, new AbortController().signal);
};
const hidden = async () => (await why()).gates.find(({ name }) => name === "Policy")?.hidden;

test("are those of a request", async () => {
  for (const text of ["alter system set autovacuum = off", "select pg_reload_conf()"])
    await backend.backend.database.query("supabase_admin", text);
  await sql(`create table public.boxes (id int primary key, open boolean);
    insert into public.boxes values (1, true), (2, false), (3, false);
    alter table public.boxes enable row level security;
    create policy opened on public.boxes using (open);
    grant select on public.boxes to anon; notify pgrst, 'reload schema'`);
  const headers = { apikey: backend.publishableKey };
  await expect.poll(async () => (await fetch(`${backend.url}/rest/v1/boxes`, { headers })).status).toBe(200);
  const found = () => backend.backend.requests.list({}).records.find(({ status }) => status === 200);
  await expect.poll(found).toBeDefined();
  id = found()?.id ?? "";
  expect(await hidden()).toBe(2);
});

test("are given again, also after a transaction that was rolled back", async () => {
  const first = await why();
  expect(await why()).toBe(first);
  await sql("do $$ begin delete from public.boxes; raise exception 'undone'; end $$").catch(() => {});
  expect(await why()).toBe(first);
});

test("are new ones after another policy, another row, and a transaction that was open when they were asked", async () => {
  expect(await hidden()).toBe(2);
  await sql("alter policy opened on public.boxes using (open or id = 2)");
  expect(await hidden()).toBe(1);
  await sql("insert into public.boxes values (4, false)");
  expect(await hidden()).toBe(2);
  await backend.backend.database.transaction("postgres", async (client) => {
    await client.query("update public.boxes set open = true where id = 4");
    expect(await hidden()).toBe(2);
  });
  expect(await hidden()).toBe(1);
});

test("are new ones after a minute, as a policy may ask for the time, and after more transactions than are looked through", async () => {
  const first = await why();
  backend.clock.advance(61_000);
  const later = await why();
  expect(later).not.toBe(first);
  const loop =
    "do $$ begin for i in 1..10001 loop begin delete from public.boxes; raise exception ''; exception when raise_exception then null; end; end loop; rollback; end $$";
  await sql(loop);
  expect(await why()).not.toBe(later);
});

test("name the command that runs a write again, and not its option alone", async () => {
  await sql(`create function public.open_all() returns void language sql as 'update public.boxes set open = true';
    notify pgrst, 'reload schema'`);
  const headers = { apikey: backend.publishableKey };
  const path = "/rest/v1/rpc/open_all";
  await expect
    .poll(async () => (await fetch(backend.url + path, { method: "POST", headers })).status)
    .not.toBe(404);
  const found = () => backend.backend.requests.list({}).records.findLast((one) => one.path === path);
  await expect.poll(() => found()?.status).not.toBe(404);
  id = found()?.id ?? "";
  expect((await why()).sentences.join("\n")).toContain(`With npx homebase explain --id ${id} --replay it is`);
});
