/** `homebase pull --data`: rows with what they refer to, masked the same way each time, into the running stack. */

import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";
import { Project } from "../../../test/cli/project.ts";
import { useOwnCluster } from "../../../test/own-cluster.ts";

await useOwnCluster();

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const SCHEMA = `
create table public.customers (id uuid primary key references auth.users, name text, email text unique, phone varchar(9),
  born date, birth_date date, notes text, details jsonb, api_token text, invite_token uuid, best bigint);
create table public.orders (id bigint generated always as identity primary key, customer uuid not null references public.customers,
  ship_address text, total numeric);
create table public.things (id int primary key, label text);
alter table public.customers add foreign key (best) references public.orders;
create function public.loud() returns trigger language plpgsql as $$ begin raise exception 'a trigger ran'; end $$;
`;
const TRIGGER =
  "create trigger loud before insert on public.orders for each row execute function public.loud();";
const ROWS = `
insert into auth.users (id, email, raw_user_meta_data) select ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid,
  'person' || i || '@real.test', jsonb_build_object('full_name', 'Real ' || i, 'theme', 'dark') from generate_series(1, 9) i;
insert into public.customers (id, name, email, phone, birth_date, notes, details, api_token, invite_token) select id, 'Real Name', email, '+49170123',
  '1990-05-06', 'likes tea', '{"email": "inner@named.test", "level": 3}', 'tok_live_1234', id from auth.users;
insert into public.orders (customer, ship_address, total) select id, 'Real Street 1', 9.5 from public.customers order by id;
update public.customers set best = 9 where id::text like '%1';
insert into public.things values (1, 'a thing');
`;
const project = new Project({
  "migrations/20260101000000_shop.sql": SCHEMA + TRIGGER,
  "unmasked.txt": "# What the shop's page needs.\npublic.customers.det*\n",
});
const origin = new Project();
let client: pg.Client;
const source = await createBackend({ projectFolder: origin.folder, bare: true });
beforeAll(async () => {
  await source.sql(SCHEMA + ROWS);
  await project.start();
  client = new pg.Client(project.database);
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await source?.drop();
  await project.remove();
  await origin.remove();
});

const from = () => ["--db-url", source.databaseUrl];
const rows = async (sql: string) => (await client.query(sql)).rows;

test("nothing is copied unmasked, unless it is said twice", async () => {
  expect(await project.run("pull", "--data", ...from())).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("without --mask"),
  });
  expect(await rows("select * from public.things")).toEqual([]);
  expect((await project.run("pull", "--data", "--yes", "--table", "things", ...from())).code).toBe(0);
  expect(await rows("select * from public.things")).toEqual([{ id: 1, label: "a thing" }]);
  expect((await project.run("pull", "--data", "--table", "nowhere", "--mask", ...from())).stderr).toContain(
    "no table public.nowhere",
  );
  expect((await project.run("pull")).stderr).toContain("npx supabase pull");
});

test("chosen rows come with all that they refer to, masked, and the same again", async () => {
  const options = ["pull", "--data", "--mask", "--table", "orders", "--rows", "1", ...from()];
  const dry = await project.run(...options, "--dry-run", "--json");
  expect(await rows("select * from public.orders")).toEqual([]);
  const { tables, masked, passed } = JSON.parse(dry.stdout);
  // The first order, its customer, that one's best order and its customer, and both accounts.
  expect(
    Object.fromEntries(tables.map(({ name, rows: count }: { name: string; rows: number }) => [name, count])),
  ).toEqual({
    "auth.users": 2,
    "public.orders": 2,
    "public.customers": 2,
  });
  expect(masked).toEqual(
    expect.arrayContaining(["auth.users.email", "public.customers.notes", "public.orders.total"]),
  );
  expect(
    Object.fromEntries(
      passed.map(({ column, reason }: { column: string; reason: string }) => [column, reason]),
    ),
  ).toMatchObject({
    "auth.users.id": "key",
    "auth.users.is_anonymous": "platform",
    "public.customers.id": "key",
    "public.customers.best": "key",
    "public.customers.details": "rule",
    "public.orders.id": "key",
    "public.orders.customer": "key",
  });

  const { code, stdout, stderr } = await project.run(...options);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("Copied 6 rows.");
  const [customer] = await rows(
    "select c.name, c.email, c.phone, c.birth_date::text, c.notes, c.details, length(c.api_token) as length, c.invite_token <> c.id as invited, u.email = c.email as same, u.raw_user_meta_data as meta from public.customers c join auth.users u using (id) order by id limit 1",
  );
  expect(customer).toMatchObject({
    name: expect.stringMatching(/^\w+-[0-9a-f]{12}$/),
    email: expect.stringMatching(/^user-[0-9a-f]{16}@example\.test$/),
    phone: expect.stringMatching(/^[a-z][a-z\d]{8}$/),
    birth_date: expect.not.stringContaining("1990-05-06"),
    notes: expect.stringMatching(/^masked-[0-9a-f]{16}$/),
    details: { email: "inner@named.test", level: 3 },
    length: 13,
    invited: true,
    same: true,
    meta: {
      full_name: expect.stringMatching(/^\w+-[0-9a-f]{12}$/),
      theme: expect.stringMatching(/^masked-/),
    },
  });
  const everything = JSON.stringify([
    await rows("select * from public.customers"),
    await rows("select * from public.orders"),
    await rows("select * from auth.users"),
  ]);
  expect(everything).not.toMatch(/real/i);
  expect((await project.run(...options)).stdout).toContain("Copied 0 rows.");
  // Every reference holds: Postgres checks them all when the constraint is made anew.
  await client.query(
    "begin; alter table public.orders add foreign key (customer) references public.customers; alter table public.customers add foreign key (id) references auth.users; rollback",
  );
});
