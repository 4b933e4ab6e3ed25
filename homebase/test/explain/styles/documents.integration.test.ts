/** Conditions by CASE, ranges, lists and pairs of columns, and a policy that asks its own table. */
import { expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { ANA, BEN, Style } from "./asking.ts";

const ONE = "10000000-0000-4000-8000-000000000001";
const TWO = "20000000-0000-4000-8000-000000000002";
const PROJECT = `
create type public.visibility as enum ('public', 'team', 'private');
create table public.members (team uuid, person uuid, role text not null, until timestamptz, primary key (team, person));
create table public.papers (id int primary key, team uuid, owner uuid, vis public.visibility not null, tags text[] not null default '{}',
  during tstzrange, parent int);
alter table public.members enable row level security;
alter table public.papers enable row level security;
create policy "own" on public.members for select to authenticated using (person = (select auth.uid()));
create policy "by kind" on public.papers for select to authenticated using (case vis when 'public' then true
  when 'team' then (team, auth.uid()) in (select m.team, m.person from public.members m) else owner = auth.uid() end);
create policy "by tag" on public.papers for select to authenticated using
  (tags && array(select jsonb_array_elements_text(coalesce(auth.jwt() -> 'app_metadata' -> 'tags', '[]'::jsonb))));
create policy "in time" on public.papers as restrictive for select to authenticated using (during is null or during @> now());
create policy "by editors" on public.papers for insert to authenticated with check (owner = auth.uid()
  and team in (select m.team from public.members m where m.role in ('admin', 'editor') and m.until is null and m.person = auth.uid()));
create policy "without parts" on public.papers for delete to authenticated
  using (owner = auth.uid() and not exists (select from public.papers p where p.parent = papers.id));
create table public.drafts (id int primary key, owner uuid, state text, closed_at timestamptz);
alter table public.drafts enable row level security;
create function public.rank() returns int language sql stable as 'select 2';
create policy "many ways" on public.drafts for select to authenticated
  using (owner = auth.uid() or state not in ('deleted', 'spam') or public.rank() >= 5 or closed_at > now());
insert into public.drafts values (1, '${BEN}', 'spam', null);
create table public.shelves (id int primary key, open boolean, team uuid, archived boolean);
alter table public.shelves enable row level security;
create policy "open or the team's" on public.shelves for select to authenticated
  using (open or (team in (select m.team from public.members m where m.person = auth.uid()) and not archived));
insert into public.shelves values (1, false, '${TWO}', true), (2, false, '${ONE}', true);
create function public.tree(root int) returns setof public.papers language sql stable as $$
  with recursive t as (select * from public.papers where id = root union all select p.* from public.papers p join t on p.parent = t.id)
  select * from t $$;
insert into public.members values ('${ONE}', '${ANA}', 'admin', null), ('${ONE}', '${BEN}', 'viewer', null);
insert into public.papers values (1, '${ONE}', '${ANA}', 'team', '{}', null, null), (2, '${ONE}', '${BEN}', 'private', '{x}', null, 1),
  (3, '${TWO}', '${BEN}', 'team', '{}', null, null), (4, null, null, 'public', '{}', '[2020-01-01,2021-01-01)', 1);
`;

const style = await forThisFile(Style.of(PROJECT));
const as = { sub: ANA };
const why = async (id: number, sub = ANA) =>
  (await style.ask({ path: `papers?id=eq.${id}`, as: { sub } })).sentences[0];

test("the branch that a CASE takes is told by its condition, and what it wants by the rows that it looks for", async () => {
  expect(await why(2)).toBe(
    `Hidden: policy "by kind" has a CASE: as no WHEN applies, it wants owner = you, and owner is ${BEN}. Or another policy that lets it through: "by tag".`,
  );
  expect(await why(3)).toBe(
    `Hidden: policy "by kind" has a CASE: as vis = 'team', it wants a row of members with team = this row's team and person = you: there is no row with this team (${TWO}). Or another policy that lets it through: "by tag".`,
  );
  expect(await why(1, BEN)).toMatch(/^Visible: /);
});

test("alternatives are denied in words, with the values that they compare", async () => {
  expect(await why(4)).toBe(
    'Hidden: policy "in time" has alternatives, and none holds: during is not null, during does not contain now() (during is ["2020-01-01 00:00:00+00","2021-01-01 00:00:00+00")).',
  );
});

test("each alternative has its own value, but the asker's id and the time", async () => {
  const { sentences } = await style.ask({ path: "drafts", as });
  expect(sentences[0]).toBe(
    "Hidden: policy \"many ways\" has alternatives, and none holds: not the owner, state is in ('deleted', 'spam'), public.rank() is not >= 5, closed_at is not > now() (state is spam, public.rank() is 2 and closed_at is null).",
  );
});

test("an alternative of several parts is told with those that it lacks", async () => {
  const shelf = async (id: number) => (await style.ask({ path: `shelves?id=eq.${id}`, as })).sentences[0];
  const none = `Hidden: policy "open or the team's" has alternatives, and none holds: not open`;
  expect(await shelf(1)).toBe(`${none}, team is not in a query of members and archived.`);
  expect(await shelf(2)).toBe(`${none}, archived.`);
});

test("of rows that meet a part of what is wanted, the asker's own is the closest", async () => {
  const body = { id: 9, team: ONE, owner: BEN, vis: "team" };
  const { status, sentences } = await style.ask({ method: "POST", path: "papers", as: { sub: BEN }, body });
  expect(status).toBe(403);
  expect(sentences[0]).toMatch(
    /there are 2 rows with this team.*, and what comes closest lacks role IN \('admin', 'editor'\)\.$/,
  );
});

test("of a write that an error ends, nothing is said to have ended without one", async () => {
  const { status, sentences } = await style.ask({ method: "DELETE", path: "papers?id=eq.1", as });
  expect(status).toBe(500);
  expect(sentences.join("\n")).toMatch(/infinite recursion detected in policy for relation "papers"/);
  expect(sentences.join("\n")).not.toMatch(/without an error/);
});

test("a table that a statement reads twice has each sentence once", async () => {
  const { sentences } = await style.ask({ path: "rpc/tree?root=1", as });
  expect(sentences.filter((text) => text.includes('policy "in time"'))).toHaveLength(1);
  expect(new Set(sentences).size).toBe(sentences.length);
});
