/**
 * Guarantees of the running stack for app developers: concurrent requests do not block each other, the schema
 * is current after each statement, and names of tables do not collide with the stack's own.
 */
import { createClient } from "@supabase/supabase-js";
import { expect, test } from "vitest";
import { createBackend, forThisFile } from "../target/integration.ts";
import { dataOf, guest, signedIn } from "./people.ts";

const backend = await forThisFile(createBackend());

/** An untyped client, for tables that a test creates. */
const untyped = (key: string = backend.publishableKey) =>
  createClient(backend.url, key, { auth: { persistSession: false, autoRefreshToken: false } });

/** Repeats a request until its response is the expected one, for as long as a schema reload may take. */
async function eventually<T>(ask: () => PromiseLike<T>, done: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + 2_000;
  for (;;) {
    const answer = await ask();
    if (done(answer) || Date.now() > deadline) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("a slow query does not hold up other requests", async () => {
  await backend.sql(`
    create function public.sleep(seconds double precision) returns void language sql as 'select pg_sleep(seconds)';
    grant execute on function public.sleep to anon`);
  await eventually(
    () => untyped().rpc("sleep", { seconds: 0 }),
    (answer) => answer.error === null,
  );
  const ana = await signedIn(backend, "ana");
  const ended: string[] = [];
  const slow = [1.5, 1.5, 1.5].map((seconds) =>
    untyped()
      .rpc("sleep", { seconds })
      .then((answer) => {
        ended.push("slow");
        return answer;
      }),
  );
  const quick = Array.from({ length: 60 }, () =>
    ana
      .from("places")
      .select("id")
      .then((answer) => {
        ended.push("quick");
        return answer;
      }),
  );
  for (const answer of await Promise.all(quick)) expect(dataOf(answer)).toHaveLength(24);
  expect(ended).toEqual(Array(60).fill("quick"));
  for (const answer of await Promise.all(slow)) expect(answer.error).toBeNull();
});

test("a table made with plain SQL is there without a restart, and so is each change to it", async () => {
  const anyone = untyped();
  expect((await anyone.from("sauces").select()).error).toMatchObject({ code: "PGRST205" });
  await backend.sql(`
    create table public.sauces (id bigint generated always as identity primary key, name text not null);
    grant select, insert on public.sauces to anon`);
  const added = await eventually(
    () => anyone.from("sauces").insert({ name: "green" }).select(),
    (answer) => answer.error === null,
  );
  expect(dataOf(added)).toEqual([{ id: 1, name: "green" }]);

  await backend.sql("alter table public.sauces add column heat smallint not null default 3");
  const seen = await eventually(
    () => anyone.from("sauces").select("name, heat"),
    (answer) => answer.error === null,
  );
  expect(dataOf(seen)).toEqual([{ name: "green", heat: 3 }]);

  await backend.sql("drop table public.sauces");
  const gone = await eventually(
    () => anyone.from("sauces").select(),
    (answer) => answer.error?.code === "PGRST205",
  );
  expect(gone.status).toBe(404);
});

test("a migration that is one transaction is seen whole: tables, relationship and function", async () => {
  await backend.sql(`
    do $migration$ begin
      create table public.menus (id int primary key, title text);
      create table public.courses (id int primary key, menu_id int references public.menus, name text);
      create function public.menu_size(menu int) returns bigint language sql stable
        as 'select count(*) from public.courses where menu_id = menu';
      grant select on public.menus, public.courses to anon;
      grant execute on function public.menu_size to anon;
      insert into public.menus values (1, 'Sunday');
      insert into public.courses values (1, 1, 'Soup'), (2, 1, 'Pie');
    end $migration$`);
  const anyone = untyped();
  const menus = await eventually(
    () => anyone.from("menus").select("title, courses(name)"),
    (answer) => answer.error === null,
  );
  expect(dataOf(menus)).toEqual([{ title: "Sunday", courses: [{ name: "Soup" }, { name: "Pie" }] }]);
  expect(dataOf(await anyone.rpc("menu_size", { menu: 1 }))).toBe(2);
});

test("an app's own table called users is not confused with auth.users", async () => {
  await backend.sql(`
    create table public.users (id uuid primary key references auth.users (id), nickname text);
    alter table public.users enable row level security;
    create policy "own row" on public.users for all to authenticated using (id = auth.uid());
    grant select, insert, delete on public.users to authenticated`);
  const { client, id } = await guest(backend, "Uma");
  const own = client as unknown as ReturnType<typeof untyped>;
  const added = await eventually(
    () => own.from("users").insert({ id, nickname: "U" }).select(),
    (answer) => answer.error === null,
  );
  expect(dataOf(added)).toEqual([{ id, nickname: "U" }]);
  // Auth still uses its own table, and its row is not in the app's.
  expect((await client.auth.getUser()).data.user?.id).toBe(id);
  await guest(backend, "Vera");
  const all = dataOf(await untyped(backend.secretKey).from("users").select("nickname"));
  expect(all).toEqual([{ nickname: "U" }]);
});
