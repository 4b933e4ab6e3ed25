-- A starting point of which only the city is known: no position, no trip, and nobody else reads it.
begin;
create extension if not exists pgtap with schema extensions;
select plan(8);

insert into auth.users (id, email, raw_user_meta_data, aud, role)
  select ('10000000-0000-4000-8000-00000000000' || n)::uuid, n || '@city.test', '{"display_name": "Kim"}', 'authenticated', 'authenticated'
  from generate_series(1, 2) as n;
insert into public.places (id, name, latitude, longitude, time_zone)
  values ('30000000-0000-4000-8000-000000000001', 'Kitchen', 51.3, 9.5, 'Europe/Berlin'),
    ('30000000-0000-4000-8000-000000000002', 'Friedrichsplatz', null, null, 'Europe/Berlin');
insert into public.plans (id, title, time_zone) values ('40000000-0000-4000-8000-000000000001', 'Plan', 'Europe/Berlin');
insert into public.plan_members (plan_id, user_id, role) values
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'host'),
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', 'guest');
insert into public.place_options (plan_id, place_id)
  select '40000000-0000-4000-8000-000000000001', id from public.places where name in ('Kitchen', 'Friedrichsplatz');
update public.private_profiles set start_latitude = 51.31, start_longitude = 9.49
  where id = '10000000-0000-4000-8000-000000000002';

set local role authenticated;
select set_config('request.jwt.claims', '{"sub": "10000000-0000-4000-8000-000000000001", "role": "authenticated", "aal": "aal1"}', true);
update public.private_profiles set start_city = 'Kassel' where id = '10000000-0000-4000-8000-000000000001';
select is((select start_city from public.private_profiles where id = '10000000-0000-4000-8000-000000000001'), 'Kassel',
  'a person stores the name of their city');
select is((select start_latitude from public.private_profiles where id = '10000000-0000-4000-8000-000000000001'), null,
  'which has no position');
select throws_ok($$update public.private_profiles set start_latitude = 51.3, start_longitude = 9.5
  where id = '10000000-0000-4000-8000-000000000001'$$, '23514', null, 'a start is a city or a position, not both');
select throws_ok($$update public.private_profiles set start_city = ' ' where id = '10000000-0000-4000-8000-000000000001'$$,
  '23514', null, 'a name has signs');
select is(array(select t.user_id from public.plan_trips('40000000-0000-4000-8000-000000000001') as t),
  '{10000000-0000-4000-8000-000000000002}', 'from a city no trip is estimated');
select is(array(select distinct t.place_id from public.plan_trips('40000000-0000-4000-8000-000000000001') as t),
  '{30000000-0000-4000-8000-000000000001}', 'nor to a place without a position');
update public.private_profiles set start_city = null, start_latitude = 51.3, start_longitude = 9.5
  where id = '10000000-0000-4000-8000-000000000001';
select is((select count(*) from public.plan_trips('40000000-0000-4000-8000-000000000001')), 2::bigint, 'a position replaces the city');
select set_config('request.jwt.claims', '{"sub": "10000000-0000-4000-8000-000000000002", "role": "authenticated", "aal": "aal1"}', true);
select is((select count(*) from public.private_profiles where id = '10000000-0000-4000-8000-000000000001'), 0::bigint,
  'nobody else reads it');

select * from finish();
rollback;
