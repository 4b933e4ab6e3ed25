-- A place that is known by its name alone: who adds it, what it gets from the plan, and what a missing position, price
-- and week mean to searches, trips, suggestions, calendars and mails.
begin;
create extension if not exists pgtap with schema extensions;
select plan(36);

-- 1 hosts, 2 is a guest without an account, 3 is a stranger.
insert into auth.users (id, email, is_anonymous, raw_user_meta_data, aud, role)
select ('10000000-0000-4000-8000-00000000000' || at)::uuid, case when at <> 2 then at || '@names.test' end, at = 2,
  '{"display_name": "Somebody"}', 'authenticated', 'authenticated'
from generate_series(1, 3) as at;
update public.private_profiles set start_latitude = 38.7, start_longitude = -9.1
  where id = '10000000-0000-4000-8000-000000000001';

-- Runs a call as one of the three people: its result as text, or the error's code.
create function pg_temp.say(person integer, statement text) returns text language plpgsql as $$
declare
  outcome text;
begin
  perform set_config('request.jwt.claims', json_build_object(
    'sub', '10000000-0000-4000-8000-00000000000' || person, 'role', 'authenticated', 'aal', 'aal1')::text, true);
  perform set_config('role', 'authenticated', true);
  begin
    execute replace(statement, 'PLAN', coalesce(quote_literal(current_setting('test.plan', true)), 'null')) into outcome;
  exception when others then
    get stacked diagnostics outcome = pg_exception_detail;
    if sqlstate not like 'PT%' then
      outcome := sqlstate;
    end if;
  end;
  perform set_config('role', 'postgres', true);
  return outcome;
end $$;

select isnt(set_config('test.plan', pg_temp.say(1, $$select public.create_plan('Dinner', 'Europe/Lisbon',
  times => jsonb_build_array(jsonb_build_object('starts_at', now() + interval '3 days', 'ends_at', now() + interval '74 hours')),
  new_places => '[{"name": "  Casa Zimbro "}, {"name": "Tasca Zimbro"}]')$$), true), '', 'a plan begins with places by name');
insert into public.plan_members (plan_id, user_id)
  values (current_setting('test.plan')::uuid, '10000000-0000-4000-8000-000000000002');
select is(pg_temp.say(1, $$select string_agg(format('%s %s %s %s %s', p.name, p.time_zone, p.latitude, p.price, p.created_by = auth.uid()), ', ' order by p.name)
  from public.place_options as o join public.places as p on p.id = o.place_id where o.plan_id = PLAN$$),
  'Casa Zimbro Europe/Lisbon   t, Tasca Zimbro Europe/Lisbon   t', 'trimmed, on the clock of the plan, of the host');

select matches(pg_temp.say(2, $$select public.propose_named_place(PLAN, ' Pizzeria Zimbro ')$$), '^[0-9a-f-]{36}$', 'a guest without an account adds one');
select is(pg_temp.say(1, $$select p.name || (p.created_by = '10000000-0000-4000-8000-000000000002')
  from public.place_options as o join public.places as p on p.id = o.place_id
  where o.plan_id = PLAN and o.proposed_by = '10000000-0000-4000-8000-000000000002'$$), 'Pizzeria Zimbrotrue', 'the table reads it as the guest''s');
-- Its details come later, from anybody at the table; nobody else gives any, and only who added it lets everybody read it.
create function pg_temp.save(person integer, fields text, hours text default '[]') returns text language sql as
  $$select pg_temp.say(person, format('select public.save_place(%L, %L, %L)',
    '{"name": "Casa Zimbro", "time_zone": "Europe/Lisbon", ' || fields || '}', hours, current_setting('test.place')))$$;
select set_config('test.place', (select id::text from public.places where name = 'Casa Zimbro'), true);
select matches(pg_temp.save(2, '"address": "Rua 1", "latitude": 38.7, "longitude": -9.1, "price": 2',
  '[{"weekday": 1, "opens": "12:00", "closes": "22:00"}]'), '^[0-9a-f-]{36}$', 'a guest at the table gives address, position, price and hours');
select is(pg_temp.say(1, $$select p.address || p.price || (select count(*) from public.place_hours as h where h.place_id = p.id)
  from public.places as p where p.name = 'Casa Zimbro'$$), 'Rua 121', 'which the host reads');
select is(pg_temp.save(2, '"everybody": true'), '42501', 'not that everybody reads it');
select is(pg_temp.save(3, '"address": "x"'), '42501', 'a stranger gives none');
select matches(pg_temp.save(1, '"address": ""'), '^[0-9a-f-]{36}$', 'who added it still changes it');
select is(pg_temp.say(3, $$select count(*) from public.places where name like '%Zimbro'$$), '0', 'and reads nothing');
select is(pg_temp.say(2, $$select public.propose_named_place(PLAN, 'Zimbro at the bay', '{"address": "Quay 1", "latitude": 43.26, "longitude": -2.93, "time_zone": "Europe/Madrid"}')$$) <> ''
  and pg_temp.say(1, $$select p.address || p.latitude || p.longitude || p.time_zone || p.home from public.places as p where p.name = 'Zimbro at the bay'$$)
    = 'Quay 143.26-2.93Europe/Madridfalse', true, 'a link gives address, position and zone at once');
select matches(pg_temp.say(2, $$select public.propose_named_place(PLAN, 'At Zora''s', '{"home": true, "address": "Secret 1", "latitude": 43.26, "longitude": -2.93}')$$), '^[0-9a-f-]{36}$', 'a home');
select is(pg_temp.say(1, $$select p.home || p.address || coalesce(p.latitude, 0) || (select count(*) from public.place_homes) from public.places as p where p.name = 'At Zora''s'$$),
  'true00', 'whose address the host does not read before the decision');
select is(pg_temp.say(2, $$select h.address || h.latitude from public.place_homes as h$$), 'Secret 143.26', 'who added it does');
select pg_temp.say(2, $$select public.propose_named_place(PLAN, 'Home later', '{"home": true}')$$);
select is(pg_temp.say(1, $$select home from public.places where name = 'Home later'$$), 'true', 'a home whose address comes later');
delete from public.places where name in ('Zimbro at the bay', 'At Zora''s', 'Home later');
update public.places set latitude = null, longitude = null, price = null where name = 'Casa Zimbro';
delete from public.place_hours where place_id = (select id from public.places where name = 'Casa Zimbro');
select is(pg_temp.say(1, $$select public.propose_named_place(PLAN, 'PIZZERIA zimbro')$$), 'place_duplicate', 'one name stands on a plan once');
select is(pg_temp.say(1, $$select public.create_plan('Twice', 'UTC', new_places => '[{"name": "Zimbro"}, {"name": "zimbro"}]')$$), 'place_duplicate', 'nor does a new plan take it twice');
select is(pg_temp.say(2, $$select public.propose_named_place(PLAN, '  ')$$), '23514', 'a name is needed');
select is(pg_temp.say(2, $$select public.propose_named_place(PLAN, repeat('x', 81))$$), '23514', 'of at most eighty characters');
select is(pg_temp.say(3, $$select public.propose_named_place(PLAN, 'Mine')$$), 'plan_not_found', 'a stranger adds nothing');
select is(pg_temp.say(3, $$select count(*) from public.search_places('zimbro')$$), '0', 'and finds nothing');
update public.plans set guests_may_propose = false where id = current_setting('test.plan')::uuid;
select is(pg_temp.say(2, $$select public.propose_named_place(PLAN, 'Another')$$), 'not_allowed_to_propose', 'nor a guest where only the host suggests');
alter table public.plans disable trigger user;
update public.plans set guests_may_propose = true, vote_deadline = now() - interval '1 hour' where id = current_setting('test.plan')::uuid;
alter table public.plans enable trigger user;
select is(pg_temp.say(2, $$select public.propose_named_place(PLAN, 'Another')$$), 'voting_closed', 'nor after the deadline');
update public.plans set vote_deadline = null where id = current_setting('test.plan')::uuid;
select is(pg_temp.say(2, $$select count(*) from public.places where name = 'Another'$$), '0', 'what was refused leaves no place');
update private.limits set value = 1 where name = 'places_per_day';
select is(pg_temp.say(2, $$select public.propose_named_place(PLAN, 'Another')$$), 'too_many_new_places', 'as many a day as one person adds');
update private.limits set value = 30 where name = 'places_per_day';
update private.limits set value = 3 where name = 'place_options';
select is(pg_temp.say(2, $$select public.propose_named_place(PLAN, 'Another')$$), 'too_many_places', 'and as many as a plan holds');

select throws_ok($$update public.places set latitude = 1 where name = 'Casa Zimbro'$$, '23514', null, 'half a position is none');
select is(pg_temp.say(1, $$select count(*) from public.search_places('zimbro', max_price => 1)$$), '3', 'an unknown price is not above a limit');
select is(pg_temp.say(1, $$select count(*) from public.search_places('zimbro', latitude => 38.7, longitude => -9.1)$$), '3', 'an unknown position is the last of the near ones, not missing');
select is(pg_temp.say(1, $$select count(*) from public.search_places('zimbro', open_at => now())$$), '3', 'unknown hours are not closed');
select is(pg_temp.say(1, $$select count(*) from public.plan_trips(PLAN)$$), '0', 'nobody has a trip to it');
insert into public.places (id, name, latitude, longitude, time_zone, everybody) values
  ('30000000-0000-4000-8000-000000000001', 'Near', 38.7, -9.1, 'UTC', true);
select is(pg_temp.say(1, $$select string_agg(p.name, ',') from public.plan_candidates(PLAN) as c join public.places as p on p.id = c.place_id
  where p.name in ('Near', 'Far from anything known')$$), 'Near', 'suggestions are near the people who have set a start');
update public.private_profiles set start_latitude = null, start_longitude = null;
select is(pg_temp.say(1, $$select count(*) from public.plan_candidates(PLAN)$$), '0', 'without any position nothing is near');

select is(pg_temp.say(1, $$select public.confirm_plan(PLAN, t.id, p.id)::text
  from public.time_options as t join public.place_options as p on p.plan_id = t.plan_id
  join public.places as k on k.id = p.place_id and k.name = 'Pizzeria Zimbro' where t.plan_id = PLAN$$), '', 'it is chosen without hours');
select is(pg_temp.say(1, $$select (public.my_calendar(PLAN) -> 0) ->> 'place' || ' ' || jsonb_typeof(public.my_calendar(PLAN) -> 0 -> 'latitude')$$), 'Pizzeria Zimbro null', 'the calendar has its name');
insert into private.mail_recipients (address) values ('1@names.test') on conflict do nothing;
insert into private.outgoing_mail (plan_id, address, kind) values (current_setting('test.plan')::uuid, '1@names.test', 'plan_confirmed');
select is((select mail -> 'event' ->> 'place' from jsonb_array_elements(public.take_mail(100)) as mail
  where mail ->> 'plan_id' = current_setting('test.plan') limit 1), 'Pizzeria Zimbro', 'and so has the mail');

select * from finish();
rollback;
