-- What the states of people make of a plan: who has a seat, who is told and reminded, and what a change begins again.
begin;
create extension if not exists pgtap with schema extensions;
select plan(48);

-- 1 hosts a table of six; 2 to 9 say yes; 10 says if need be, 11 no, 12 nothing.
insert into auth.users (id, email, raw_user_meta_data, aud, role)
select format('10000000-0000-4000-8000-%s', lpad(at::text, 12, '0'))::uuid, at || '@state.test',
  jsonb_build_object('display_name', 'P' || at), 'authenticated', 'authenticated' from generate_series(1, 12) as at;
update auth.users set email_confirmed_at = now() where email like '%@state.test';
insert into public.places (id, name, time_zone, everybody) values ('30000000-0000-4000-8000-000000000001', 'Momo', 'UTC', true);
insert into public.plans (id, title, time_zone, capacity) values ('40000000-0000-4000-8000-000000000001', 'Dinner', 'UTC', 6);
insert into public.plan_members (plan_id, user_id, role)
select '40000000-0000-4000-8000-000000000001', format('10000000-0000-4000-8000-%s', lpad(at::text, 12, '0'))::uuid,
  case at when 1 then 'host' else 'guest' end::public.plan_role from generate_series(1, 12) as at;
insert into public.time_options (id, plan_id, starts_at, ends_at) values
  ('50000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', now() + interval '5 hours', now() + interval '7 hours'),
  ('50000000-0000-4000-8000-000000000002', '40000000-0000-4000-8000-000000000001', now() + interval '30 hours', now() + interval '32 hours');
insert into public.place_options (id, plan_id, place_id) values
  ('60000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', '30000000-0000-4000-8000-000000000001');

-- Runs a call as one of the people: its result as text, or the error's code. P1, T1, O1 are ids of plan, times, place.
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
    if sqlstate not like 'PT%' then
      outcome := sqlstate || ' ' || sqlerrm;
    end if;
  end;
  perform set_config('role', 'postgres', true);
  return outcome;
end $$;
create function pg_temp.vote(person integer, answer text) returns text language sql as
  $$ select pg_temp.say(person, format('public.cast_votes(P1, jsonb_build_object(T1, %L))', answer)) $$;
-- The people of each state, in the order of their numbers.
create function pg_temp.states() returns text language sql as $$
  select string_agg(state || ' ' || people, ', ' order by state) from (
    select who.state, string_agg(ltrim(right(who.user_id::text, 2), '0'), ' ' order by who.user_id) as people
    from private.plan_people('40000000-0000-4000-8000-000000000001') as who group by who.state
  ) as states
$$;

select is(pg_temp.states(), 'asked 1 2 3 4 5 6 7 8 9 10 11 12', 'at first everybody is asked');
select is(pg_temp.say(12, $$public.cast_votes(P1, '{}', jsonb_build_object(O1, 'yes'))$$), '', 'an answer to a place');
select is(pg_temp.states(), 'asked 1 2 3 4 5 6 7 8 9 10 11, voted 12', 'counts as an answer');
select is(pg_temp.say(12, $$public.cast_votes(P1, '{}', jsonb_build_object(O1, null))$$), '', 'and when it is taken back');
select is(pg_temp.states(), 'asked 1 2 3 4 5 6 7 8 9 10 11 12', 'it counts no more');

-- 9 says yes first, then no, then yes again: the first yes counts.
select is((select string_agg(pg_temp.vote(person, answer), '' order by number) from unnest(
  array[9, 2, 3, 4, 5, 6, 7, 8, 10, 11, 9, 9], array['yes', 'yes', 'yes', 'yes', 'yes', 'yes', 'yes', 'yes', 'if_need_be', 'no', 'no', 'yes']
) with ordinality as vote (person, answer, number)), '', 'the table votes');
-- What waits for whom: nobody reads it but the person.
create function pg_temp.next(person integer) returns text language sql as
  $$ select pg_temp.say(person, 'next from public.plan_cards where id = P1') $$;
select is(pg_temp.next(12) || ' ' || pg_temp.next(2), 'times places', 'a question is open for who has answered none of its options');
select is(pg_temp.say(2, 'private.my_next_step(P1)') || ' ' || pg_temp.say(2, 'count(*) from private.plan_next(P1)'),
  'places 42501 permission denied for function plan_next', 'each person reads what waits for them, and nothing of the others');
select is(pg_temp.say(1, 'public.nudge_voters(P1)'), '11', 'who has a question open is asked to vote');
select is((select string_agg(coalesce(pg_temp.say(person, $$public.cast_votes(P1, '{}', jsonb_build_object(O1, 'yes'))$$), 'refused'), '')
  from generate_series(2, 11) as person), '', 'the guests answer the place');
select is(pg_temp.next(2), 'diet', 'then what they eat is asked of who has neither said it nor skipped the question');
update public.private_profiles set asked_at = now() where id::text like '10000000-0000-4000-8000-%';
select is(pg_temp.next(2), null, 'nothing is left to answer for who has answered one of each');
select is(pg_temp.say(12, 'public.set_rsvp(P1, ''maybe'')') || pg_temp.next(12), 'maybetimes', 'a word about coming answers no time');
select is((select count(*) from public.notifications where kind = 'everybody_answered'), 0::bigint, 'as long as a question is open nobody hears that everybody has answered');
select is(pg_temp.say(12, 'public.set_rsvp(P1, ''declined'')') || pg_temp.next(1), 'declinedtimes', 'who says no to the plan has no question open, the host has one');
select is(pg_temp.say(1, $$public.cast_votes(P1, jsonb_build_object(T2, 'yes'), jsonb_build_object(O1, 'yes'))$$) || pg_temp.next(1), 'decide', 'and then the host decides');
select is(pg_temp.say(1, $$public.cast_votes(P1, jsonb_build_object(T2, null), jsonb_build_object(O1, null))$$)
  || pg_temp.say(12, 'public.set_rsvp(P1, ''pending'')')
  || (select coalesce(string_agg(pg_temp.say(person, $$public.cast_votes(P1, '{}', jsonb_build_object(O1, null))$$), ''), '')
    from generate_series(2, 11) as person), 'pending', 'answers to the place are taken back');
select is(pg_temp.say(1, 'public.confirm_plan(P1, T1)'), '', 'the host decides the time');
select is(pg_temp.states(), 'asked 12, expected 1 2 3 4 5 9, maybe 10, waitlisted 6 7 8, not_coming 11',
  'seats go to the host and to the first five who said yes');
select is(pg_temp.say(12, 'public.set_rsvp(P1, ''going'')'), 'waitlisted', 'who says yes later waits');
select is(pg_temp.say(2, 'public.set_rsvp(P1, ''going'', 1)'), 'no_seat_free', 'a seated party does not grow at a full table');
select is(pg_temp.say(2, 'public.set_rsvp(P1, ''going'')'), 'going', 'who is expected by a vote may say so');
select is(pg_temp.say(3, 'public.set_rsvp(P1, ''declined'')'), 'declined', 'who is expected by a vote may say no');
select is(pg_temp.states(), 'expected 1 2 4 5 6 9, maybe 10, waitlisted 7 8 12, not_coming 3 11', 'the next in line is seated');
create function pg_temp.told() returns text language sql as $$
  select string_agg(format('%s of %s', right(user_id::text, 2)::integer, right(actor_id::text, 2)::integer), ', ' order by actor_id)
  from public.notifications where kind = 'not_coming'
$$;
select is(pg_temp.told(), '1 of 3', 'the host is told, but not of who said no before the decision');
select is(pg_temp.say(4, 'public.remove_member(P1, ''10000000-0000-4000-8000-000000000004'')'), '', 'who was expected by a vote leaves');
select is(pg_temp.states(), 'expected 1 2 5 6 7 9, maybe 10, waitlisted 8 12, not_coming 3 11', 'and the next one is seated');
select is(pg_temp.told(), '1 of 3, 1 of 4', 'and the host is told');

-- The day.
select is(pg_temp.say(5, 'public.mark_arrival(P1, ''arrived'')'), '', 'somebody arrives');
select is(pg_temp.say(5, 'public.mark_arrival(P1, ''on_the_way'')'), 'arrival_backwards', 'a late message does not make them leave');
select is(pg_temp.say(5, 'public.mark_arrival(P1, ''not_left'')'), '', 'who tapped by mistake takes it back');
select is(pg_temp.say(6, 'public.mark_arrival(P1, ''on_the_way'')') || pg_temp.say(6, 'public.set_rsvp(P1, ''declined'')'), 'declined',
  'who says no on the way');
select is(pg_temp.states(), 'expected 1 2 5 7 8 9, maybe 10, waitlisted 12, not_coming 3 6 11', 'does not come');

-- Another time: a new round.
select is(pg_temp.say(1, 'public.change_choice(P1, T1, T2)'), '', 'the host changes the time');
select is(pg_temp.states(), 'asked 2 5 7 8 9 10 11 12, expected 1, not_coming 3 6', 'earlier votes and answers count no more, a no stays a no');
select is(pg_temp.say(3, 'public.set_rsvp(P1, ''going'')') || ' ' || pg_temp.told(), 'going 1 of 4, 1 of 6', 'who comes after all is no longer told as not coming');
select is(pg_temp.say(1, 'public.cancel_plan(P1)') || pg_temp.states(), 'not_coming 1 2 3 5 6 7 8 9 10 11 12', 'a cancelled plan counts nobody');

-- What hosts do beside deciding, and the conversation. 1 hosts, 2 hears by mail at first.
insert into public.places (id, name, time_zone, everybody, phone) values ('30000000-0000-4000-8000-000000000002', 'Bao', 'UTC', true, '+351 21 123');
insert into public.plans (id, title, time_zone) values ('40000000-0000-4000-8000-000000000002', 'Lunch', 'UTC');
insert into public.plan_members (plan_id, user_id, role, joined_at)
select '40000000-0000-4000-8000-000000000002', format('10000000-0000-4000-8000-00000000000%s', at)::uuid,
  case at when 1 then 'host' else 'guest' end::public.plan_role, now() - interval '1 hour' from generate_series(1, 2) as at;
insert into public.time_options (id, plan_id, starts_at, ends_at) values
  ('50000000-0000-4000-8000-000000000003', '40000000-0000-4000-8000-000000000002', now() + interval '30 hours', now() + interval '32 hours');
insert into public.place_options (id, plan_id, place_id) values
  ('60000000-0000-4000-8000-000000000002', '40000000-0000-4000-8000-000000000002', '30000000-0000-4000-8000-000000000002');
create function pg_temp.lunch(person integer) returns text language sql as
  $$ select pg_temp.say(person, 'next from public.plan_cards where id = P2') $$;
create function pg_temp.answers(person integer) returns text language sql as
  $$ select pg_temp.say(person, $call$public.cast_votes(P2, jsonb_build_object(T3, 'yes'), jsonb_build_object(O2, 'yes'))$call$) $$;
select is(pg_temp.answers(1) || coalesce(pg_temp.lunch(1), 'nothing'), 'nothing', 'a host waits for who is reminded by mail');
update public.private_profiles set mail_reminders = false where id::text like '10000000-0000-4000-8000-00000000000_';
select is(pg_temp.lunch(1), 'share', 'and asks whom no message reaches');
select is(pg_temp.lunch(2), 'times', 'who is asked so has the question, and no other step');
select is(pg_temp.answers(2) || pg_temp.lunch(1), 'decide', 'once all have answered the host decides');
select is(pg_temp.say(1, 'public.confirm_plan(P2, T3, O2)') || pg_temp.lunch(1), 'book', 'and books a place that has a phone');
select is(pg_temp.lunch(2), null, 'a guest does not');
insert into public.plan_members (plan_id, user_id)
  values ('40000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000003');
select is(pg_temp.lunch(1) || ' ' || pg_temp.lunch(3), 'share rsvp', 'of who joins late without a message the host is told first');
select is(pg_temp.say(3, 'public.set_rsvp(P2, ''going'')') || ' ' || pg_temp.lunch(1), 'going book', 'until they answer');
update public.plans set booked_seats = 3, booked_name = 'Ana' where id = '40000000-0000-4000-8000-000000000002';
select is(pg_temp.lunch(1), null, 'a table that is booked for those who come is done');
insert into public.messages (plan_id, author_id, client_id, body, created_at)
  values ('40000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000002', gen_random_uuid(), 'Hi', now() - interval '1 minute');
select is(pg_temp.lunch(1) || ' ' || coalesce(pg_temp.lunch(2), 'nothing'), 'chat nothing', 'a message waits for everybody but its author');
select is(pg_temp.say(1, 'public.mark_read(P2, now())') || coalesce(pg_temp.lunch(1), 'nothing'), 'nothing', 'until it was on the screen');

select * from finish();
rollback;
