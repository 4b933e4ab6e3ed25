/** What a page no longer waits for ends on the server, as pg_stat_activity says; what it saves does not. */
import { expect, test, vi } from "vitest";
import { connected } from "../../../src/postgres/connected.ts";
import { Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 240_000 });

const stage = new Stage({
  "migrations/20260102000000_slow.sql": `create view public.slow as
  select i as id, pg_catalog.pg_sleep(9)::text as nap from pg_catalog.generate_series(1, 3) i;
create table public.guarded (id int primary key, note text);
insert into public.guarded values (1, 'one');
create function public.naps() returns boolean language plpgsql as 'begin perform pg_catalog.pg_sleep(9); return true; end';
alter table public.guarded enable row level security;
create policy naps on public.guarded to authenticated using (public.naps());
grant select on public.guarded to authenticated;
insert into storage.buckets (id, name) values ('papers', 'papers');
insert into storage.objects (bucket_id, name) values ('papers', 'a.txt');
create policy naps on storage.objects for select to authenticated using (public.naps());
create function public.nap() returns trigger language plpgsql as 'begin perform pg_catalog.pg_sleep(1); return new; end';
create trigger naps before update on public.guarded for each row execute function public.nap();`,
});
const rowsOf = <T extends object>(text: string, values: string[] = []) =>
  connected(
    { connectionString: stage.project.database },
    async (db) => (await db.query<T>(text, values)).rows,
  );
const activity = async (of: string) => {
  const rows = await rowsOf<{ pid: number }>(
    "select pid from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and query like $1",
    [`%${of}%`],
  );
  return rows.map(({ pid }) => pid);
};
/** The one statement about a table that runs. */
const running = async (of: string) => {
  await expect.poll(async () => (await activity(of)).length, { timeout: 20_000 }).toBe(1);
  return (await activity(of))[0];
};
/** Before the statement would end by itself: after 10 s, and that of a lens after the 8 s of its role. */
const ends = (of: string) => expect.poll(() => activity(of), { timeout: 5_000 }).toEqual([]);

test("a statement ends when its filter is replaced, and when its view is left", async () => {
  const { page } = stage;
  await page.goto(`${stage.console}/data/public.slow?q=id%3E0`);
  const first = await running("slow");
  await page.getByRole("searchbox").fill("id>1");
  await expect.poll(() => activity("slow"), { timeout: 8_000 }).not.toContain(first);
  expect(await running("slow")).not.toBe(first);
  await page.getByRole("button", { name: "Users", exact: true }).click();
  await ends("slow");
});

test("a lens's statement ends with its view, and the next one of REST is answered", async () => {
  const { page } = stage;
  await page.goto(`${stage.console}/data/public.guarded?as=role%3Aauthenticated`);
  await running("guarded");
  await page.getByRole("button", { name: "Stack", exact: true }).click();
  await ends("guarded");
  const answers = Array.from({ length: 12 }, () => stage.call("/rest/v1/notes?select=id&limit=1", "GET"));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(12).fill(200));
  await page.goto(`${stage.console}/?q=is:log`);
  await page.getByText("Live", { exact: true }).waitFor();
  expect(await page.locator(".row", { hasText: "terminat" }).count()).toBe(0);
});

test("Storage's list for a lens ends with its view, and the next one is answered", async () => {
  const { page } = stage;
  await page.goto(`${stage.console}/data/files/papers/?as=role%3Aauthenticated`);
  await running("search_v2");
  await page.getByRole("button", { name: "Stack", exact: true }).click();
  await ends("search_v2");
  await page.goto(`${stage.console}/data/files/papers/`);
  await page.getByRole("gridcell", { name: "a.txt" }).waitFor();
  await page.goto(`${stage.console}/?q=is:log`);
  await page.getByText("Live", { exact: true }).waitFor();
  expect(await page.locator(".row", { hasText: "terminat" }).count()).toBe(0);
});

test("what is saved is saved, also where the page does not wait for it", async () => {
  const change = { kind: "update", key: ["1"], values: { note: "two" }, was: { note: "one" } };
  const table = { schema: "public", name: "guarded" };
  await stage.page.evaluate(
    async (body) => {
      const headers = {
        "content-type": "application/json",
        authorization: `Bearer ${sessionStorage.getItem("token")}`,
      };
      const leaving = new AbortController();
      const saved = fetch("/api/write", {
        ...{ method: "POST", headers, body: JSON.stringify(body), signal: leaving.signal },
      });
      setTimeout(() => leaving.abort(), 500);
      await saved.catch(() => undefined);
    },
    { as: { kind: "postgres" }, changes: [{ ...change, table }], save: true },
  );
  await expect
    .poll(() => rowsOf("select note from public.guarded"), { timeout: 10_000 })
    .toEqual([{ note: "two" }]);
});
