-- A plan that is decided with a time and without a place: what each function makes of it, and adding the place later,
-- which is no move.
begin;
create extension if not exists pgtap with schema extensions;
select plan(52);

-- 1 hosts, 2 comes with one more person, 3 has not answered, 4 does not come, 5 is a stranger.
insert into auth.users (id, email, raw_user_meta_data, aud, role)
select ('10000000-0000-4000-8000-00000000000' || at)::uuid, name || '@alone.test',
  jsonb_build_object('display_name', name), 'authenticated', 'authenticated'
from unnest(array['Hedda', 'Mia', 'Noa', 'Otto', 'Stranger']) with ordinality as person (name, at);
update auth.users set email_confirmed_at = now() where email like '%@alone.test';
insert into public.circles (id, name) values ('20000000-0000-4000-8000-000000000001', 'Circle');
insert into public.places (id, name, address, time_zone, everybody) values
  ('30000000-0000-4000-8000-000000000001', 'Momo', 'Main street 1', 'UTC', true),
  ('30000000-0000-4000-8000-000000000002', 'Other', '', 'UTC', true);
-- 1 has two places to vote on, 2 has none, 3 is over.
insert into public.plans (id, title, time_zone, circle_id)
  select ('40000000-0000-4000-8000-00000000000' || number)::uuid, 'Plan ' || number, 'UTC', '20000000-0000-4000-8000-000000000001'
  from generate_series(1, 3) as number;
insert into public.plan_members (plan_id, user_id, role, rsvp, plus_ones)
select plan.id, ('10000000-0000-4000-8000-00000000000' || at)::uuid, role::public.plan_role, rsvp::public.rsvp_status, more
from public.plans as plan, (values (1, 'host', 'going', 0), (2, 'guest', 'going', 1), (3, 'guest', 'pending', 0),
  (4, 'guest', 'declined', 0)) as seat (at, role, rsvp, more) where plan.title like 'Plan _';
insert into public.time_options (id, plan_id, starts_at, ends_at)
select ('50000000-0000-4000-8000-00000000000' || at)::uuid, ('40000000-0000-4000-8000-00000000000' || plan)::uuid,
  now() + start, now() + start + interval '2 hours'
from (values (1, 1, interval '5 hours'), (2, 1, interval '5 days'), (3, 2, interval '3 days'), (4, 3, interval '-1 day'))
  as option (at, plan, start);
insert into public.place_options (id, plan_id, place_id)
select ('60000000-0000-4000-8000-00000000000' || at)::uuid, '40000000-0000-4000-8000-000000000001',
  ('30000000-0000-4000-8000-00000000000' || at)::uuid from generate_series(1, 2) as at;
update public.plans set status = 'confirmed', chosen_time_id = '50000000-0000-4000-8000-000000000004'
  where id = '40000000-0000-4000-8000-000000000003';

-- Runs a call as one of the people: its result as text, or the error's code. P1, T1, O1 are ids of plans, times, options.
create function pg_temp.say(person integer, statement text) returns text language plpgsql as $$
declare
  outcome text;
begin
  perform set_config('request.jwt.claims', json_build_object(
    'sub', '10000000-0000-4000-8000-00000000000' || person, 'role', 'authenticated')::text, true);
  perform set_config('role', 'authenticated', true);
  begin
    execute regexp_replace(regexp_replace(regexp_replace(statement, '\mP(\d)', '''40000000-0000-4000-8000-00000000000\1''', 'g'),
      '\mT(\d)', '''50000000-0000-4000-8000-00000000000\1''', 'g'),
      '\mO(\d)', '''60000000-0000-4000-8000-00000000000\1''', 'g') into outcome;
  exception when others then
    get stacked diagnostics outcome = pg_exception_detail;
    if sqlstate not like 'PT%' then
      outcome := sqlstate;
    end if;
  end;
  perform set_config('role', 'postgres', true);
  return outcome;
end $$;
create function pg_temp.seats() returns text language sql as
  $$ select string_agg(split_part(p.display_name, ' ', 1) || ' ' || m.rsvp || ' ' || m.plus_ones, ', ' order by p.display_name)
     from public.plan_members as m join public.profiles as p on p.id = m.user_id
     where m.plan_id = '40000000-0000-4000-8000-000000000001' $$;
create function pg_temp.told(kind text) returns text language sql as
  $$ select coalesce(string_agg(p.display_name, ' ' order by p.display_name), '') from public.notifications as n
     join public.profiles as p on p.id = n.user_id
     where n.kind::text = told.kind and n.plan_id = '40000000-0000-4000-8000-000000000001' $$;

-- choice_is_whole, proposal_is_whole
select throws_ok($$update public.plans set chosen_place_id = '60000000-0000-4000-8000-000000000001'
  where id = '40000000-0000-4000-8000-000000000001'$$, '23514', null, 'a place needs a time');
select throws_ok($$update public.plans set proposed_place_id = '60000000-0000-4000-8000-000000000001'
  where id = '40000000-0000-4000-8000-000000000001'$$, '23514', null, 'so does a proposed one');
select throws_ok($$update public.plans set proposed_time_id = '50000000-0000-4000-8000-000000000001'
  where id = '40000000-0000-4000-8000-000000000001'$$, '23514', null, 'a proposal has its window');

-- check_choice, settle_plan
select is(pg_temp.say(2, $$select public.confirm_plan(P1, T1)$$), 'not_host', 'a guest does not decide the time');
select is(pg_temp.say(1, $$select public.confirm_plan(P1, T3)$$), 'option_not_found', 'a time of another plan is refused');
update public.profiles set diets = '{vegan}' where id = '10000000-0000-4000-8000-000000000002';
select is(pg_temp.say(1, $$select public.confirm_plan(P1, T1)$$), '', 'a host decides the time alone, whatever people eat');
select is(pg_temp.say(1, $$select public.confirm_plan(P2, T3)$$), '', 'of a plan without any place, too');
select is((select status || ' ' || right(chosen_time_id::text, 1) || coalesce(chosen_place_id::text, '') from public.plans
  where id = '40000000-0000-4000-8000-000000000001'), 'confirmed 1', 'the plan is decided, without a place');
select is(pg_temp.told('plan_confirmed'), 'Mia Noa', 'and people are told');

-- calendar_events, take_mail, take_push, plan_cards, place_photos, standing_places
select is(pg_temp.say(2, $$select concat(e ->> 'plan_id' = P1, ' ', jsonb_typeof(e -> 'place'), ' ', jsonb_typeof(e -> 'address'), ' ', e ->> 'status')
  from jsonb_array_elements(public.my_calendar(P1)) as e$$), 't null null confirmed', 'calendars have it without a place');
-- Ten seconds after the decision.
update private.outgoing_mail set not_before = null;
update private.outgoing_push set not_before = null;
create temporary table mails as select mail from jsonb_array_elements(public.take_mail(100)) as mail;
select is((select string_agg(distinct concat(mail ->> 'kind', ' ', mail ->> 'place', jsonb_typeof(mail -> 'event' -> 'place'),
    ' ', mail -> 'event' ->> 'starts_at' is not null), ', ') from mails where mail ->> 'plan_id' = '40000000-0000-4000-8000-000000000001'),
  'plan_confirmed null t', 'the mail has the calendar entry');
select is(pg_temp.say(2, $$select concat(starts_at is not null, ' ', place_name, section) from public.plan_cards where id = P1$$), 't 0', 'the card stands among the next meals');
insert into public.photos (plan_id, author_id, path, width, height) values ('40000000-0000-4000-8000-000000000003', '10000000-0000-4000-8000-000000000002',
  '40000000-0000-4000-8000-000000000003/10000000-0000-4000-8000-000000000002/a.jpg', 1, 1);
select is(pg_temp.say(2, $$select count(*) from public.place_photos$$), '0', 'its photos are those of no place');
insert into public.standing_dinners (circle_id, title, rhythm, first_on, starts_at, time_zone, next_on)
  values ('20000000-0000-4000-8000-000000000001', 'Dinner', 'weekly', '2026-01-01', '19:00', 'UTC', '2026-01-01');
select is((select count(*)::integer from public.standing_dinners as d, private.standing_places(d)
  where d.circle_id = '20000000-0000-4000-8000-000000000001'), 2, 'a standing dinner of the circle finds the places that were voted on');

-- rate_plan
select is(pg_temp.say(2, $$select public.rate_plan(P3, 4, 'Warm bread')$$), '', 'the meal is rated without a place');
select is(pg_temp.say(2, $$select stars || ' ' || comment || coalesce(place_id::text, '') from public.ratings where plan_id = P3$$), '4 Warm bread', 'and the rating is stored');
select is(pg_temp.say(2, $$select public.rate_plan(P3, 5, '', '{vegan}')$$), '', 'it can be changed');
select is(pg_temp.say(2, $$select stars from public.ratings where plan_id = P3$$), '5', 'as others are');
select is(pg_temp.say(2, $$select next is null from public.plan_cards where id = P3$$), 'true', 'the card asks no more');
select is(pg_temp.say(2, $$select public.export_my_data() -> 'ratings' -> 0 ->> 'stars'$$), '5', 'and the export has it');
select is(pg_temp.say(2, $$select public.export_my_data() -> 'ratings' -> 0 ->> 'ate'$$), '["vegan"]', 'with what was eaten');

-- The place of a plan without any.
select is(pg_temp.say(2, $$select public.propose_named_place(P2, 'Late place')$$), 'not_host', 'once the time is decided, a guest adds no place');
select is(pg_temp.say(2, $$select public.propose_place(P2, '30000000-0000-4000-8000-000000000001')$$), 'not_host', 'known ones neither');
select is(pg_temp.say(5, $$select public.propose_named_place(P2, 'Late place')$$), 'plan_not_found', 'nor a stranger');
select is(pg_temp.say(1, $$select public.propose_named_place(P3, 'Late place')$$), 'plan_over', 'nor a host when it is over');
select matches(pg_temp.say(1, $$select public.propose_named_place(P2, 'Late place')$$), '^[0-9a-f-]{36}$', 'a host does');
select is(pg_temp.say(1, $$select public.change_choice(P2, T3, T3, place_option => o.id, unsafe_for => array['10000000-0000-4000-8000-000000000002'::uuid])::text
  from public.place_options as o where o.plan_id = P2$$), '', 'and chooses it');

-- Adding the place: no move.
select is(pg_temp.say(2, $$select public.mark_arrival(P1, 'on_the_way')$$), '', 'people may be on their way to a time alone');
select is(pg_temp.say(2, $$select coalesce(eta::text, 'no time') from public.arrivals where plan_id = P1$$), 'no time', 'and need not say when they come');
select is(pg_temp.say(2, $$select public.mark_arrival(P1, 'on_the_way', 20)$$), '', 'or say it');
select is(pg_temp.say(1, $$select public.call_to_table(P1, 'Ready')$$), '', 'and the table may be ready');
select is(pg_temp.say(3, $$select public.set_rsvp(P1, 'maybe')$$), 'maybe', 'people answer');
create temporary table before as select p.revision, p.ready_at, p.updated_at, pg_temp.seats() as seats
  from public.plans as p where p.id = '40000000-0000-4000-8000-000000000001';
update public.plans set ready_at = now() - interval '1 minute' where id = '40000000-0000-4000-8000-000000000001';
select is(pg_temp.say(2, $$select public.change_choice(P1, T1, T1, place_option => O1)$$), 'not_host', 'a guest chooses no place');
select is(pg_temp.say(1, $$select public.change_choice(P1, T1, T1, place_option => O1)$$), 'unsafe_for_some', 'diets are checked when there is a place');
select is(pg_temp.say(1, $$select public.change_choice(P1, T1, T1, place_option => O1, unsafe_for => array['10000000-0000-4000-8000-000000000002'::uuid])$$), '', 'a host adds the place');
select is(pg_temp.seats(), (select seats from before), 'answers stay');
select is((select status::text from public.arrivals where plan_id = '40000000-0000-4000-8000-000000000001'), 'on_the_way', 'arrivals stay');
select isnt((select ready_at from public.plans where id = '40000000-0000-4000-8000-000000000001'), null, 'the table is still ready');
select is((select revision from public.plans where id = '40000000-0000-4000-8000-000000000001'), (select revision + 1 from before), 'calendars see a later version');
select is(pg_temp.told('plan_placed') || pg_temp.told('plan_moved'), 'Mia Noa', 'people are told of the place, not of a move');
select is(pg_temp.say(1, $$select public.change_choice(P1, T1, T1, place_option => O1)$$), '', 'the same again, after a lost response, is accepted');
select is(pg_temp.told('plan_placed'), 'Mia Noa', 'and people are told once');
truncate mails;
update private.outgoing_mail set not_before = null;
insert into mails select mail from jsonb_array_elements(public.take_mail(100)) as mail;
select is((select string_agg(distinct concat(mail ->> 'kind', ' ', mail ->> 'place', ', ', mail -> 'event' ->> 'address'), '; ') from mails
  where mail ->> 'plan_id' = '40000000-0000-4000-8000-000000000001'), 'plan_placed Momo, Main street 1', 'by mail, with the calendar entry');
select is(pg_temp.say(1, $$select public.change_choice(P1, T1, T1, was_place => O1, place_option => O2, unsafe_for => array['10000000-0000-4000-8000-000000000002'::uuid])$$), '', 'another place after that');
select is(pg_temp.told('plan_moved') || ', ' || (select count(*) from public.arrivals where plan_id = '40000000-0000-4000-8000-000000000001'), 'Mia Noa, 0', 'is a move');
select is(pg_temp.say(1, $$select public.change_choice(P1, T1, T2, was_place => O2)$$), '', 'a host may leave the place open again');

-- A place that is added while a decision waits unsent is in that decision's mail; a meal that has begun still gets one.
delete from private.outgoing_mail;
do $do$ begin
  perform pg_temp.say(1, $$select public.reopen_plan(P1)$$), pg_temp.say(1, $$select public.confirm_plan(P1, T2)$$),
    pg_temp.say(1, $$select public.change_choice(P1, T2, T2, place_option => O1, unsafe_for => array['10000000-0000-4000-8000-000000000002'::uuid])$$);
end $do$;
select is((select string_agg(distinct kind::text, ' ') from private.outgoing_mail where plan_id = '40000000-0000-4000-8000-000000000001'), 'plan_confirmed', 'one mail says both');
update public.time_options set starts_at = now() - interval '10 minutes', ends_at = now() + interval '2 hours' where id = '50000000-0000-4000-8000-000000000003';
update public.plans set chosen_place_id = null where id = '40000000-0000-4000-8000-000000000002';
select is(pg_temp.say(1, $$select public.change_choice(P2, T3, T3, place_option => o.id, unsafe_for => array['10000000-0000-4000-8000-000000000002'::uuid])::text
  from public.place_options as o where o.plan_id = P2$$), '', 'a meal that has begun still gets its place');

-- Deciding by itself.
create function pg_temp.propose(plan text, option text, place uuid default null) returns text language plpgsql as $$
declare
  this public.plans;
begin
  perform set_config('request.jwt.claims', '', true);
  insert into public.plans (id, title, time_zone, decides_itself) values (plan::uuid, 'Itself', 'UTC', true) returning * into this;
  alter table public.plans disable trigger user;
  update public.plans as p set vote_deadline = now() - interval '1 hour' where p.id = this.id;
  alter table public.plans enable trigger user;
  insert into public.plan_members (plan_id, user_id, role) values (this.id, '10000000-0000-4000-8000-000000000001', 'host');
  insert into public.time_options (id, plan_id, starts_at, ends_at)
    values (option::uuid, this.id, now() + interval '3 days', now() + interval '74 hours');
  insert into public.place_options (plan_id, place_id) select this.id, place where place is not null;
  return (select public.propose_choice(this.id, p.vote_deadline, c.revision::integer, option::uuid)
    from public.plans as p join public.plan_channels as c on c.plan_id = p.id where p.id = this.id);
end $$;
select is(pg_temp.propose('40000000-0000-4000-8000-000000000008', '50000000-0000-4000-8000-000000000008'), 'true', 'a plan without any place proposes a time');
update public.plans set veto_until = now() where id = '40000000-0000-4000-8000-000000000008';
select is(private.confirm_proposals(), 1, 'and decides it when nobody objected');
select is((select status || coalesce(chosen_place_id::text, '') from public.plans
  where id = '40000000-0000-4000-8000-000000000008'), 'confirmed', 'with the time alone');
select is(pg_temp.propose('40000000-0000-4000-8000-000000000009', '50000000-0000-4000-8000-000000000009',
  '30000000-0000-4000-8000-000000000001'), 'false', 'one that has places wants one of them');

select * from finish();
rollback;
