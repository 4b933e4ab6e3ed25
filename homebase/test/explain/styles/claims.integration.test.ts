/** Policies that read the request: claims of the token, roles by a table, tenants, second factors, headers. */
import { expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { ANA, BEN, CAT, Style } from "./asking.ts";

const ONE = "00000000-0000-4000-8000-000000000031";
const TWO = "00000000-0000-4000-8000-000000000032";

const PROJECT = `
create type public.act as enum ('rooms.remove', 'lines.remove');
create table public.rights (rank text, act public.act, primary key (rank, act));
insert into public.rights values ('admin', 'rooms.remove'), ('admin', 'lines.remove'), ('helper', 'lines.remove');
alter table public.rights enable row level security;
create function public.may(wanted public.act) returns boolean language plpgsql stable security definer set search_path = '' as $$
declare found int;
begin
  select count(*) into found from public.rights r where r.act = wanted and r.rank = (auth.jwt() ->> 'user_rank');
  return found > 0;
end $$;
create table public.rooms (id int primary key, maker uuid);
insert into public.rooms values (1, '${ANA}');
alter table public.rooms enable row level security;
create policy "signed in" on public.rooms for select using (auth.role() = 'authenticated');
create policy "by its maker" on public.rooms for delete using (auth.uid() = maker);
create policy "by right" on public.rooms for delete to authenticated using ((select public.may('rooms.remove')));
create table public.orgs (id uuid primary key); insert into public.orgs values ('${ONE}'), ('${TWO}');
alter table public.orgs enable row level security;
create policy "of the token" on public.orgs for select to authenticated
  using (id::text = any (select jsonb_array_elements_text(auth.jwt() -> 'app_metadata' -> 'orgs')));
create table public.jobs (id int primary key, org uuid, kind text default 'org', closed timestamptz);
insert into public.jobs values (1, '${ONE}', 'org', null), (2, '${TWO}', 'org', null), (3, '${ONE}', 'org', now());
alter table public.jobs enable row level security;
create policy "tenant" on public.jobs as restrictive to authenticated using (org = ((select auth.jwt()) ->> 'org_id')::uuid);
create policy "everybody of it" on public.jobs for select to authenticated using (true);
create policy "editors" on public.jobs for update to authenticated
  using ((auth.jwt() -> 'app_metadata' -> 'ranks') ? 'editor') with check (kind in ('org', 'own'));
create policy "second factor" on public.jobs as restrictive for update to authenticated using ((select auth.jwt() ->> 'aal') = 'aal2');
create table public.steps (id int primary key, job int references public.jobs);
insert into public.steps values (1, 1), (2, 2), (3, 3);
alter table public.steps enable row level security;
create policy "of open jobs" on public.steps for select to authenticated
  using (exists (select 1 from public.jobs j where j.id = steps.job and j.closed is null));
create schema app; grant usage on schema app to anon, authenticated;
create function app.shop() returns int language sql stable as
  $$ select nullif(current_setting('request.headers', true)::json ->> 'x-shop', '')::int $$;
create table public.goods (id int primary key, shop int); insert into public.goods values (1, 1), (2, 2);
alter table public.goods enable row level security;
create policy "of the shop" on public.goods for select using (shop = app.shop());
create table public.carts (id int primary key, shop text); insert into public.carts values (1, '1');
alter table public.carts enable row level security;
create policy "by header" on public.carts for select using (shop = current_setting('request.headers', true)::json ->> 'x-shop');
`;

const style = await forThisFile(Style.of(PROJECT));

const editor = { sub: ANA, org_id: ONE, aal: "aal2", app_metadata: { ranks: ["editor"] } };

test("a claim that the token lacks is named", async () => {
  const { rows, sentences } = await style.ask({ path: "jobs", as: { sub: ANA } });
  expect(rows).toEqual([]);
  expect(sentences).toEqual([
    `Hidden (3 rows, e.g. 1): policy "tenant" wants org = (auth.jwt() ->> 'org_id')::uuid, and (auth.jwt() ->> 'org_id')::uuid is null, because the token has no claim org_id.`,
  ]);
  const orgs = await style.ask({ path: "orgs", as: { sub: ANA, app_metadata: {} } });
  expect(orgs.text).toMatch(
    /jsonb_array_elements_text\(.*\), and .*the token has no claim app_metadata\.orgs\.$/,
  );
  const one = await style.ask({ path: `orgs?id=eq.${TWO}`, as: { sub: ANA, app_metadata: { orgs: [ONE] } } });
  expect([one.rows, one.text]).toEqual([[], expect.stringContaining(`returns ${ONE}.`)]);
});

test("a claim that is no value of its type ends the request, and hides nothing", async () => {
  const { status, sentences } = await style.ask({ path: "jobs", as: { sub: ANA, org_id: "acme" } });
  expect(status).toBe(400);
  expect(sentences[0]).toMatch(
    /^The request fails with an error \(3 rows, e\.g\. 1\): policy "tenant" asks for .*invalid input syntax for type uuid: "acme"/,
  );
});

test.each([
  [
    { ...editor, aal: "aal1" },
    { closed: null },
    `policy "second factor" wants (auth.jwt() ->> 'aal') = 'aal2', and auth.jwt() ->> 'aal' is aal1.`,
  ],
  [
    { ...editor, app_metadata: { ranks: ["reader"] } },
    { closed: null },
    `policy "editors" wants ((auth.jwt() -> 'app_metadata') -> 'ranks') ? 'editor', and (auth.jwt() -> 'app_metadata') -> 'ranks' is ["reader"].`,
  ],
  [editor, { kind: "all" }, `policy "editors" wants kind IN ('org', 'own'), and kind is all.`],
  [
    editor,
    { org: TWO },
    `policy "tenant" wants org = (auth.jwt() ->> 'org_id')::uuid, and org is ${TWO} and (auth.jwt() ->> 'org_id')::uuid is ${ONE}.`,
  ],
])("an update names the smallest part (%#)", async (as, body, told) => {
  const { text } = await style.ask({ method: "PATCH", path: "jobs?id=eq.1", as, body });
  expect(text).toContain(told);
});

test("rows with the same verdicts and other reasons have a sentence each", async () => {
  const { rows, sentences } = await style.ask({ path: "steps", as: { sub: ANA, org_id: ONE } });
  expect(rows).toHaveLength(1);
  expect(sentences.join("\n")).toMatch(
    /^Hidden \(2 rows, e\.g\. 2\): .*you cannot see it(, because|\.\nThere,) policy "tenant" of jobs/,
  );
  expect(sentences).toContain(
    "Hidden (of the same rows, e.g. 3): there is 1 row with this id (3), but not with closed IS NULL.",
  );
});

test("a right by a function in PL/pgSQL says the claim that it lacks, and which other policy would do", async () => {
  const remove = { method: "DELETE", path: "rooms?id=eq.1" };
  const { status, sentences } = await style.ask({ ...remove, as: { sub: BEN } });
  expect(status).toBe(204);
  expect(sentences[0]).toContain("the token has no claim user_rank");
  expect(sentences.join(" ")).toContain(
    'Or another policy that lets it through: "by its maker" (auth.uid() = maker).',
  );
  const helper = await style.ask({ ...remove, as: { sub: CAT, user_rank: "helper" } });
  expect(helper.sentences[0]).not.toContain("no claim");
  const admin = await style.ask({ ...remove, as: { sub: CAT, user_rank: "admin" } });
  expect(admin.sentences).toEqual(["Row security lets authenticated DELETE rows of rooms."]);
});

test("headers of the request count, and one that is missing is named, also inside a function", async () => {
  const shop = { "x-shop": "2" };
  const with2 = await style.ask({ path: "goods", as: { sub: ANA }, headers: shop });
  expect(with2.rows).toEqual([{ id: 2, shop: 2 }]);
  expect(with2.sentences).toContain("Visible: row security lets authenticated see 1 of 2 rows of goods.");
  const without = await style.ask({ path: "goods", as: { sub: ANA } });
  expect(without.text).toContain("app.shop() is null, because the request has no header x-shop");
  const cart = await style.ask({ path: "carts" });
  expect(cart.text).toContain("is null, because the request has no header x-shop");
});

test("the record keeps the headers that policies read, and no secret", async () => {
  await style.ask({
    path: "goods",
    headers: { "x-shop": "2", "x-api-key": "hidden", "x-client-info": "x/1" },
  });
  const [last] = style.backend.requests().slice(-1);
  expect(last?.statement?.headers).toEqual({ "x-shop": "2" });
  expect(await style.backend.why()).toContain("see 1 of 2 rows of goods");
});
