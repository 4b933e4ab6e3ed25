/** Tests that an explanation asks under what REST sets around a request: role settings, a pre-request, preferences. */
import { beforeAll, expect, test, vi } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { clientForThisFile, forThisFile } from "../for-this-file.ts";
import { useOwnCluster } from "../own-cluster.ts";
import { answering } from "./answered.ts";

const ANA = "00000000-0000-4000-8000-0000000000a1";

const TABLES = `
create table public.tz (id int primary key, at timestamptz);
create table public.tenants (id int primary key, tenant text);
create table public.paths (id int primary key);
insert into public.tz values (1, '2026-01-05T15:00:00Z');
insert into public.tenants values (1, 'north'), (2, 'south');
insert into public.paths values (1);
grant all on all tables in schema public to anon, authenticated, service_role;
alter table public.tz enable row level security;
alter table public.tenants enable row level security;
alter table public.paths enable row level security;
create policy mornings on public.tz using (extract(hour from at) < 12);
create policy own on public.tenants using (tenant = current_setting('app.tenant', true));
create policy here on public.paths using (current_setting('request.path', true) = '/paths'
  and current_setting('request.method', true) = 'GET');
create table public.logins (id int primary key, login text);
insert into public.logins values (1, 'authenticator'), (2, 'nobody');
grant all on public.logins to authenticated;
alter table public.logins enable row level security;
create policy "the service's login" on public.logins using (session_user = login);
create function public.before_request() returns void language plpgsql as $$
begin
  if current_setting('request.path', true) = '/rpc/refused' then
    raise insufficient_privilege using message = 'not on Sundays';
  end if;
  perform set_config('app.tenant', case current_user when 'authenticated' then 'north' else 'none' end, true);
end $$;
create function public.tenants_seen() returns int language plpgsql stable as
  $$ begin return (select count(*) from public.tenants); end $$;
create function public.refused() returns int language sql stable as 'select 1';
alter role authenticated set timezone = 'America/New_York';
alter role authenticator set pgrst.db_pre_request = 'public.before_request';
notify pgrst, 'reload config';
`;

await useOwnCluster();
const backend = await forThisFile(createBackend({ bare: true }));
const db = await clientForThisFile(backend.databaseUrl);
const ask = answering(backend, db);
const claims = { sub: ANA };
beforeAll(async () => {
  await backend.sql(TABLES);
  const seen = async () => (await ask("GET", "tenants?id=eq.1", { claims })).body;
  await vi.waitUntil(async () => Array.isArray(await seen()) && String(await seen()) !== "", 10_000);
});

test("the settings of the role hold", async () => {
  const { body, text } = await ask("GET", "tz", { claims });
  expect(body).toHaveLength(1);
  expect(text).toContain("Visible: row security lets authenticated see 1 of 1 row of tz.");
  expect(text).not.toMatch(/Hidden|changed since/);
});

test("the settings that a pre-request makes hold, by REST's own order of both", async () => {
  const { body, text } = await ask("GET", "tenants", { claims });
  expect(body).toEqual([{ id: 1, tenant: "north" }]);
  expect(text).toContain("row security lets authenticated see 1 of 2 rows of tenants");
  expect(text).not.toContain("changed since");
});

test("in functions, too", async () => {
  const { body, text } = await ask("GET", "rpc/tenants_seen", { claims });
  expect(body).toBe(1);
  expect(text).toContain('policy "own" wants tenant = current_setting(');
  expect(text).toContain("tenant is south");
});

test("a pre-request that refuses is told", async () => {
  const { status, sentences } = await ask("GET", "rpc/refused", { claims });
  expect(status).toBe(403);
  expect(sentences).toEqual([
    "Refused with 403, code 42501: not on Sundays. (PL/pgSQL function before_request() line 4 at RAISE)",
  ]);
});

test("the request's path and method are those that REST sets", async () => {
  const { body, text } = await ask("GET", "paths", { claims });
  expect(body).toEqual([{ id: 1 }]);
  expect(text).toContain("Visible: row security lets authenticated see 1 of 1 row of paths.");
});

test("the session user is the login of the service", async () => {
  const { body, text } = await ask("GET", "logins", { claims });
  expect(body).toEqual([{ id: 1, login: "authenticator" }]);
  expect(text).toContain("Visible: row security lets authenticated see 1 of 2 rows of logins.");
  expect(text).toContain("A policy asks for SESSION_USER, which is authenticator in the request");
  expect(text).not.toContain("changed since");
});
