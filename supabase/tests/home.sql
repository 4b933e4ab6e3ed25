-- The cost of home depends on its page only: with 50,000 plans of strangers, neither its query nor the functions that
-- its policies call scan a large table, and the values of a row are computed for the rows of the page only.
-- coverage: off
begin;
create extension if not exists pgtap with schema extensions;

insert into auth.users (id, email, raw_user_meta_data, aud, role)
select ('10000000-0000-4000-8000-' || to_char(number, 'FM000000000000'))::uuid, number || '@home.test',
  '{"display_name": "Somebody"}', 'authenticated', 'authenticated'
from generate_series(1, 501) as number;

-- Rows inserted in bulk, without notifications and limits.
alter table public.plans disable trigger user;
alter table public.plan_members disable trigger user;
alter table public.time_options disable trigger user;
alter table public.place_options disable trigger user;
alter table public.time_votes disable trigger user;

-- 90 plans of the person: 30 upcoming, 30 in voting, 30 over. Strangers have 100 plans each.
create temporary table ids as
  select gen_random_uuid() as plan, gen_random_uuid() as time, gen_random_uuid() as option, number, number <= 90 as own,
    ('10000000-0000-4000-8000-' || to_char(case when number <= 90 then 1 else 2 + number % 500 end, 'FM000000000000'))::uuid
      as person
  from generate_series(1, 50090) as number;
grant select on ids to authenticated;
insert into public.places (id, name, latitude, longitude, price, time_zone, everybody)
  values ('30000000-0000-4000-8000-000000000001', 'Kitchen', 38.7, -9.1, 2, 'UTC', true);
insert into public.plans (id, title, time_zone, created_at)
  select plan, 'Plan ' || number, 'UTC', now() - make_interval(mins => number) from ids;
insert into public.plan_members (plan_id, user_id, role) select plan, person, 'host' from ids;
insert into public.time_options (id, plan_id, starts_at, ends_at)
  select time, plan, at, at + interval '2 hours' from (
    select *, now() + case number % 3 when 2 then interval '-2 days' else interval '1 day' end
      + make_interval(mins => number) as at from ids
  ) as i;
insert into public.place_options (id, plan_id, place_id)
  select option, plan, '30000000-0000-4000-8000-000000000001' from ids;
insert into public.time_votes (option_id, plan_id, user_id, answer) select time, plan, person, 'yes' from ids;
update public.plans as p set status = 'confirmed', chosen_time_id = i.time, chosen_place_id = i.option
  from ids as i where i.plan = p.id and i.number % 3 <> 0;
analyze public.plans, public.plan_members, public.time_options, public.place_options, public.time_votes, public.places;

-- The nodes of an executed query plan, one row each, with their descendants.
create function pg_temp.nodes(statement text) returns setof jsonb language plpgsql as $$
declare
  explained json;
begin
  perform set_config('request.jwt.claims',
    '{"sub":"10000000-0000-4000-8000-000000000001","role":"authenticated"}', true);
  if statement not like 'private.%' then
    perform set_config('role', 'authenticated', true);
  end if;
  execute 'explain (analyze, timing off, format json) '
    || case when statement like 'private.%'
      -- A function's own query, as its owner runs it.
      then (select regexp_replace(pg_get_function_sqlbody(p.oid), '^BEGIN ATOMIC|;\s*END$', '', 'g') from (
        select p.oid from pg_proc as p where p.oid = (statement || '()')::regprocedure) as p)
      else statement end
    into explained;
  perform set_config('role', 'postgres', true);
  return query select jsonb_path_query(explained::jsonb, '$.**.Plans[*]') union all select explained::jsonb -> 0 -> 'Plan';
end $$;
create function pg_temp.wholes(statement text) returns setof text language sql as $$
  select concat_ws(' ', node ->> 'Node Type', node ->> 'Relation Name', node ->> 'Index Name', node ->> 'Actual Rows')
  from pg_temp.nodes(statement) as node
  where node ->> 'Relation Name' in ('plans', 'plan_members', 'time_options', 'place_options', 'time_votes')
    and (node ->> 'Node Type' = 'Seq Scan' and (node ->> 'Actual Loops')::numeric > 0
      or (node ->> 'Actual Rows')::numeric * (node ->> 'Actual Loops')::numeric
        + coalesce((node ->> 'Rows Removed by Filter')::numeric, 0) > 1000)
$$;

create temporary table pages (name text, statement text);
insert into pages values
  ('the first page', $$select * from public.plan_cards order by section, position, id limit 31$$),
  ('a later page', $$select * from public.plan_cards
    where section > 1 or section = 1 and position > -1 or section = 1 and position = -1 and id > '30000000-0000-4000-8000-000000000001'
    order by section, position, id limit 31$$),
  ('a circle''s', $$select * from public.plan_cards where circle_id = '30000000-0000-4000-8000-000000000001'
    order by section, position, id limit 31$$);

create temporary table shown as select * from public.plan_cards where false;
grant all on shown to authenticated;
create function pg_temp.show() returns void language plpgsql as $$
begin
  perform set_config('request.jwt.claims',
    '{"sub":"10000000-0000-4000-8000-000000000001","role":"authenticated"}', true);
  perform set_config('role', 'authenticated', true);
  insert into shown select * from public.plan_cards;
  perform set_config('role', 'postgres', true);
end $$;
select pg_temp.show();

select plan((select count(*)::integer * 2 from pages) + 7);
select is_empty(format('select pg_temp.wholes(%L)', statement), name || ' reads no large table from end to end') from pages;
select cmp_ok(
  (select max((node ->> 'Actual Loops')::numeric) from pg_temp.nodes(statement) as node
    where node ->> 'Parent Relationship' = 'SubPlan'), '<=', 31 * 1::numeric,
  name || ' makes no more rows than it shows') from pages;

-- EXPLAIN does not show the functions that policies call, so their queries are explained separately.
select is_empty(format('select pg_temp.wholes(%L)', function), function || ' reads no large table from end to end')
from unnest(array['private.my_plan_ids', 'private.open_result_plan_ids', 'private.known_people']) as function;

select is((select count(*)::integer from shown), 90, 'one''s own plans, and no others');
select is(
  (select array_agg(distinct (section, status, ends_at > now())::text order by (section, status, ends_at > now())::text) from shown),
  array['(0,confirmed,t)', '(1,polling,)', '(2,confirmed,f)'], 'to come, in voting, over');
select results_eq(
  $$select id from shown order by section, position, id$$,
  $$select id from shown order by section, case when section = 0 then starts_at end, case when section = 1 then created_at end desc,
    starts_at desc$$,
  'the next meal first, then the newest vote, then the latest meal');
select is(
  (select people - 'user_id' from (select people -> 0 as people, section from shown order by section desc, id limit 1) as s),
  '{"role": "host", "rsvp": "pending", "answer": "yes", "place_answer": null, "answered": false, "arrival": null, "avatar_path": null, "display_name": "Somebody", "plus_ones": 0, "yes": 1}'::jsonb,
  'a person as the table is drawn with them');

select * from finish();
rollback;
