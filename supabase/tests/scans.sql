-- The cost of the app's queries depends on the person's own plans only: no query of the app scans a large table, nor do
-- its policies and the functions that it calls.
-- coverage: off
begin;
create extension if not exists pgtap with schema extensions;

insert into auth.users (id, email, raw_user_meta_data, aud, role)
select ('10000000-0000-4000-8000-' || to_char(number, 'FM000000000000'))::uuid, number || '@scans.test',
  '{"display_name": "Somebody"}', 'authenticated', 'authenticated'
from generate_series(1, 301) as number;

-- Three plans of the person among 3000 of 300 strangers.
create temporary table ids as
  select gen_random_uuid() as plan, gen_random_uuid() as time, number,
    ('10000000-0000-4000-8000-'
      || to_char(case when number <= 3 then 1 else 2 + number % 300 end, 'FM000000000000'))::uuid as person
  from generate_series(1, 3003) as number;
grant select on ids to authenticated;
insert into public.plans (id, title, time_zone) select plan, 'Plan', 'UTC' from ids;
insert into public.plan_members (plan_id, user_id, role) select plan, person, 'host' from ids;
insert into public.time_options (id, plan_id, starts_at, ends_at)
  select time, plan, now() + interval '1 day', now() + interval '25 hours' from ids;
insert into public.time_votes (option_id, plan_id, user_id, answer) select time, plan, person, 'yes' from ids;
insert into public.messages (plan_id, author_id, client_id, body)
  select plan, person, gen_random_uuid(), 'Hello' from ids;
insert into public.places (name, about, time_zone, everybody)
  select 'Place ' || number, 'In street ' || number * 7, 'UTC', true from generate_series(1, 3000) as number;
analyze public.places, public.plans, public.plan_members, public.plan_channels, public.time_options, public.time_votes,
  public.messages;

-- The rows of large tables that a statement of the person reads by a sequential scan.
create function pg_temp.scanned(statement text) returns bigint language plpgsql as $$
declare
  large text[] := '{places,plans,plan_members,plan_channels,time_options,time_votes,messages}';
  before bigint := (select sum(seq_tup_read) from pg_stat_xact_user_tables where relname = any (large));
begin
  perform set_config('request.jwt.claims',
    '{"sub":"10000000-0000-4000-8000-000000000001","role":"authenticated"}', true);
  perform set_config('role', 'authenticated', true);
  execute statement;
  perform set_config('role', 'postgres', true);
  return (select sum(seq_tup_read) from pg_stat_xact_user_tables where relname = any (large)) - before;
end $$;

create temporary table queries (name text, statement text);
insert into queries values
  ('home', $$select * from public.plan_cards order by section, position, id limit 31$$),
  ('one plan', $$select * from public.plans as p
    left join lateral (select epoch, revision from public.plan_channels where plan_id = p.id) as live on true
    left join lateral (select json_agg(m) from (select m.user_id, w.display_name from public.plan_members as m
      left join public.profiles as w on w.id = m.user_id where plan_id = p.id) as m) as members on true
    where p.id = (select plan from ids where number = 1)$$),
  ('votes of a plan', $$select * from public.time_votes where plan_id = (select plan from ids where number = 1)$$),
  ('a conversation', $$select * from public.messages where plan_id = (select plan from ids where number = 1)
    order by revision desc limit 50$$),
  ('photos of places', $$select * from public.place_photos order by newest_at desc limit 1000$$),
  ('what is unread', $$select * from public.unread_counts()$$),
  ('people one knows', $$select id, display_name from public.profiles$$),
  ('withdrawing a time', $$delete from public.time_options where id = (select time from ids where number = 2)$$),
  ('editing a plan', $$update public.plans set title = 'New' where id = (select plan from ids where number = 1)$$),
  ('saying something', $$insert into public.messages (plan_id, author_id, client_id, body)
    select plan, '10000000-0000-4000-8000-000000000001', gen_random_uuid(), 'x' from ids where number = 1$$),
  ('voting', $$select public.cast_votes((select plan from ids where number = 1),
    (select jsonb_build_object(time, 'no') from ids where number = 1))$$),
  ('joining a channel', $$select private.is_live_topic('plan:' || (select plan from ids where number = 1) || ':0')$$);

-- The steps of a statement's plan that look up an array of ids by an index. Each sorts the array again each time it
-- runs, so a step that runs for each row of a list would cost as much as the person has plans.
create function pg_temp.array_steps(statement text) returns integer language plpgsql as $$
declare
  line text;
  steps integer := 0;
begin
  perform set_config('role', 'authenticated', true);
  for line in execute 'explain (costs off) ' || statement loop
    if line like '%Index Cond:%= ANY%' then steps := steps + 1; end if;
  end loop;
  perform set_config('role', 'postgres', true);
  return steps;
end $$;

select plan((select count(*)::integer + 2 from queries));
select cmp_ok(pg_temp.scanned(statement), '<', 100::bigint, name) from queries;
select is(pg_temp.array_steps((select statement from queries where name = 'home')), 1,
  'home looks its plans up once, and nothing of theirs by all of them');

-- Three thousand short texts are read sooner than an index of their parts, a hundred thousand are not.
set local enable_seqscan = off;
select is(pg_temp.scanned($$select id from public.search_places('plaice 1234')$$), 0::bigint, 'searching places goes by indexes');

select * from finish();
rollback;
