-- A place at someone's home: its address is read by who added it, and by the people who are expected there from the
-- decision until it is over; by nobody else, by no way.
begin;
create extension if not exists pgtap with schema extensions;
select plan(37);

-- 1 hosts at home, 2 comes, 3 says no, 4 sits at no table, 5 is a guest without an account who hosts plan 2.
insert into auth.users (id, email, is_anonymous, raw_user_meta_data, aud, role)
select format('10000000-0000-4000-8000-%s', lpad(at::text, 12, '0'))::uuid, case when at < 5 then at || '@homes.test' end, at = 5,
  jsonb_build_object('display_name', 'P' || at), 'authenticated', 'authenticated' from generate_series(1, 5) as at;
update auth.users set email_confirmed_at = now() where email like '%@homes.test';
insert into public.circles (id, name) values ('20000000-0000-4000-8000-000000000001', 'Circle');
insert into public.circle_members (circle_id, user_id, role)
  values ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'owner');
insert into public.plans (id, title, time_zone)
  select format('40000000-0000-4000-8000-00000000000%s', at)::uuid, 'Plan ' || at, 'UTC' from generate_series(1, 2) as at;
insert into public.plan_members (plan_id, user_id, role) values
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'host'),
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', 'guest'),
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', 'guest'),
  ('40000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000005', 'host');
insert into public.time_options (id, plan_id, starts_at, ends_at) values
  ('50000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', now() + interval '5 hours', now() + interval '7 hours');

-- Runs a call as one of the people: its result as text, or the error's code. P1, T1 are ids of plans and times.
create function pg_temp.say(person integer, statement text) returns text language plpgsql as $$
declare
  outcome text;
begin
  perform set_config('request.jwt.claims', json_build_object(
    'sub', format('10000000-0000-4000-8000-%s', lpad(person::text, 12, '0')), 'role', 'authenticated')::text, true);
  perform set_config('role', 'authenticated', true);
  begin
    execute 'select ' || regexp_replace(regexp_replace(regexp_replace(statement,
      '\mP(\d)', '''40000000-0000-4000-8000-00000000000\1''', 'g'),
      '\mT(\d)', '''50000000-0000-4000-8000-00000000000\1''', 'g'),
      '\mO(\d)', '''60000000-0000-4000-8000-00000000000\1''', 'g') into outcome;
  exception when others then
    get stacked diagnostics outcome = pg_exception_detail;
    outcome := sqlstate || ' ' || case when sqlstate like 'PT%' then outcome else sqlerrm end;
  end;
  perform set_config('role', 'postgres', true);
  return outcome;
end $$;
-- What a person reads of the address, by each way: the table of homes, places, calendar, export, search.
create function pg_temp.reads(person integer) returns text language sql as $$
  select concat_ws(' ',
    case pg_temp.say(person, '(select string_agg(h.address, '''') from public.place_homes as h)') when 'Mill lane 3' then 'table' end,
    case when pg_temp.say(person, 'public.my_calendar()::text') like '%Mill lane%' then 'calendar' end,
    case when pg_temp.say(person, 'public.export_my_data()::text') like '%Mill lane%' then 'export' end,
    case when pg_temp.say(person, '(select string_agg(p::text, '''') from public.places as p)') like '%Mill lane%' then 'places' end,
    case when pg_temp.say(person, '(select count(*) from public.search_places(''Mill lane''))') <> '0' then 'search' end)
$$;
create function pg_temp.in_mails() returns text language sql as $$
  select string_agg(left(mail ->> 'address', 1), ' ' order by mail ->> 'address')
  from jsonb_array_elements(public.take_mail(100)) as mail where mail::text like '%Mill lane%'
$$;

select matches(pg_temp.say(1, 'public.propose_named_place(P1, ''At mine'')'), '^[0-9a-f-]{36}$', 'a place by its name');
create temporary table ids as select o.id as option, o.place_id as place from public.place_options as o
  where o.plan_id = '40000000-0000-4000-8000-000000000001';
create function pg_temp.home(person integer, statement text) returns text language sql as $$
  select pg_temp.say(person, replace(replace(statement, 'PLACE', quote_literal((select place from ids)) || '::uuid'),
    'OPTION', quote_literal((select option from ids)) || '::uuid'))
$$;
select is(pg_temp.home(2, 'public.save_home(PLACE, ''Elsewhere 1'')'), 'PT404 place_not_found', 'nobody says so of another person''s place');
select is(pg_temp.home(4, 'public.save_home(PLACE, ''Elsewhere 1'')'), 'PT404 place_not_found', 'a stranger learns nothing');
update public.places set phone = '+351 21 347', booking_url = 'https://book.test' where id = (select place from ids);
select is(pg_temp.home(1, 'public.save_home(PLACE, '' Mill lane 3 '', 38.7, -9.1)'), '', 'who added it says that it is their home');
select is((select p.phone || p.booking_url from public.places as p where p.id = (select place from ids)), '', 'phone and booking page are no more');
select throws_ok($$update public.places set phone = '+351 21 347' where id = (select place from ids)$$, '23514', null, 'a home has none');
select is((select concat(address, latitude, home) from public.places where id = (select place from ids)), 't', 'the place itself has no address');

-- Before the decision.
select is(pg_temp.reads(1), 'table export', 'who added it reads the address');
select is(pg_temp.reads(2), '', 'nobody else at the table does');
select is(pg_temp.reads(4), '', 'nor a stranger');
update public.private_profiles set start_latitude = 38.71, start_longitude = -9.14 where id = '10000000-0000-4000-8000-000000000002';
select is(pg_temp.say(2, '(select count(*) from public.plan_trips(P1))'), '0', 'there are no trips to it, which would locate it');
select matches(pg_temp.home(1, 'public.save_place(jsonb_build_object(''name'', ''At mine'', ''address'', ''Mill lane 3'', ''latitude'', 38.7,
  ''longitude'', -9.1, ''time_zone'', ''UTC'', ''everybody'', true), ''[]'', PLACE)'), '^[0-9a-f-]{36}$', 'its other details are saved');
select is((select concat(address, latitude, everybody) from public.places where id = (select place from ids)), 'f', 'which neither widens it nor brings the address back');

-- Only who added it takes it anywhere.
select is(pg_temp.home(5, 'public.propose_place(P2, PLACE)'), 'PT404 place_not_found', 'its id does not open it to a stranger');
insert into public.plan_members (plan_id, user_id) values ('40000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000002');
select is(pg_temp.home(2, 'public.propose_place(P2, PLACE)'), 'PT404 place_not_found', 'nor does somebody who knows it take it to another table');
select is(pg_temp.home(2, 'public.create_plan(''x'', ''UTC'', places => array[PLACE])'), 'PT404 place_not_found', 'or begin a plan there');
select is(pg_temp.say(2, '(select count(*) from public.search_places(''At mine''))'), '0', 'others do not find it to propose it');
select is(pg_temp.say(1, '(select count(*) from public.search_places(''At mine''))'), '1', 'who added it does');
create function pg_temp.put() returns text language plpgsql as $$
begin
  perform set_config('request.jwt.claims', '{"sub": "10000000-0000-4000-8000-000000000001", "role": "authenticated"}', true);
  perform set_config('role', 'authenticated', true);
  insert into public.circle_places (circle_id, place_id) select '20000000-0000-4000-8000-000000000001', o.place_id
    from public.place_options as o where o.plan_id = '40000000-0000-4000-8000-000000000001';
  return 'put';
exception when others then
  return sqlstate;
end $$;
select is(pg_temp.put(), '42501', 'no list of a circle takes it, not even from who added it');
select set_config('role', 'postgres', true);

-- A link tells that the table is at somebody's home, and neither its name nor its address.
insert into public.invites (plan_id, token_hash, expires_at, max_uses) values
  ('40000000-0000-4000-8000-000000000001', private.token_hash('home'), now() + interval '1 day', 5);
create function pg_temp.invited() returns text language plpgsql as $$
declare
  told text;
begin
  perform set_config('request.jwt.claims', '{"role":"anon"}', true);
  perform set_config('role', 'anon', true);
  select cardinality(i.times) || ' ' || array_to_string(i.places, ',', 'home') || ' ' || (i::text ~* 'mill lane')
    into told from public.preview_invite('home') as i;
  perform set_config('role', 'postgres', true);
  return told;
end $$;
select is(pg_temp.invited(), '1 home false', 'a link tells a home from a place, without name and address');
update public.plans set results_hidden = true where id = '40000000-0000-4000-8000-000000000001';
select is(pg_temp.invited(), '1  false', 'and no place where results are hidden');
update public.plans set results_hidden = false where id = '40000000-0000-4000-8000-000000000001';

-- The decision.
select is(pg_temp.say(2, 'public.cast_votes(P1, jsonb_build_object(T1, ''yes''))') || pg_temp.say(3, 'public.cast_votes(P1, jsonb_build_object(T1, ''no''))'), '', 'one can come, one cannot');
select is(pg_temp.home(1, 'public.confirm_plan(P1, T1, OPTION)'), '', 'the host decides');
select is(pg_temp.invited(), '0 home false', 'a link to a decided meal tells its place, and a home from one');
select is(pg_temp.reads(2), 'table calendar', 'who is expected reads the address');
select is(pg_temp.reads(3), '', 'who does not come does not');
select is(pg_temp.reads(1), 'table calendar export', 'who added it does');
update private.outgoing_mail set not_before = null;
select is((select count(*)::integer from private.outgoing_mail where plan_id = '40000000-0000-4000-8000-000000000001'), 3, 'all three get a mail');
select is(pg_temp.in_mails(), '1 2', 'which has it for these two alone');
select is(pg_temp.say(2, 'public.set_rsvp(P1, ''declined'')'), 'declined', 'who says no');
select is(pg_temp.reads(2), '', 'reads it no more');
select is(pg_temp.say(2, 'public.set_rsvp(P1, ''going'')'), 'going', 'who comes after all');
select is(pg_temp.reads(2), 'table calendar', 'does again');

-- Afterwards, and without the person.
update public.time_options set starts_at = now() - interval '9 hours', ends_at = now() - interval '7 hours'
  where plan_id = '40000000-0000-4000-8000-000000000001';
select is(pg_temp.reads(2), '', 'once it is over, they do not');
select is(pg_temp.reads(1), 'table calendar export', 'who added it still does');
insert into public.places (id, name, time_zone, everybody, created_by)
  values ('30000000-0000-4000-8000-000000000001', 'Shop', 'UTC', true, '10000000-0000-4000-8000-000000000004');
select is(pg_temp.say(4, 'public.save_home(''30000000-0000-4000-8000-000000000001'', ''Mill lane 4'')'), 'PT409 place_is_shared', 'a place that everybody finds is nobody''s home');
delete from auth.users where email = '1@homes.test';
select is((select count(*)::integer from public.place_homes where address = 'Mill lane 3'), 0, 'with the person the address goes');

select * from finish();
rollback;
