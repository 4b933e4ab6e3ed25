/** Conditions about guests, blocked people, tokens' lists, other people's tables, lists with a null and folders above folders. */
import { expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { ANA, BEN, Style } from "./asking.ts";

const TEAM = "10000000-0000-4000-8000-000000000001";
const style = await forThisFile(
  Style.of(`
create schema private;
grant usage on schema private to authenticated;
create table public.folders (id int primary key, parent int, owner uuid, shared_with uuid[] not null default '{}');
insert into public.folders values (1, null, '${BEN}'), (2, 1, null), (3, 2, null), (4, null, '${ANA}');
create function private.may_see(folder int) returns boolean language sql stable security definer set search_path = '' as $$
  with recursive up as (select f.* from public.folders f where f.id = folder
    union all select f.* from public.folders f join up on f.id = up.parent)
  select exists (select from up where up.owner = auth.uid() or auth.uid() = any (up.shared_with)) $$;
create table public.files (id int primary key, folder int);
insert into public.files values (1, 3), (2, 4);
create policy "folder above" on public.files for select to authenticated using (private.may_see(folder));
create table public.posts (id int primary key, author uuid);
insert into public.posts values (1, '${BEN}');
create table public.blocks (blocker uuid, blocked uuid);
insert into public.blocks values ('${BEN}', '${ANA}');
create policy "not blocked" on public.posts for select to authenticated
  using (not exists (select from public.blocks b where b.blocker = author and b.blocked = auth.uid()));
create policy "no guests" on public.posts as restrictive for select to authenticated
  using ((select (auth.jwt() ->> 'is_anonymous')::boolean) is not true);
create table public.boards (id int primary key, team uuid, owner uuid, open boolean);
insert into public.boards values (1, '${TEAM}', null, null);
create policy "team of the token" on public.boards for select to authenticated
  using ((select auth.jwt()) -> 'app_metadata' -> 'teams' ? team::text);
create policy "open or own" on public.boards for delete to authenticated
  using (coalesce(open, false) or owner is not distinct from auth.uid());
create table public.vault (id int primary key);
insert into public.vault values (1);
create policy "second step" on public.vault for select to authenticated using (array[(select auth.jwt() ->> 'aal')] <@
  (select case when count(id) > 0 then array['aal2'] else array['aal1', 'aal2'] end from auth.mfa_factors where user_id = auth.uid()));
create table public.goods (id int primary key, stock int, live boolean);
insert into public.goods values (1, 3, false);
create table public.orders (id int primary key, good int, count int);
create policy "in stock" on public.orders for insert to authenticated
  with check (count <= (select g.stock from public.goods g where g.id = good and g.live));
create table public.seats (room int, person uuid);
insert into public.seats values (1, '${BEN}');
create policy "same room" on public.seats for select to authenticated
  using (room in (select s.room from public.seats s where s.person = auth.uid()));
create table public.members (org int, person uuid, role int);
create table public.roles (id int, name text);
create table public.rights (role int, "right" text);
insert into public.roles values (1, 'editor'), (2, 'viewer');
insert into public.rights values (1, 'read');
insert into public.members values (1, '${ANA}', 2), (2, '${BEN}', 1), (3, '${ANA}', 1), (5, '${BEN}', 2);
create table public.papers (id int primary key, org int);
insert into public.papers values (1, 1), (2, 2), (3, 3), (4, 4), (5, 5);
create policy "right of a role" on public.papers for select to authenticated using (exists (select from public.members m
  join public.roles r on r.id = m.role join public.rights x on x.role = r.id
  where m.org = papers.org and m.person = auth.uid() and x."right" = 'read'));
create table public.bans (org int, person uuid);
insert into public.bans values (7, '${ANA}'), (null, '${ANA}');
create table public.clubs (id int primary key, org int, tags text[], name text);
insert into public.clubs values (1, 9, '{red}', 'Secret');
create policy "not banned" on public.clubs for select to authenticated
  using (org not in (select b.org from public.bans b where b.person = auth.uid()));
create policy "no common tag" on public.clubs for delete to authenticated
  using (tags && array(select r.name from public.roles r) and name not ilike 'secret%' and id > 1.5);
create function private.allowed(wanted int) returns boolean language plpgsql stable security definer set search_path = '' as $$
declare known int; begin
  select m.role into known from public.members m where m.org = wanted and m.person = auth.uid();
  if known is null then return false; end if;
  return exists (select 1 from public.rights x where x.role = known and x."right" = 'read');
end $$;
create table public.rooms (id int primary key, org int);
insert into public.rooms values (1, 1);
create policy allowed on public.rooms for select to authenticated using (private.allowed(org));
alter table public.clubs enable row level security;
alter table public.rooms enable row level security;
grant select on public.bans, public.members, public.roles, public.rights to authenticated;
alter table public.papers enable row level security;
alter table public.orders enable row level security;
alter table public.seats enable row level security;
grant select on public.blocks to authenticated;
alter table public.files enable row level security;
alter table public.posts enable row level security;
alter table public.boards enable row level security;
alter table public.vault enable row level security;
`),
);
const why = async (path: string, as: Record<string, unknown> = { sub: ANA }, method = "GET") =>
  style.ask({ path, as, method });

test("a function's recursive query is gone into: which rows it finds, and what each lacks", async () => {
  expect((await why("files?id=eq.1")).sentences[0]).toBe(
    'Hidden: policy "folder above" asks private.may_see(), which wants a row of up (a query of folders) with (owner = you or auth.uid() = ANY (shared_with)): there are 3 rows, and none like that.',
  );
  expect((await why("files?id=eq.2")).rows).toHaveLength(1);
});

test("a part that is denied and holds stands in the tree as what fails", async () => {
  const { sentences, tree, rows } = await why("posts");
  expect(rows).toEqual([]);
  expect(sentences[0]).toBe(
    'Hidden: policy "not blocked" wants no row of blocks with blocker = this row\'s author and blocked = you: there is 1 row.',
  );
  expect(tree).toMatch(/policy "not blocked"\n\s+> true: EXISTS/);
});

test("a value that should be false is said to be true", async () => {
  const { text, rows } = await why("posts", { sub: ANA, is_anonymous: true });
  expect(rows).toEqual([]);
  expect(text).toContain(
    `policy "no guests" wants (auth.jwt() ->> 'is_anonymous')::boolean to be false, and it is true`,
  );
});

test("where the token lacks a claim, the other side of the comparison is left out", async () => {
  expect((await why("boards")).sentences[0]).toBe(
    `Hidden: policy "team of the token" wants ((auth.jwt() -> 'app_metadata') -> 'teams') ? (team)::text, and (auth.jwt() -> 'app_metadata') -> 'teams' is null, because the token has no claim app_metadata.`,
  );
});

test("IS NOT DISTINCT FROM is said as an equality", async () => {
  const { text } = await why("boards?id=eq.1", { sub: ANA, app_metadata: { teams: [TEAM] } }, "DELETE");
  expect(text).toContain("none holds: not COALESCE(open, false), not the owner (owner is null).");
});

test("a table that a policy may not read: whose rights decide", async () => {
  const { status, sentences } = await why("vault");
  expect(status).toBe(403);
  expect(sentences.join("\n")).toContain(
    "permission denied for table mfa_factors (a policy reads with the caller's rights)",
  );
});

test("a query without a row is told by the row that it looks for", async () => {
  const body = { id: 1, good: 1, count: 1 };
  const { status, sentences } = await style.ask({ method: "POST", path: "orders", as: { sub: ANA }, body });
  expect(status).toBe(403);
  expect(sentences[0]).toBe(
    'Refused with 403, code 42501: policy "in stock" wants count <= stock of goods, and stock of goods is null, as that wants a row of goods with id = this row\'s good and live: there is 1 row with this id (1), but not with live.',
  );
});

test("a policy that comes back to its own table: what to do", async () => {
  const { status, text } = await why("seats");
  expect(status).toBe(500);
  expect(text).toContain("(its policy comes back to this table: let a security definer function read it)");
});

test("of joined tables it is told whether the row that the link is about is there", async () => {
  const wants =
    'Hidden: policy "right of a role" wants a row of members, roles and rights with m.org = this row\'s org, m.person = you and x."right" = \'read\'';
  expect((await why("papers?id=eq.1")).sentences[0]).toBe(
    `${wants}: there is 1 row of members with this m.org (1), but none of roles and rights that belongs to it.`,
  );
  expect((await why("papers?id=eq.2")).sentences[0]).toBe(
    `${wants}: there is 1 row with this m.org (2), but not with m.person = you.`,
  );
  expect((await why("papers?id=eq.3")).rows).toHaveLength(1);
  expect((await why("papers?id=eq.5")).sentences[0]).toBe(
    `${wants}: there is 1 row of members with this m.org (5), but not with m.person = you.`,
  );
  expect((await why("papers?id=eq.4")).sentences[0]).toBe(`${wants}: there is no row with this m.org (4).`);
});

test("NOT IN a list with a null is told, where no value of the list is the row's", async () => {
  expect((await why("clubs")).sentences[0]).toBe(
    'Hidden: policy "not banned" wants no row of bans with org = this row\'s org and person = you: there is none, but one of the values is null, and with a null NOT IN is never true.',
  );
});

test("lists of queries, LIKE and numbers are written as people write them", async () => {
  const { text } = await why("clubs?id=eq.1", { sub: ANA }, "DELETE");
  expect(text).toContain("wants tags && the list of name of roles, and tags is {red}");
  expect(text).toContain("wants name NOT ILIKE 'secret%', and name is Secret");
  expect(text).toContain("wants (id)::numeric > 1.5");
});

test("of the statements that a function ran, those that found nothing are told with their conditions", async () => {
  expect((await why("rooms")).sentences[0]).toMatch(
    /wants private\.allowed\(org\), and inside it finds 1 row of members and no rows of rights where x\.role = known and x\."right" = 'read'\.$/,
  );
});
