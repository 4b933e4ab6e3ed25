/** Owns the schemas that the dump is compared on: pieces in the styles that people have, combined by a fixed sequence. */

const TYPES: Record<string, string> = {
  mood: "create type mood as enum ('low', 'mid', 'high')",
  mail: "create domain mail as text not null check (value like '%@%')",
  pair: "create type pair as (z int, a text)",
  span: "create type span as range (subtype = time)",
  helper: "create function double(int) returns int language sql immutable as 'select $1 * 2'",
  code: "create function new_code() returns text language plpgsql volatile as $$ begin return md5(random()::text); end $$",
};
const COLUMNS = [
  "title text not null",
  "feeling mood default 'mid'",
  "feelings mood[]",
  "address mail",
  "couple pair",
  "hours span",
  "code text default new_code() unique",
  "twice int generated always as (double(n)) stored",
  "next_n int generated always as (n + 1) stored",
  "n int check (n > 0)",
  "price numeric(10, 2) default 0",
  "made timestamptz not null default now()",
  "owner uuid references auth.users on delete cascade",
  "tags text[] default '{}'",
  "data jsonb default '{}'::jsonb",
  'label text collate "C"',
  "serial_no bigserial",
  "short varchar(12)",
  "raw bytea",
  "words tsvector generated always as (to_tsvector('simple', coalesce(title, ''))) stored",
];
/** What is done with the tables t0, t1 and t2, each of which has `id`, `n`, `title` and `owner`. */
const PIECES = [
  "alter table t0 enable row level security; create policy own on t0 for all to authenticated using (owner = (select auth.uid())) with check (n > 1)",
  "alter table t1 enable row level security; alter table t1 force row level security; create policy all_of_them on t1 as restrictive for select using (true)",
  "create view v as select id, title from t0; alter view v set (security_invoker = true)",
  "create materialized view mv as select n, count(*) from t0 group by n; create unique index mv_n on mv (n)",
  "create index t0_n on t0 (n) where n > 2; create index t0_title on t0 using gin (to_tsvector('english', title)); create index t0_lower on t0 (lower(title) desc nulls last)",
  "create function touch() returns trigger language plpgsql as $$ begin new.n := 1; return new; end $$; create trigger touch before update of n on t0 for each row when (new.n > 1) execute function touch()",
  "comment on table t0 is 'It''s a table'; comment on column t0.n is 'a number'; comment on schema public is 'mine'",
  "alter table t1 add foreign key (n) references t0 (id) deferrable initially deferred",
  "revoke all on t2 from anon, authenticated; grant select (id, title), update (title) on t2 to authenticated",
  "create function secret() returns int language sql security definer set search_path = '' as 'select 1'; revoke execute on function secret() from public, anon; grant execute on function secret() to authenticated",
  "create schema private; create table private.log (at timestamptz default now(), what text); grant usage on schema private to service_role; revoke all on private.log from public",
  "create table parts (z text, day date not null, id int, primary key (id, day)) partition by range (day); create table parts_1 partition of parts for values from ('2025-01-01') to ('2026-01-01'); create table parts_rest partition of parts default; create index on parts (z)",
  "create table child (more text, m int) inherits (t0)",
  "create extension citext schema extensions; create table cited (z extensions.citext, a int)",
  "create extension pg_trgm with schema extensions; create index t0_trgm on t0 using gin (title extensions.gin_trgm_ops)",
  "alter publication supabase_realtime add table only t0; alter publication supabase_realtime add table t1 (id, n)",
  "create procedure work(a int, inout b text default 'x') language plpgsql as $$ begin b := a::text; end $$",
  "create aggregate summed (int) (sfunc = int4pl, stype = int, initcond = '0')",
  "create sequence numbers increment 5 start 100 cache 3 cycle maxvalue 1000; alter table t2 alter n set default nextval('numbers')",
  "create rule keep as on delete to t2 do instead nothing",
  "alter table t0 add constraint apart exclude using gist (int4range(id::int, n) with &&)",
  "alter table t0 alter n set statistics 500; alter table t0 alter title set storage external",
  "alter default privileges in schema public revoke execute on functions from public; create function quiet() returns int language sql as 'select 1'",
  "alter default privileges in schema public grant select on tables to anon; create table later (z int, a text)",
  "create policy pictures on storage.objects for select to authenticated using (bucket_id = 'x')",
  "create function on_sign_up() returns trigger language plpgsql security definer as $$ begin return new; end $$; create trigger on_sign_up after insert on auth.users for each row execute function on_sign_up()",
  "create unlogged table fast (id int primary key) with (fillfactor = 70); alter table fast replica identity full",
  'create table "odd Name" ("a b" int, "q""x" text, "Z" mood); create index "odd index" on "odd Name" ("a b")',
  "create function rows_of(t0) returns setof t1 rows 5 stable language sql as 'select * from t1 where n = $1.n'",
  "create view chained as with recursive r as (select 1 as k union all select k + 1 from r where k < 3) select k, upper('x') as u from r; comment on view chained is 'c'",
  "alter table t2 add constraint positive check (n > 0) not valid; alter table t2 cluster on t2_pkey",
  "create collation german (provider = icu, locale = 'de')",
];

function sequence(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

/** The statements of a schema, the same for the same number. */
export function schemaOf(seed: number): string {
  const pick = sequence(seed);
  const shuffled = <T>(list: readonly T[]): T[] => {
    const left = [...list];
    return list.map(() => left.splice(pick(left.length), 1)[0] as T);
  };
  const needed = ["title text", "n int", "owner uuid references auth.users"];
  const tables = [0, 1, 2].map((at) => {
    const chosen = shuffled(COLUMNS).slice(0, 5 + pick(8));
    const names = new Set(chosen.map((one) => one.split(" ")[0]));
    const missing = needed.filter((one) => !names.has(one.split(" ")[0]));
    return `create table t${at} (${shuffled([...chosen, ...missing, "id bigint primary key"]).join(", ")})`;
  });
  const pieces = shuffled(PIECES).slice(0, 4 + pick(8));
  return [...shuffled(Object.values(TYPES)), ...tables, ...pieces].join(";\n");
}
