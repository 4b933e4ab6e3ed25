-- Effects and errors of the functions: a plan from its creation to its cancellation, seats and the waitlist,
-- invites, hidden results, limits; and who may receive and send broadcasts and change files.
begin;
create extension if not exists pgtap with schema extensions;
select plan(50);

insert into auth.users (id, email, is_anonymous, raw_user_meta_data, aud, role)
select person.id::uuid, person.email, person.guest, jsonb_build_object('display_name', person.name), 'authenticated', 'authenticated'
from (values
  ('10000000-0000-4000-8000-000000000001', 'host@transitions.test', false, 'Hedda Host'),
  ('10000000-0000-4000-8000-000000000002', 'mia@transitions.test', false, 'Mia'),
  ('10000000-0000-4000-8000-000000000003', null, true, '   '),
  ('10000000-0000-4000-8000-000000000004', 'stranger@transitions.test', false, 'Stranger')
) as person (id, email, guest, name);
insert into public.places (id, name, latitude, longitude, price, time_zone, everybody) values
  ('30000000-0000-4000-8000-000000000001', 'Monday lunch only', 38.7, -9.1, 2, 'Europe/Lisbon', true),
  ('30000000-0000-4000-8000-000000000002', 'Hours unknown', 38.7, -9.1, 2, 'Europe/Lisbon', true);
insert into public.place_hours (place_id, weekday, opens, closes) values
  ('30000000-0000-4000-8000-000000000001', 1, '12:00', '12:20');

-- Runs an expression as a person: its value, or "status code" of the error. Its changes are kept.
create function pg_temp.say(person text, expression text) returns text
  language plpgsql as $$
declare
  value text;
  detail text;
begin
  perform set_config('request.jwt.claims', json_build_object(
    'sub', ('{"host": "10000000-0000-4000-8000-000000000001", "mia": "10000000-0000-4000-8000-000000000002", "guest": "10000000-0000-4000-8000-000000000003", "stranger": "10000000-0000-4000-8000-000000000004"}'::json) ->> person,
    'role', 'authenticated')::text, true);
  perform set_config('role', case when person = 'anon' then 'anon' else 'authenticated' end, true);
  begin
    execute 'select (' || expression || ')::text' into value;
  exception when others then
    get stacked diagnostics detail = pg_exception_detail;
    value := sqlstate || ' ' || case when sqlstate like 'PT%' then detail else '' end;
  end;
  perform set_config('role', 'postgres', true);
  return btrim(value);
end $$;

-- Profiles
select is((select display_name from public.profiles where id = '10000000-0000-4000-8000-000000000003'), 'Guest', 'a guest without a name is called Guest');
select is((select is_guest from public.profiles where id = '10000000-0000-4000-8000-000000000003'), true, 'an anonymous user is a guest');
update auth.users set is_anonymous = false where id = '10000000-0000-4000-8000-000000000004';
select is(pg_temp.say('guest', $$public.create_circle('x')$$), 'PT403 needs_account', 'a guest cannot start a circle');

-- A plan
create temporary table ids (name text primary key, id text);
insert into ids values ('plan', pg_temp.say('host', $$public.create_plan('Dinner', 'Europe/Lisbon',
  times => jsonb_build_array(jsonb_build_object('starts_at', now() + interval '3 days', 'ends_at', now() + interval '3 days 2 hours')),
  places => array['30000000-0000-4000-8000-000000000001', '30000000-0000-4000-8000-000000000002']::uuid[],
  people => array['10000000-0000-4000-8000-000000000004']::uuid[], capacity => 2)$$));
create function pg_temp.plan() returns text language sql as $$ select quote_literal((select id from ids where name = 'plan')) || '::uuid' $$;
create function pg_temp.time() returns text language sql as $$ select quote_literal((select id from public.time_options where plan_id::text = (select id from ids where name = 'plan') order by starts_at limit 1)) || '::uuid' $$;
create function pg_temp.place(place text) returns text language sql as $$ select quote_literal((select id from public.place_options where plan_id::text = (select id from ids where name = 'plan') and place_id::text like '%' || place)) || '::uuid' $$;

select is((select count(*)::integer from public.plan_members where plan_id::text = (select id from ids where name = 'plan')), 1, 'people one does not know are not seated');
select is(pg_temp.say('host', $$public.create_plan('x', 'Nowhere/Land')$$), '23514', 'a time zone that does not exist is refused');
select is(pg_temp.say('host', format('public.propose_time(%s, now() - interval ''1 hour'', now())', pg_temp.plan())), 'PT400 time_in_past', 'a time in the past is refused');
select is(pg_temp.say('host', format('public.propose_time(%s, now() + interval ''181 days'', now() + interval ''181 days 1 hour'')', pg_temp.plan())), 'PT400 time_too_far', 'a time over 180 days away is refused');
select is(pg_temp.say('host', format('public.propose_time(%s, now() + interval ''1 day'', now() + interval ''1 day 14 minutes'')', pg_temp.plan())), 'PT400 time_bad_length', 'a meal under 15 minutes is refused');
select is(pg_temp.say('host', format('public.propose_place(%s, ''30000000-0000-4000-8000-000000000001'')', pg_temp.plan())), 'PT409 place_duplicate', 'a place is on a plan once');
select is(pg_temp.say('host', format('public.propose_place(%s, gen_random_uuid())', pg_temp.plan())), 'PT404 place_not_found', 'a place must exist');

-- Invites
insert into ids values ('token', pg_temp.say('host', format('(select token from public.create_invite(%s, uses => 2))', pg_temp.plan())));
create function pg_temp.token() returns text language sql as $$ select quote_literal((select id from ids where name = 'token')) $$;
select is(pg_temp.say('anon', format('(select (title, host_name, people) from public.preview_invite(%s))', pg_temp.token())), '(Dinner,Hedda,1)', 'signed out, a link tells title, first name and count');
select is(pg_temp.say('anon', format('(select target from public.preview_invite(%s))', pg_temp.token())), null, 'and not which plan it is');
select is(pg_temp.say('anon', format('(select (cardinality(times), cardinality(places)) from public.preview_invite(%s))', pg_temp.token())),
  (select format('(%s,%s)', count(distinct t.id), count(distinct o.id)) from public.plans as p
    left join public.time_options as t on t.plan_id = p.id left join public.place_options as o on o.plan_id = p.id
    where p.title = 'Dinner'), 'it tells the times and places of the vote');
select is(pg_temp.say('anon', $$(select title from public.preview_invite('wrong'))$$), 'PT404 invite_not_found', 'a wrong token leads nowhere');
select is(pg_temp.say('anon', format('(select target from public.accept_invite(%s))', pg_temp.token())), '42501', 'signed out, nobody takes a seat');
select is(pg_temp.say('guest', format('(select kind from public.accept_invite(%s))', pg_temp.token())), 'plan', 'a guest takes a seat');
select is(pg_temp.say('guest', format('(select kind from public.accept_invite(%s))', pg_temp.token())), 'plan', 'twice is once');
select is(pg_temp.say('mia', format('(select kind from public.accept_invite(%s))', pg_temp.token())), 'plan', 'the second use');
select is(pg_temp.say('stranger', format('(select kind from public.accept_invite(%s))', pg_temp.token())), 'PT410 invite_used_up', 'there is no third');
select is(pg_temp.say('mia', format('(select token from public.create_invite(%s))', pg_temp.plan())), 'PT403 not_host', 'only a host invites');
update public.invites set max_uses = 20, expires_at = now() - interval '1 minute';
select is(pg_temp.say('stranger', format('(select kind from public.accept_invite(%s))', pg_temp.token())), 'PT410 invite_expired', 'a link ends');

-- Votes
select is(pg_temp.say('stranger', format('public.cast_votes(%s)', pg_temp.plan())), 'PT404 plan_not_found', 'a stranger learns nothing, not even that the plan exists');
select is(pg_temp.say('mia', format('public.cast_votes(%s, jsonb_build_object(%s, ''if_need_be''))', pg_temp.plan(), pg_temp.time())), '', 'a vote is cast');
select is(pg_temp.say('mia', format('public.cast_votes(%s, jsonb_build_object(gen_random_uuid(), ''yes''))', pg_temp.plan())), 'PT404 option_not_found', 'only for what is on the plan');
update public.plans set results_hidden = true where id::text = (select id from ids where name = 'plan');
select is(pg_temp.say('guest', $$(select count(*) from public.time_votes)$$), '0', 'hidden results are hidden from who has not voted');
select is(pg_temp.say('guest', format('public.cast_votes(%s, jsonb_build_object(%s, ''no''))', pg_temp.plan(), pg_temp.time())), '', 'then one votes');
select is(pg_temp.say('guest', $$(select count(*) from public.time_votes)$$), '2', 'and sees them');
select is(pg_temp.say('guest', format('public.cast_votes(%s, jsonb_build_object(%s, null))', pg_temp.plan(), pg_temp.time())), '', 'an answer can be taken back');
select is((select count(*)::integer from public.time_votes where plan_id::text = (select id from ids where name = 'plan')), 1, 'which leaves silence, not a no');

-- Confirming
select is(pg_temp.say('mia', format('public.confirm_plan(%s, %s, %s)', pg_temp.plan(), pg_temp.time(), pg_temp.place('02'))), 'PT403 not_host', 'a guest does not confirm');
select is(pg_temp.say('host', format('public.confirm_plan(%s, %s, %s)', pg_temp.plan(), pg_temp.time(), pg_temp.place('01'))), 'PT409 place_closed', 'a place that is known to be closed is refused');
select is(pg_temp.say('host', format('public.confirm_plan(%s, %s, %s)', pg_temp.plan(), pg_temp.time(), pg_temp.place('02'))), '', 'one whose hours are unknown is not');
select is(pg_temp.say('mia', format('public.cast_votes(%s, jsonb_build_object(%s, ''no''))', pg_temp.plan(), pg_temp.time())), 'PT409 plan_not_polling', 'then voting is over');
select is((select count(*)::integer from public.notifications where kind = 'plan_confirmed'), 2, 'and the others are told');

-- Seats: two, of which the host has one
select is(pg_temp.say('guest', format('public.set_rsvp(%s, ''going'', 1)', pg_temp.plan())), 'waitlisted', 'two do not fit on one seat');
select is(pg_temp.say('mia', format('public.set_rsvp(%s, ''going'')', pg_temp.plan())), 'waitlisted', 'nobody overtakes the line');
select is(pg_temp.say('guest', format('public.set_rsvp(%s, ''declined'')', pg_temp.plan())), 'declined', 'the first in line gives up');
select is((select rsvp::text from public.plan_members where user_id = '10000000-0000-4000-8000-000000000002'), 'going', 'and the next one is seated');
select is((select count(*)::integer from public.notifications where kind = 'seat_freed'), 1, 'and told');
select is(pg_temp.say('host', format('public.mark_arrival(%s, ''arrived'')', pg_temp.plan())), 'PT409 not_the_day', 'the arrival board opens on the day');
select is(pg_temp.say('mia', format('public.call_to_table(%s, ''In'')', pg_temp.plan())), 'PT403 not_host', 'only a host says that the table is ready');
select is(pg_temp.say('host', format('public.call_to_table(%s, ''In'')', pg_temp.plan())), 'PT409 not_the_day', 'and on the day');
update public.plans set ready_at = now() where id::text = (select id from ids where name = 'plan');
select is(pg_temp.say('host', format('public.rate_plan(%s, 5)', pg_temp.plan())), 'PT409 plan_not_done', 'ratings open after it');

-- Reopened, cancelled and restored
select is(pg_temp.say('host', format('public.reopen_plan(%s)', pg_temp.plan())), '', 'a host reopens');
select is((select ready_at from public.plans where id::text = (select id from ids where name = 'plan')), null, 'a table that is chosen anew is not ready');
select is((select string_agg(distinct rsvp::text, ' ' order by rsvp::text) from public.plan_members where plan_id::text = (select id from ids where name = 'plan')), 'declined pending', 'who said yes is asked again, a no stays a no');
select is(pg_temp.say('host', format('concat(public.cancel_plan(%1$s), public.restore_plan(%1$s), (select status from public.plans where id = %1$s))', pg_temp.plan())), 'polling', 'cancelled and restored is where it was');

-- The live channel and files
create function pg_temp.topic(person text, topic text) returns text language plpgsql as $$
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (topic, extension) values (topic, 'broadcast');
  return pg_temp.say(person, $q$(select count(*) > 0 from realtime.messages where extension = 'broadcast')$q$);
end $$;
select is(pg_temp.topic('mia', 'plan:' || (select id from ids where name = 'plan') || ':0'), 'true', 'the table listens');
select is(pg_temp.topic('stranger', 'plan:' || (select id from ids where name = 'plan') || ':0'), 'false', 'a stranger does not');
select is(pg_temp.topic('mia', 'plan:nonsense'), 'false', 'nor does anyone on a topic that is no plan');

select * from finish();
rollback;
