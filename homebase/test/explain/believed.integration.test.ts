/** Tests that an explanation agrees with the answer that the request had: its status, its error and its rows. */
import { beforeAll, expect, test, vi } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { clientForThisFile, forThisFile } from "../for-this-file.ts";
import { answering } from "./answered.ts";

const ANA = "00000000-0000-4000-8000-0000000000a1";

const TABLES = `
create table public.orgs (id int primary key, name text);
create table public.docs (id int primary key, title text, org int references public.orgs, secret text);
create table public.audit (id int generated always as identity, doc int, note text);
create table public.stamps (id int primary key, owner uuid);
create table public.sealed (id int primary key, title text);
create table public.w2 (id int primary key, org int);
create table public.w3 (id int primary key, org int);
create table public.w4 (id int primary key, org int);
create table public.locked (id int primary key);
create table public.raising (id int primary key);
create table public.slow (id int primary key);
insert into public.orgs values (1, 'Kitchen'), (2, 'Bar');
insert into public.docs values (1, 'Menu', 1, 'x'), (2, 'Drinks', 2, 'y'), (3, 'Notes', null, 'z');
insert into public.slow values (1);
grant all on all tables in schema public to anon, authenticated, service_role;
alter table public.orgs enable row level security;
alter table public.docs enable row level security;
alter table public.audit enable row level security;
alter table public.stamps enable row level security;
alter table public.sealed enable row level security;
alter table public.w2 enable row level security;
alter table public.w3 enable row level security;
alter table public.w4 enable row level security;
alter table public.raising enable row level security;
alter table public.slow enable row level security;
create policy some_orgs on public.orgs for select using (id = 1);
create policy all_docs on public.docs using (true) with check (true);
create policy never on public.audit for insert with check (note is null);
create policy own on public.stamps for insert with check (owner = auth.uid());
create policy all_sealed on public.sealed using (true) with check (true);
revoke select on public.sealed from anon, authenticated;
grant select (id) on public.sealed to anon, authenticated;
create policy p on public.w2 for select using (exists (select from public.w2 x where x.org = w2.org));
create function public.hidden_rule(org int) returns boolean language sql stable as 'select org > 0';
revoke execute on function public.hidden_rule from public, anon, authenticated;
create policy p on public.w3 for select using (public.hidden_rule(org));
revoke all on public.locked from anon, authenticated;
create policy p on public.w4 for select using (exists (select from public.locked l where l.id = w4.org));
create function public.explode(id int) returns boolean language plpgsql stable as
  $$ begin raise exception 'no such tenant' using errcode = '22023'; end $$;
create policy reading on public.raising for select using (public.explode(id));
create policy writing on public.raising for insert with check (true);
create function public.slowly() returns boolean language plpgsql stable as
  $$ begin perform pg_sleep(1.3); return true; end $$;
create policy p on public.slow for select using (public.slowly());
create function public.takes_long() returns int language plpgsql stable as
  $$ begin perform pg_sleep(1.3); return (select count(*) from public.docs); end $$;
create view public.slow_view as select s.id, public.slowly() as slowly from public.orgs s where s.id = 1;
create function public.log_doc() returns trigger language plpgsql as
  $$ begin insert into public.audit (doc, note) values (new.id, 'new'); return null; end $$;
create trigger log after insert on public.docs for each row execute function public.log_doc();
create function public.stamp() returns trigger language plpgsql as
  $$ begin new.owner := null; return new; end $$;
create trigger stamp before insert on public.stamps for each row execute function public.stamp();
`;

const backend = await forThisFile(createBackend({ bare: true }));
const db = await clientForThisFile(backend.databaseUrl);
const ask = answering(backend, db);
beforeAll(async () => {
  await backend.sql(`insert into auth.users (id, email) values ('${ANA}', 'ana@example.com'); ${TABLES}`);
  await vi.waitUntil(async () => (await ask("GET", "docs", { claims })).status === 200, 10_000);
});
const claims = { sub: ANA };

test("a write that a trigger's table refused is told with that table, not as let through", async () => {
  const { status, body, text, sentences } = await ask("POST", "docs", {
    json: { id: 9, title: "t" },
    claims,
  });
  expect([status, (body as { message: string }).message]).toEqual([
    403,
    'new row violates row-level security policy for table "audit"',
  ]);
  expect(sentences[0]).toMatch(
    /^Refused with 403, code 42501, by the policies of audit, not by those of docs: /,
  );
  expect(sentences[0]).toContain("--replay");
  expect(text).not.toMatch(/Row security lets/);
});

test("run again, the part that refused the trigger's row is told", async () => {
  const { sentences } = await ask("POST", "docs", { json: { id: 9, title: "t" }, claims }, { replay: true });
  expect(sentences[0]).toMatch(/^Refused with 403, code 42501, by the policies of audit/);
  expect(sentences.join("\n")).toContain('policy "never" wants note IS NULL, and note is new');
});

test("a row that a trigger has made another is not told to be let through", async () => {
  const { status, text, sentences } = await ask("POST", "stamps", { json: { id: 1, owner: ANA }, claims });
  expect(status).toBe(403);
  expect(sentences[0]).toMatch(/^Refused with 403, code 42501, by the policies of stamps/);
  expect(text).toContain("Trigger stamp may change the row");
  expect(text).toContain("--replay");
  expect(text).not.toMatch(/Row security lets/);
});

test("a representation of a column that may not be read is refused by the grant", async () => {
  const headers = { prefer: "return=representation" };
  const json = { id: 1, title: "t" };
  const { status, text, sentences } = await ask("POST", "sealed", { json, claims, headers });
  expect(status).toBe(403);
  expect(sentences[0]).toMatch(
    /^Refused: authenticated may not read title(, title)? of sealed: the answer is 403/,
  );
  expect(sentences[0]).toContain('grant select ("title") on "public"."sealed" to authenticated;');
  expect(text).not.toMatch(/Row security lets/);
});

test("an inner embed that leaves rows out is no change of rows", async () => {
  const { body, text } = await ask("GET", "docs?select=title,orgs!inner(name)", { claims });
  expect(body).toEqual([{ title: "Menu", orgs: { name: "Kitchen" } }]);
  expect(text).not.toContain("changed since");
  expect(text).toContain("The embed is an inner one");
});

test.each([
  ["docs?select=title,orgs(name)&orgs=not.is.null", "an embed as a filter"],
  ["docs?select=title,orgs(name)&orgs=is.null", "an anti join"],
])("nor is %s", async (path) => {
  const { text } = await ask("GET", path, { claims });
  expect(text).not.toContain("changed since");
});

test("a page of a Range header is no change of rows", async () => {
  const { body, text } = await ask("GET", "docs?order=id", { claims, headers: { range: "1-1" } });
  expect(body).toHaveLength(1);
  expect(text).not.toContain("changed since");
});

test("what takes longer than an explanation may is not told as the request's error", async () => {
  for (const path of ["slow", "slow_view", "rpc/takes_long"]) {
    const { status, text } = await ask("GET", path, { claims });
    expect([path, status]).toEqual([path, 200]);
    expect(text).toMatch(/longer than 1 s here; the request took [12]\.\d s/);
    expect(text).not.toMatch(/error|canceling|changed since/);
  }
});

test("a policy that nobody can read by is told where there is no row", async () => {
  const recursive = await ask("GET", "w2", { claims });
  expect(recursive.status).toBe(500);
  expect(recursive.sentences[0]).toBe(
    'Answered with 500, code 42P17: infinite recursion detected in policy for relation "w2".',
  );
  expect(recursive.sentences[1]).toMatch(
    /^Policy "p" of w2 asks for EXISTS .*, which raises it for any row\.$/,
  );
  expect(recursive.text).not.toContain("nothing is hidden");
  const denied = await ask("GET", "w3", { claims });
  expect(denied.status).toBe(403);
  expect(denied.sentences[0]).toBe(
    "Refused with 403, code 42501: permission denied for function hidden_rule.",
  );
  expect(denied.sentences[1]).toMatch(
    /^Policy "p" of w3 asks for public\.hidden_rule\(org\), which raises it/,
  );
  const unread = await ask("GET", "w4", { claims });
  expect(unread.status).toBe(403);
  expect(unread.sentences[0]).toBe("Refused with 403, code 42501: permission denied for table locked.");
  expect(unread.sentences[1]).toMatch(/^Policy "p" of w4 asks for EXISTS/);
});

test("a SELECT policy that raises does not end an insert that returns nothing", async () => {
  const passed = await ask("POST", "raising", { json: { id: 1 }, claims });
  expect(passed.status).toBe(201);
  expect(passed.sentences[0]).toBe("Row security lets authenticated INSERT this row of raising.");
  expect(passed.text).toMatch(/With return=representation .* it fails with an error: policy "reading"/);
  const headers = { prefer: "return=representation" };
  const failed = await ask("POST", "raising", { json: { id: 2 }, claims, headers });
  expect(failed.status).toBe(400);
  expect(failed.sentences[0]).toBe("Answered with 400, code 22023: no such tenant.");
  expect(failed.text).toContain('policy "reading" asks for');
  expect(failed.text).not.toMatch(/Row security lets/);
});
