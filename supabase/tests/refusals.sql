-- The errors that no other test raises, each by its cause. tests/integration/errors.test.ts checks that some test
-- raises each code of the catalogue.
begin;
create extension if not exists pgtap with schema extensions;
select plan(32);

insert into auth.users (id, email, raw_user_meta_data, aud, role)
select id::uuid, id || '@refusals.test', '{"display_name": "Somebody"}', 'authenticated', 'authenticated'
from (values ('10000000-0000-4000-8000-000000000001'), ('10000000-0000-4000-8000-000000000002'),
  ('10000000-0000-4000-8000-000000000003')) as people (id);
insert into public.circles (id, name) values ('20000000-0000-4000-8000-000000000001', 'Circle');
insert into public.circle_members (circle_id, user_id, role) values
  ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'owner'),
  ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', 'member');
insert into public.places (id, name, latitude, longitude, price, time_zone, everybody) values
  ('30000000-0000-4000-8000-000000000001', 'Kitchen', 38.7, -9.1, 2, 'UTC', true),
  ('30000000-0000-4000-8000-000000000002', 'Other', 38.7, -9.1, 2, 'UTC', true);

-- A1 is polling, A2 confirmed and today, A3 over. 1 hosts all, 2 is a guest of all.
insert into public.plans (id, title, time_zone, guests_may_propose)
select ('40000000-0000-4000-8000-00000000000' || number)::uuid, 'Plan', 'UTC', false from generate_series(1, 3) as number;
insert into public.plan_members (plan_id, user_id, role)
select p.id, ('10000000-0000-4000-8000-00000000000' || seat)::uuid, case seat when 1 then 'host' else 'guest' end::public.plan_role
from public.plans as p cross join generate_series(1, 2) as seat where p.title = 'Plan' and p.id::text like '40000000%';
insert into public.time_options (id, plan_id, starts_at, ends_at) values
  ('50000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', date_trunc('day', now()) + interval '3 days', date_trunc('day', now()) + interval '3 days 1 hour'),
  ('50000000-0000-4000-8000-000000000002', '40000000-0000-4000-8000-000000000002', now() + interval '1 hour', now() + interval '2 hours'),
  ('50000000-0000-4000-8000-000000000003', '40000000-0000-4000-8000-000000000003', now() - interval '3 days', now() - interval '71 hours');
insert into public.place_options (id, plan_id, place_id)
select ('60000000-0000-4000-8000-00000000000' || number)::uuid, ('40000000-0000-4000-8000-00000000000' || number)::uuid,
  '30000000-0000-4000-8000-000000000001' from generate_series(1, 3) as number;
update public.plans set status = 'confirmed',
    chosen_time_id = replace(id::text, '40000000', '50000000')::uuid,
    chosen_place_id = replace(id::text, '40000000', '60000000')::uuid
  where id in ('40000000-0000-4000-8000-000000000002', '40000000-0000-4000-8000-000000000003');

-- Runs a statement as one of the three people: "done", or "status code" of the error. A failed statement changes nothing.
create function pg_temp.say(person integer, statement text) returns text language plpgsql as $$
declare
  detail text;
  value text := 'done';
begin
  perform set_config('request.jwt.claims', json_build_object(
    'sub', '10000000-0000-4000-8000-00000000000' || person, 'role', 'authenticated')::text, true);
  perform set_config('role', 'authenticated', true);
  begin
    execute statement;
  exception when others then
    get stacked diagnostics detail = pg_exception_detail;
    value := sqlstate || ' ' || detail;
  end;
  perform set_config('role', 'postgres', true);
  return value;
end $$;

select is(pg_temp.say(1, $$select public.remove_member('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001')$$), 'PT409 host_cannot_leave', 'the host stays');
select is(pg_temp.say(1, $$select public.remove_member('40000000-0000-4000-8000-000000000001', gen_random_uuid())$$), 'PT404 person_not_found', 'nobody is removed who is not there');
select is(pg_temp.say(1, $$select public.remove_circle_member('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001')$$), 'PT409 owner_cannot_leave', 'the owner stays');
select is(pg_temp.say(2, $$select public.propose_time('40000000-0000-4000-8000-000000000001', now() + interval '5 days', now() + interval '5 days 1 hour')$$), 'PT403 not_allowed_to_propose', 'guests propose where they may');
select is(pg_temp.say(1, $$select public.propose_time('40000000-0000-4000-8000-000000000001', date_trunc('day', now()) + interval '3 days', date_trunc('day', now()) + interval '3 days 1 hour')$$), 'PT409 time_duplicate', 'a time is on a plan once');
select is(pg_temp.say(1, $$select public.set_rsvp('40000000-0000-4000-8000-000000000003', 'going')$$), 'PT409 plan_over', 'what is over is not answered');
select is(pg_temp.say(2, $$select public.mark_arrival('40000000-0000-4000-8000-000000000002', 'arrived')$$), 'done', 'who is here');
select is(pg_temp.say(2, $$select public.mark_arrival('40000000-0000-4000-8000-000000000002', 'on_the_way')$$), 'PT409 arrival_backwards', 'is not on the way any more');

select is(pg_temp.say(1, $$select public.reopen_plan('40000000-0000-4000-8000-000000000001')$$), 'PT409 plan_not_confirmed', 'what is voted on is not reopened');
select is(pg_temp.say(1, $$select public.restore_plan('40000000-0000-4000-8000-000000000001')$$), 'PT409 plan_not_cancelled', 'what goes on is not restored');
select is(pg_temp.say(3, $$select public.remove_circle_member('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002')$$), 'PT404 circle_not_found', 'a stranger sees no circle');
select is(pg_temp.say(2, $$select public.create_circle_invite('20000000-0000-4000-8000-000000000001')$$), 'PT403 not_circle_admin', 'admins invite');
select is(pg_temp.say(2, $$select public.set_circle_role('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'member')$$), 'PT403 not_circle_owner', 'the owner gives roles');
select is(pg_temp.say(1, $$select public.delete_message(gen_random_uuid())$$), 'PT404 message_not_found', 'a message that is not there');
insert into public.messages (id, plan_id, author_id, client_id, body) values
  ('70000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', gen_random_uuid(), 'Hello');
select is(pg_temp.say(1, $$select public.edit_message('70000000-0000-4000-8000-000000000001', 'Hi', 0)$$), 'PT409 message_changed', 'an edit of an older text');

create temporary table tokens (kind text, id uuid, token text);
grant all on tokens to authenticated;
select is(pg_temp.say(1, $$insert into tokens select 'plan', i.id, i.token from public.create_invite('40000000-0000-4000-8000-000000000001') as i
  union all select 'gone', i.id, i.token from public.create_invite('40000000-0000-4000-8000-000000000001') as i
  union all select 'circle', i.id, i.token from public.create_circle_invite('20000000-0000-4000-8000-000000000001') as i$$), 'done', 'three links');
select pg_temp.say(1, $$select public.revoke_invite(id) from tokens where kind = 'gone'$$);
select is(pg_temp.say(3, $$select public.accept_invite(token) from tokens where kind = 'gone'$$), 'PT410 invite_revoked', 'a revoked link is closed');

select is(pg_temp.say(1, $$select public.nudge_voters('40000000-0000-4000-8000-000000000001')$$), 'done', 'the host nudges');
select is(pg_temp.say(1, $$select public.nudge_voters('40000000-0000-4000-8000-000000000001')$$), 'PT429 nudged_today', 'hosts nudge once a day');
update public.plans set nudged_at = now() - interval '24 hours' where id = '40000000-0000-4000-8000-000000000001';
insert into public.time_votes (option_id, plan_id, user_id, answer) values
  ('50000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', 'no');
insert into public.place_votes (option_id, plan_id, user_id, answer)
  select o.id, o.plan_id, '10000000-0000-4000-8000-000000000002', 'no' from public.place_options as o
  where o.plan_id = '40000000-0000-4000-8000-000000000001';
select is(pg_temp.say(1, $$select public.nudge_voters('40000000-0000-4000-8000-000000000001')$$), 'PT409 nobody_to_nudge', 'nobody is nudged once everyone has voted');
select is(pg_temp.say(1, $$select public.nudge_voters('40000000-0000-4000-8000-000000000002')$$), 'PT409 plan_not_polling', 'nobody is nudged about a decided plan');
select is(pg_temp.say(1, $$select public.save_push_subscription('http://push.test/x', 'B' || repeat('A', 86), repeat('A', 22))$$), 'PT400 push_bad_subscription', 'a push endpoint must be https');

-- From here on the limits equal the current counts.
update private.limits set value = 1
  where name in ('circle_people', 'time_options', 'place_options');
update private.limits set value = 2 where name = 'plan_people';
update private.limits set value = 0 where name in ('plan_photos', 'plans_per_day', 'calendars_per_hour', 'look_ups_per_hour', 'circle_places');
select is(pg_temp.say(3, $$select public.accept_invite(token) from tokens where kind = 'circle'$$), 'PT409 circle_full', 'a full circle');
select is(pg_temp.say(3, $$select public.accept_invite(token) from tokens where kind = 'plan'$$), 'PT409 plan_full', 'a full plan');
select is(pg_temp.say(1, $$select public.propose_time('40000000-0000-4000-8000-000000000001', now() + interval '5 days', now() + interval '5 days 1 hour')$$), 'PT409 too_many_times', 'as many times as a plan holds');
select is(pg_temp.say(1, $$select public.propose_place('40000000-0000-4000-8000-000000000001', '30000000-0000-4000-8000-000000000002')$$), 'PT409 too_many_places', 'as many places');
select is(pg_temp.say(1, $$insert into public.photos (plan_id, author_id, path, width, height) values ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001/10000000-0000-4000-8000-000000000001/a.webp', 10, 10)$$), 'PT409 too_many_photos', 'as many photos');
select is(pg_temp.say(1, $$select public.create_plan('x', 'UTC')$$), 'PT429 too_many_plans', 'as many plans as a new account starts');
update private.limits set value = 0 where name = 'push_devices';
select is(pg_temp.say(1, $$select public.save_push_subscription('https://push.test/x', 'B' || repeat('A', 86), repeat('A', 22))$$), 'PT409 too_many_push_devices', 'as many devices');
select is(pg_temp.say(1, $$select public.count_calendar_read()$$), 'PT429 too_many_calendars', 'as many calendars');
select is(pg_temp.say(1, $$select public.count_look_up()$$), 'PT429 too_many_look_ups', 'as many look-ups');
select is(pg_temp.say(1, $$insert into public.circle_places (circle_id, place_id) values ('20000000-0000-4000-8000-000000000001', '30000000-0000-4000-8000-000000000002')$$), 'PT409 too_many_circle_places', 'as many places of a circle');

select * from finish();
rollback;
