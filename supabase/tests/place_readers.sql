-- Who reads a place that is not everybody's: who added it, the tables that it is offered at, the circles that list it, and
-- who saved it while it was read. To everybody else its id opens nothing.
begin;
create extension if not exists pgtap with schema extensions;

insert into auth.users (id, email, raw_user_meta_data, aud, role)
select ('10000000-0000-4000-8000-00000000000' || at)::uuid, at || '@readers.test', '{"display_name": "Somebody"}',
  'authenticated', 'authenticated'
from generate_series(1, 3) as at;
insert into public.places (id, name, latitude, longitude, price, time_zone, created_by, everybody, created_at) values
  ('30000000-0000-4000-8000-000000000001', 'Zanzibar at mine', 38.7, -9.1, 1, 'UTC', '10000000-0000-4000-8000-000000000001', false, '2000-01-01'),
  ('30000000-0000-4000-8000-000000000002', 'Zanzibar for all', 38.7, -9.1, 1, 'UTC', null, true, '2000-01-02');
insert into public.place_hours (place_id, weekday, opens, closes)
  values ('30000000-0000-4000-8000-000000000001', 1, '12:00', '15:00');
insert into public.plans (id, title, time_zone) values
  ('40000000-0000-4000-8000-000000000001', 'Theirs', 'UTC'), ('40000000-0000-4000-8000-000000000002', 'Own', 'UTC');
insert into public.plan_members (plan_id, user_id, role) values
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'host'),
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', 'guest'),
  ('40000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000002', 'host');
insert into public.place_options (id, plan_id, place_id) values
  ('50000000-0000-4000-8000-000000000002', '40000000-0000-4000-8000-000000000002', '30000000-0000-4000-8000-000000000002');
insert into public.circles (id, name) values ('20000000-0000-4000-8000-000000000001', 'Circle');
insert into public.circle_members (circle_id, user_id, role) values
  ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'owner'),
  ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', 'member');

-- What a statement gives as this person: its value, or the error.
create function pg_temp.as_person(at integer, statement text) returns text language plpgsql as $$
declare
  result text;
begin
  perform set_config('request.jwt.claims', format(
    '{"sub":"10000000-0000-4000-8000-00000000000%s","role":"authenticated"}', at), true);
  perform set_config('role', 'authenticated', true);
  begin
    execute statement into result;
  exception when others then
    result := sqlerrm;
  end;
  perform set_config('role', 'postgres', true);
  return result;
end $$;

create temporary table ways (way text, statement text, stranger text, reader text);
insert into ways values
  ('by its id', $$select count(*) from public.places where id = '30000000-0000-4000-8000-000000000001'$$, '0', '1'),
  ('its hours', $$select count(*) from public.place_hours where place_id = '30000000-0000-4000-8000-000000000001'$$, '0', '1'),
  ('by a search', $$select string_agg(name, ', ' order by name) from public.search_places('zanzibar')$$, 'Zanzibar for all', 'Zanzibar at mine, Zanzibar for all'),
  ('saved', $$insert into public.saved_places (user_id, place_id) values (auth.uid(), '30000000-0000-4000-8000-000000000001') returning 'saved'$$, 'new row violates row-level security policy for table "saved_places"', 'saved');

select plan(20);
select is(pg_temp.as_person(2, statement), stranger, way || ': nothing for a stranger') from ways;
select is(pg_temp.as_person(2, $$select public.propose_place('40000000-0000-4000-8000-000000000002', '30000000-0000-4000-8000-000000000001')$$),
  'There is no such place.', 'a stranger cannot offer it at a table of their own');
select is(pg_temp.as_person(2, $$select public.create_plan('Mine', 'UTC', places => array['30000000-0000-4000-8000-000000000001'::uuid])$$),
  'There is no such place.', 'nor begin one with it');
select is(pg_temp.as_person(2, $$select public.say_diet('30000000-0000-4000-8000-000000000001', 'vegan', true)$$),
  'There is no such place.', 'nor say what is safe there');
select is(pg_temp.as_person(2, $$select count(*) from public.plan_candidates('40000000-0000-4000-8000-000000000002')
    where place_id = '30000000-0000-4000-8000-000000000001'$$), '0', 'it is no candidate for their plan');
select is(pg_temp.as_person(2, $$select count(*) from public.place_options where plan_id = public.start_sample_plan('Try', '', 'Hi')
    and place_id = '30000000-0000-4000-8000-000000000001'$$), '0', 'the oldest place of all is not on their sample table');
select is(pg_temp.as_person(2, $$select public.export_my_data()::text ~ 'Zanzibar at mine'$$), 'false', 'nor in their export');
select is(pg_temp.as_person(3, ways.statement), ways.stranger, ways.way || ': nothing for a friend before it is offered')
  from ways where way = 'by its id';
select is(pg_temp.as_person(1, ways.statement), ways.reader, ways.way || ': read by who added it') from ways where way = 'by its id';
select isnt(pg_temp.as_person(1, $$select public.propose_place('40000000-0000-4000-8000-000000000001', '30000000-0000-4000-8000-000000000001')$$),
  'There is no such place.', 'who added it offers it');
select is(pg_temp.as_person(3, statement), reader, way || ': read by the table') from ways;
delete from public.place_options where place_id = '30000000-0000-4000-8000-000000000001';
select is(pg_temp.as_person(3, ways.statement), '1', 'who saved it still reads it') from ways where way = 'by its id';
delete from public.saved_places;
select is(pg_temp.as_person(3, ways.statement), '0', 'and then nobody but who added it') from ways where way = 'by its id';
insert into public.circle_places (circle_id, place_id, put_by) values
  ('20000000-0000-4000-8000-000000000001', '30000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001');
select is(pg_temp.as_person(3, ways.statement), '1', 'a circle that lists it reads it') from ways where way = 'by its id';
select * from finish();
rollback;
