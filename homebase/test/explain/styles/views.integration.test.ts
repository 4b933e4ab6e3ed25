/** Views, triggers, MERGE and upserts: what a request reads and writes is not the table that it names. */
import { expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { ANA, BEN, Style } from "./asking.ts";

const PROJECT = `
create table public.items (id int primary key, owner uuid default auth.uid(), state text default 'open', title text check (length(title) > 1));
alter table public.items enable row level security;
create policy "own or shared" on public.items for select to authenticated using (owner = (select auth.uid()) or state = 'shared');
create policy "add own" on public.items for insert to authenticated with check (owner = (select auth.uid()) and state <> 'locked');
create policy "change own" on public.items for update to authenticated
  using (owner = (select auth.uid())) with check (owner = (select auth.uid()) and state <> 'locked');
insert into public.items values (1, '${ANA}', 'open', 'Aa'), (2, '${BEN}', 'shared', 'Bb'), (3, '${BEN}', 'open', 'Cc');
create function public.lock() returns trigger language plpgsql as $$
begin if new.title = 'Lock' then new.state := 'locked'; end if; return new; end $$;
create trigger lock before insert or update on public.items for each row execute function public.lock();
create table public.log (id int generated always as identity primary key, item int, by uuid);
alter table public.log enable row level security;
create policy "add" on public.log for insert to authenticated with check (by = auth.uid());
create view public.renamed with (security_invoker = true) as select id, owner as who, state, title from public.items where title <> 'Hide';
create view public.through with (security_invoker = true) as select id, who, title from public.renamed;
create view public.owned as select id, title from public.items;
create policy "shared for everybody" on public.items to anon using (state = 'shared');
grant create on schema public to anon;
create view public.desk as select id, title from public.items;
grant all on public.desk to authenticated;
alter view public.desk owner to anon;
create view public.grouped with (security_invoker = true) as select state, count(*) from public.items group by 1;
create view public.people with (security_invoker = true) as select i.id, u.email from public.items i join auth.users u on u.id = i.owner;
create view public.logged with (security_invoker = true) as select i.id, i.title from public.items i left join public.log l on l.item = i.id;
create function public.write_logged() returns trigger language plpgsql as $$
begin update public.items set title = new.title where id = old.id; insert into public.log (item, by) values (old.id, null); return new; end $$;
create trigger write_logged instead of update on public.logged for each row execute function public.write_logged();
create table public.notes (id int primary key, owner uuid default auth.uid());
alter table public.notes enable row level security;
create policy "own" on public.notes to authenticated using (owner = auth.uid());
create function public.log_note() returns trigger language plpgsql as $$
begin insert into public.log (item, by) values (new.id, null); return new; end $$;
create trigger log_note after insert on public.notes for each row execute function public.log_note();
create function public.take(ids int[]) returns void language sql as $$
  merge into public.items i using (select unnest(ids) as id) s on i.id = s.id
  when matched then update set owner = auth.uid()
  when not matched then insert (id, title, state) values (s.id, 'New', 'locked') $$;
create function public.put_item(item int, state text) returns void language sql as $$
  insert into public.items (id, state, title) values (item, state, 'Up')
  on conflict (id) do update set state = excluded.state $$;
`;

const style = await forThisFile(Style.of(PROJECT));
const as = { sub: ANA };

test("a view is explained for the rows that the request asks of it, also through another view", async () => {
  const { rows, sentences } = await style.ask({ path: `renamed?who=eq.${BEN}`, as });
  expect(rows).toHaveLength(1);
  expect(sentences).toEqual([
    "renamed is a view with security_invoker: it reads its tables as authenticated.",
    "The view returns 1 row, and would return 2 without row security.",
    `items: Hidden (1 row, e.g. 3): policy "own or shared" has alternatives, and none holds: not the owner, state is not 'shared' (state is open).`,
    "items: Visible: row security lets authenticated see 1 of 2 rows of items.",
  ]);
  const inner = await style.ask({ path: "through", as, row: "3" });
  expect(inner.sentences.slice(1)).toEqual([
    "The view returns no rows, and would return 1 without row security.",
    expect.stringMatching(/^items: Hidden: policy "own or shared" has alternatives/),
  ]);
  const filtered = await style.ask({ path: "renamed?state=eq.none", as, row: "1" });
  expect(filtered.sentences[0]).toBe("Filtered: row 1 does not meet state=eq.none.");
  const none = await style.ask({ path: "renamed?id=eq.99", as });
  expect(none.sentences[0]).toMatch(/^renamed has no row that meets the request, whoever asks/);
});

test("a view needs its reader's rights on its tables", async () => {
  const { status, sentences } = await style.ask({ path: "people", as });
  expect(status).toBe(403);
  expect(sentences[0]).toMatch(/^Refused: authenticated may not SELECT from users, before any policy/);
});

test("a write to a view that nothing can write, and to one that reads as its owner", async () => {
  const grouped = await style.ask({
    method: "PATCH",
    path: "grouped?state=eq.open",
    as,
    body: { state: "x" },
  });
  expect([grouped.status, grouped.sentences]).toEqual([
    500,
    [
      'Fails with code 55000: cannot update view "grouped".',
      expect.stringMatching(/^grouped takes no UPDATE: Postgres writes through a view of one table/),
    ],
  ]);
  const owned = await style.ask({ method: "PATCH", path: "owned?id=eq.3", as, body: { title: "Mine" } });
  expect([owned.status, owned.sentences[1]]).toEqual([
    204,
    "postgres has BYPASSRLS, so no policy decides: the view lets everybody through who may write it.",
  ]);
});

test("a view is read and written by the policies for its owner, where row security restricts that", async () => {
  const read = await style.ask({ path: "desk", as });
  expect([read.rows, read.sentences[1]]).toEqual([
    [{ id: 2, title: "Bb" }],
    "The view returns 1 row, and would return 3 without row security.",
  ]);
  const patch = {
    method: "PATCH",
    as,
    body: { title: "Desk" },
    headers: { prefer: "return=representation" },
  };
  const own = await style.ask({ ...patch, path: "desk?id=eq.1" });
  expect([own.rows, own.sentences.slice(0, 2)]).toEqual([
    [],
    [
      "desk is a view: its writes have to meet the policies of items as its owner anon, whoever asks.",
      `Not updated, without an error: policy "shared for everybody" wants state = 'shared', and state is open.`,
    ],
  ]);
  const shared = await style.ask({ ...patch, path: "desk?id=eq.2" });
  expect([shared.rows, shared.sentences[1]]).toEqual([
    [{ id: 2, title: "Desk" }],
    "Row security lets anon reach 1 row of items.",
  ]);
});

test("with replay the row that a view writes is judged as its triggers make it", async () => {
  const patch = { method: "PATCH", path: "renamed?id=eq.1", as, replay: true };
  const refused = await style.ask({ ...patch, body: { title: "Lock" } });
  expect(refused.status).toBe(403);
  expect(refused.sentences.at(-1)).toBe(
    "Refused is the row of items: policy \"change own\" wants state <> 'locked', and state is locked.",
  );
  const post = { method: "POST", path: "renamed", as, replay: true };
  const added = await style.ask({ ...post, body: { id: 10, title: "Good", who: BEN } });
  expect(added.status).toBe(403);
  expect(added.sentences.at(-1)).toBe(
    `Refused is the row of items: policy "add own" wants owner = you, and owner is ${BEN}.`,
  );
  const changed = await style.ask({ ...patch, body: { title: "Ab" } });
  expect([changed.status, changed.sentences.at(-1)]).toEqual([
    204,
    "It writes 1 row: row security refuses nothing.",
  ]);
});

test("an INSTEAD OF trigger is named, and with replay the row that it is refused is split", async () => {
  const patch = { method: "PATCH", path: "logged?id=eq.1", as, body: { title: "Ac" } };
  const { sentences } = await style.ask(patch);
  expect(sentences[0]).toBe(
    "logged is written by its INSTEAD OF trigger write_logged (public.write_logged(), which runs as the caller): the policies of what that writes decide.",
  );
  const refused = await style.ask({ ...patch, replay: true });
  expect(refused.status).toBe(403);
  expect(refused.sentences.slice(1)).toEqual([
    expect.stringMatching(/row-level security policy for table "log" \(PL\/pgSQL function write_logged/),
    'Refused is the row of log: policy "add" wants by = you, and by is null.',
  ]);
});

test("a trigger that runs after a write is named, and with replay its refusal is told first", async () => {
  const post = { method: "POST", path: "notes", as, body: { id: 1 } };
  const { status, sentences } = await style.ask(post);
  expect([status, sentences.at(-1)]).toEqual([
    403,
    "Not run: what is written after it, with rules of its own, by trigger log_note. With --replay it is run and undone.",
  ]);
  const again = await style.ask({ ...post, replay: true });
  expect(again.sentences.slice(0, 2)).toEqual([
    expect.stringMatching(/^Refused inside with 403, code 42501: .* "log" \(PL\/pgSQL function log_note/),
    'Refused is the row of log: policy "add" wants by = you, and by is null.',
  ]);
});

test.each([
  ["take", { ids: [2] }, `policy "change own" wants owner = you, and owner is ${BEN}.`],
  ["take", { ids: [77] }, `policy "add own" wants state <> 'locked', and state is locked.`],
  ["put_item", { item: 2, state: "open" }, `policy "change own" wants owner = you, and owner is ${BEN}.`],
  [
    "put_item",
    { item: 1, state: "locked" },
    `policy "change own" wants state <> 'locked', and state is locked.`,
  ],
])("MERGE and ON CONFLICT inside a function: %s %j", async (name, body, told) => {
  const { status, sentences } = await style.ask({
    method: "POST",
    path: `rpc/${name}`,
    as,
    body,
    replay: true,
  });
  expect(status).toBe(403);
  expect(sentences.slice(1)).toEqual([`Refused is the row of items: ${told}`]);
});

test("with replay an upsert is judged by the row that triggers make of the one that is there", async () => {
  const post = {
    method: "POST",
    path: "items",
    as,
    headers: { prefer: "resolution=merge-duplicates" },
  };
  const body = { id: 1, title: "Lock", owner: ANA };
  const blind = await style.ask({ ...post, body });
  expect([blind.status, blind.sentences[1]]).toEqual([
    403,
    "Row security lets authenticated UPDATE what is there already.",
  ]);
  const seen = await style.ask({ ...post, body, replay: true });
  expect(seen.sentences[0]).toBe(
    "Refused with 403, code 42501, as the row is there already: policy \"change own\" wants state <> 'locked', and state is locked.",
  );
  const several = [body, { id: 50, title: "Lock", owner: ANA }];
  const both = await style.ask({ ...post, body: several, replay: true });
  expect(both.text).toMatch(
    /policy "add own" wants state <> 'locked'[\s\S]*there already: policy "change own"/,
  );
  const fine = [
    { ...body, title: "Ad" },
    { id: 51, title: "Ae", owner: ANA },
  ];
  const done = await style.ask({ ...post, body: fine, replay: true });
  expect([done.status, done.sentences.slice(0, 2)]).toEqual([
    201,
    [
      "Row security lets authenticated INSERT this row of items.",
      "Row security lets authenticated UPDATE what is there already.",
    ],
  ]);
});

test("only rows that an update reaches are checked, and a filter needs the right to read its column", async () => {
  const all = { method: "PATCH", path: "items?id=gt.0", as, body: { title: "Zz" } };
  for (const replay of [false, true]) {
    const { status, text } = await style.ask({ ...all, replay });
    expect(status).toBe(204);
    expect(text).toContain("Row security lets authenticated UPDATE rows of items.");
    expect(text).not.toContain("Refused");
  }
  await style.backend.sql(
    "revoke select on public.notes from authenticated; grant select (id) on public.notes to authenticated",
  );
  const { status, sentences } = await style.ask({ ...all, path: `notes?owner=eq.${ANA}`, body: { id: 5 } });
  expect(status).toBe(403);
  expect(sentences[0]).toMatch(/^Refused: authenticated may not read owner of notes/);
});
