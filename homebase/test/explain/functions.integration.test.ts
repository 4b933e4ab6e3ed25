/** Tests of functions in policies and calls whose tables stand in no text that names them: by search path, or inlined. */
import { beforeAll, expect, test, vi } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { clientForThisFile, forThisFile } from "../for-this-file.ts";
import { answering } from "./answered.ts";

const ANA = "00000000-0000-4000-8000-0000000000a1";

const TABLES = `
create table public.members (org int, uid uuid, primary key (org, uid));
create table public.pages (id int primary key, org int);
create table public.drafts (id int primary key, org int, open boolean);
create table public.visits (id int, day date, uid uuid) partition by range (day);
create table public.visits_2026 partition of public.visits for values from ('2026-01-01') to ('2027-01-01');
create table public.boards (id int primary key, org int);
insert into public.members values (1, '${ANA}');
insert into public.pages values (1, 1), (2, 2);
insert into public.boards values (1, 1), (2, 2);
insert into public.drafts values (1, 1, true), (2, 2, true), (3, 2, true), (4, 1, false);
insert into public.visits values (1, '2026-02-01', '${ANA}'), (2, '2026-02-01', null);
grant all on all tables in schema public to anon, authenticated, service_role;
alter table public.members enable row level security;
alter table public.pages enable row level security;
alter table public.drafts enable row level security;
alter table public.visits enable row level security;
alter table public.boards enable row level security;
create function public.is_mem(o int) returns boolean language sql stable security definer as
  'select exists (select 1 from members where org = o and uid = auth.uid())';
create policy mem on public.pages using (public.is_mem(org));
create policy mem on public.drafts using (public.is_mem(org));
create policy own on public.visits using (uid = auth.uid());
create table public.rooms (id int primary key, org int);
create table public.seats (org int, uid uuid);
insert into public.rooms values (1, 1), (2, 2);
insert into public.seats values (1, '${ANA}'), (2, '${ANA}');
alter table public.rooms enable row level security;
alter table public.seats enable row level security;
grant all on public.rooms, public.seats to anon, authenticated;
create policy first on public.seats for select using (org = 1);
create function public.may_enter(o int, who uuid) returns boolean language plpgsql stable as $$
declare seats int;
begin
  select count(*) into seats from public.seats s where s.org = o and s.uid = who;
  return seats > 0;
end $$;
create policy seated on public.rooms using (public.may_enter(who => auth.uid(), o => org));
create function public.open_drafts() returns setof public.drafts language sql stable as
  'select * from public.drafts where open';
create table public.notes (id int primary key, owner uuid, team int);
create index on public.notes (team);
insert into public.notes select n, case when n % 3 = 0 then '${ANA}'::uuid end, n % 5 from generate_series(1, 100) n;
alter table public.notes enable row level security;
grant all on public.notes to anon, authenticated;
create policy own on public.notes for select to authenticated using ((select auth.uid()) = owner);
create function public.notes_of(team int) returns setof public.notes language sql stable as
  'select n.* from public.notes n where n.team = notes_of.team';
create function public.notes_table() returns table (id int, team int) language sql stable as
  'select id, team from notes order by id limit 50';
create function public.note_count() returns bigint language sql stable as 'select count(*) from notes';
create function public.note_ids() returns setof int language sql stable as 'select id from notes';
create function public.none() returns setof public.boards language sql stable as 'select * from boards';
create function public.all_visits() returns setof public.visits language sql stable as 'select * from visits';
`;

const backend = await forThisFile(createBackend({ bare: true }));
const db = await clientForThisFile(backend.databaseUrl);
const ask = answering(backend, db);
const claims = { sub: ANA };
beforeAll(async () => {
  await backend.sql(`insert into auth.users (id, email) values ('${ANA}', 'ana@example.com'); ${TABLES}`);
  await vi.waitUntil(async () => (await ask("GET", "pages", { claims })).status === 200, 10_000);
});

test("a function without a search path of its own is read by the request's", async () => {
  const { body, text } = await ask("GET", "pages", { claims });
  expect(body).toEqual([{ id: 1, org: 1 }]);
  expect(text).toContain('policy "mem" asks public.is_mem(), which wants a row of members');
  expect(text).not.toContain("could not be read");
});

test("rows that an inlined function does not return are told by their policy", async () => {
  const { body, text } = await ask("GET", "rpc/open_drafts", { claims });
  expect(body).toEqual([{ id: 1, org: 1, open: true }]);
  expect(text).toContain("The function returns 1 row, and would return 3 without row security.");
  expect(text).toMatch(/Hidden in "the body of open_drafts" \(2 rows.*policy "mem" asks public\.is_mem\(\)/);
  expect(text).not.toContain("hides nothing");
});

test("a policy's function in PL/pgSQL is told with the query that it ran", async () => {
  const { body, text } = await ask("GET", "rooms", { claims });
  expect(body).toEqual([{ id: 1, org: 1 }]);
  expect(text).toContain(
    'it ran "select count(*) from public.seats s where s.org = o and s.uid = who", which found no rows of seats (1 row without row security)',
  );
  expect(text).not.toContain("only its value is shown");
});

test.each([
  "notes_of?team=1",
  "notes_of?team=1&id=gt.5&select=id",
  "notes_table",
  "note_count",
  "note_ids",
  "none",
])("whatever it returns: %s", async (path) => {
  const { text } = await ask("GET", `rpc/${path}`, { claims });
  expect(text).toMatch(path === "none" ? /boards has row security and no policy/ : /policy "own" wants/);
  expect(text).not.toContain("hides nothing");
});

test("so are those of a partitioned table, by the whole table's policies", async () => {
  const { body, text } = await ask("GET", "rpc/all_visits", { claims });
  expect(body).toHaveLength(1);
  expect(text).toContain('policy "own" wants uid = you');
  expect(text).not.toContain("hides nothing");
});
