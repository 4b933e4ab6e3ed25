/** Policies by functions of a private schema with default arguments, as templates for accounts and teams have them. */
import { expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { ANA, BEN, CAT, Style } from "./asking.ts";

const ACME = "00000000-0000-4000-8000-000000000011";
const BETA = "00000000-0000-4000-8000-000000000012";

const PROJECT = `
create schema core; grant usage on schema core to authenticated;
create type core.rank as enum ('owner', 'member');
create table core.accounts (id uuid primary key, founder uuid not null default auth.uid(), label text, personal boolean not null default false);
create table core.seats (person uuid, account uuid references core.accounts, rank core.rank not null, primary key (person, account));
create table core.invites (id int primary key, account uuid references core.accounts, made timestamptz default now());
create table core.switches (teams boolean not null);
insert into core.switches values (true);
alter table core.accounts enable row level security; alter table core.seats enable row level security;
alter table core.invites enable row level security;
grant select, insert, update, delete on all tables in schema core to authenticated;
create function core.has_seat(account uuid, rank core.rank default null) returns boolean
  language sql stable security definer set search_path = core as $$
  select exists (select 1 from seats s where s.person = auth.uid() and s.account = has_seat.account
    and (s.rank = has_seat.rank or has_seat.rank is null)) $$;
create function core.seats_of_mine(wanted core.rank default null) returns setof uuid
  language sql stable security definer set search_path = core as $$
  select s.account from seats s where s.person = auth.uid() and (s.rank = wanted or wanted is null) $$;
create function core.is_on(name text) returns boolean language plpgsql stable as $$
declare found boolean; begin execute format('select %I from core.switches', name) into found; return found; end $$;
create policy "seen by its people" on core.accounts for select to authenticated using (core.has_seat(id) = true);
create policy "seen by its founder" on core.accounts for select to authenticated using (founder = auth.uid());
create policy "teams are founded" on core.accounts for insert to authenticated with check (core.is_on('teams') = true and personal = false);
create policy "changed by owners" on core.accounts for update to authenticated using (core.has_seat(id, 'owner') is true);
create policy "own seats" on core.seats for select to authenticated using (person = auth.uid());
create policy "fresh invites of owners" on core.invites for select to authenticated
  using (made > now() - interval '1 day' and coalesce(core.has_seat(account, 'owner'), false));
create table public.posts (id int primary key, account uuid references core.accounts, title text);
alter table public.posts enable row level security;
create policy "read by people" on public.posts for select to authenticated using (account in (select core.seats_of_mine()));
create policy "written by people" on public.posts for insert to authenticated with check (account in (select core.seats_of_mine()));
create policy "changed by owners" on public.posts for update to authenticated using (account in (select core.seats_of_mine('owner')));
create view public.accounts with (security_invoker = true) as select * from core.accounts;
create view public.invites with (security_invoker = true) as select * from core.invites;
insert into core.accounts values ('${ACME}', '${ANA}', 'Acme'), ('${BETA}', '${BEN}', 'Beta');
insert into core.seats values ('${ANA}', '${ACME}', 'owner'), ('${CAT}', '${ACME}', 'member'), ('${BEN}', '${BETA}', 'owner');
insert into core.invites values (1, '${ACME}', now() - interval '2 days'), (2, '${ACME}', now());
insert into public.posts values (1, '${ACME}', 'Hello'), (2, '${BETA}', 'Secret');
create function public.found(label text, personal boolean) returns void language plpgsql as $$
begin insert into core.accounts (id, label, personal) values (gen_random_uuid(), label, personal); end $$;
create function public.rename_account(account uuid, label text) returns void language plpgsql as $$
begin update core.accounts a set label = rename_account.label where a.id = rename_account.account; end $$;
`;

const style = await forThisFile(Style.of(PROJECT));

test("a function that is called with a default is gone into, and the default is no condition", async () => {
  const { rows, sentences } = await style.ask({ path: "posts", as: { sub: ANA } });
  expect(rows).toHaveLength(1);
  expect(sentences).toEqual([
    `Hidden (1 row, e.g. 2): policy "read by people" asks core.seats_of_mine(), which wants a row of seats with account = this row's account and person = you: there is 1 row with this account (${BETA}), but not with person = you.`,
    "Visible: row security lets authenticated see 1 of 2 rows of posts.",
  ]);
});

test("a constant argument is a condition like others", async () => {
  const { status, sentences } = await style.ask({
    method: "PATCH",
    path: "posts?id=eq.1",
    as: { sub: CAT },
    body: { title: "x" },
  });
  expect(status).toBe(204);
  expect(sentences[0]).toBe(
    `Not updated, without an error: policy "changed by owners" asks core.seats_of_mine(), which wants a row of seats with account = this row's account, person = you and rank = 'owner': there are 2 rows with this account (00000000-0000-4000-8000-000000000011), and what comes closest lacks rank = 'owner'.`,
  );
});

test("a function compared with true is gone into, and the other policy is told with its parts", async () => {
  const { rows, text } = await style.ask({ path: "accounts", as: { sub: ANA } });
  expect(rows).toHaveLength(1);
  expect(text).toContain("The view returns 1 row, and would return 2 without row security.");
  expect(text).toContain(
    `Hidden (1 row, e.g. ${BETA}): policy "seen by its people" asks core.has_seat(), which wants a row of seats with account = '${BETA}' and person = you: there is 1 row with this account, but not with person = you.`,
  );
  expect(text).toContain(
    'Or another policy that lets it through: "seen by its founder" (founder = auth.uid()).',
  );
});

test("COALESCE around a function hides nothing, and each row has its own reason", async () => {
  const { rows, text } = await style.ask({ path: "invites", as: { sub: CAT } });
  expect(rows).toEqual([]);
  expect(text).toMatch(/row, e\.g\. 1\): policy "fresh invites of owners" wants made > \(now\(\) - '1 day'/);
  expect(text).toMatch(
    /row, e\.g\. 2\): policy "fresh invites of owners" asks core\.has_seat\(\).*, and what comes closest lacks rank = 'owner'/,
  );
  expect(text).not.toMatch(/e\.g\. 2\): policy "fresh invites of owners" wants made/);
});

test("the row that a function inserts is split into parts", async () => {
  const ask = { method: "POST", path: "rpc/found", as: { sub: CAT }, replay: true };
  const refused = await style.ask({ ...ask, body: { label: "Mine", personal: true } });
  expect(refused.status).toBe(403);
  expect(refused.sentences).toEqual([
    expect.stringMatching(/^Refused inside with 403, code 42501: new row violates .* "accounts" \(PL\/pgSQL/),
    'Refused is the row of accounts: policy "teams are founded" wants personal to be false, and it is true.',
  ]);
  const allowed = await style.ask({ ...ask, body: { label: "Ours", personal: false } });
  expect([allowed.status, allowed.sentences]).toEqual([
    204,
    ["Row security hides nothing from the statements inside."],
  ]);
});

test("an update inside a function that reaches nothing is told by the policy of its table", async () => {
  const { status, sentences } = await style.ask({
    method: "POST",
    path: "rpc/rename_account",
    as: { sub: CAT },
    body: { account: ACME, label: "x" },
    replay: true,
  });
  expect(status).toBe(204);
  expect(sentences).toEqual([
    expect.stringMatching(
      /^Not reached by UPDATE in "update core.accounts.*policy "changed by owners" asks core\.has_seat\(\)/,
    ),
  ]);
});

test("a write to a view has to meet the policies of its table", async () => {
  const patch = { method: "PATCH", path: `accounts?id=eq.${ACME}`, body: { label: "x" } };
  const refused = await style.ask({ ...patch, as: { sub: CAT } });
  expect(refused.status).toBe(204);
  expect(refused.sentences.slice(0, 2)).toEqual([
    "accounts is a view with security_invoker: authenticated has to meet the policies of accounts.",
    expect.stringMatching(/^Not updated, without an error: policy "changed by owners" asks core\.has_seat/),
  ]);
  const allowed = await style.ask({ ...patch, as: { sub: ANA }, replay: true });
  expect(allowed.text).toContain("It writes 1 row: row security refuses nothing.");
});
