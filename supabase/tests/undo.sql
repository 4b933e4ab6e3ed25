-- Undoing a decision: what comes back, what others did since, and that nobody is told.
begin;
create extension if not exists pgtap with schema extensions;
select plan(28);

-- 1 hosts a table of two; 2 and 3 say yes, 4 says nothing.
insert into auth.users (id, email, raw_user_meta_data, aud, role)
select format('10000000-0000-4000-8000-%s', lpad(at::text, 12, '0'))::uuid, at || '@undo.test',
  jsonb_build_object('display_name', 'P' || at), 'authenticated', 'authenticated' from generate_series(1, 4) as at;
update auth.users set email_confirmed_at = now() where email like '%@undo.test';
insert into public.places (id, name, time_zone, everybody) values ('30000000-0000-4000-8000-000000000001', 'Momo', 'UTC', true);
insert into public.plans (id, title, time_zone, capacity) values ('40000000-0000-4000-8000-000000000001', 'Dinner', 'UTC', 2);
insert into public.plan_members (plan_id, user_id, role)
select '40000000-0000-4000-8000-000000000001', format('10000000-0000-4000-8000-%s', lpad(at::text, 12, '0'))::uuid,
  case at when 1 then 'host' else 'guest' end::public.plan_role from generate_series(1, 4) as at;
insert into public.time_options (id, plan_id, starts_at, ends_at) values
  ('50000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', now() + interval '5 hours', now() + interval '7 hours'),
  ('50000000-0000-4000-8000-000000000002', '40000000-0000-4000-8000-000000000001', now() + interval '30 hours', now() + interval '32 hours');
insert into public.place_options (id, plan_id, place_id) values
  ('60000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', '30000000-0000-4000-8000-000000000001');
insert into public.push_subscriptions (user_id, endpoint, p256dh, auth)
  values ('10000000-0000-4000-8000-000000000002', 'https://push.test/2', 'B' || repeat('a', 86), repeat('a', 22));

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
    outcome := sqlstate || ' ' || case when sqlstate like 'PT%' then outcome else sqlerrm end;
  end;
  perform set_config('role', 'postgres', true);
  return outcome;
end $$;
-- All that a decision changes, in one text.
create function pg_temp.all_of() returns text language sql as $$
  select concat_ws(' | ',
    (select concat(p.status, right(p.chosen_time_id::text, 1), right(p.chosen_place_id::text, 1),
      ' moved from ', right(p.moved_from_time_id::text, 1), ' ready ', p.ready_at is not null, ' booked ', p.booked_seats, p.booked_name) from public.plans as p
      where p.id = '40000000-0000-4000-8000-000000000001'),
    (select string_agg(concat(right(m.user_id::text, 1), ' ', m.rsvp, ' ', m.waitlisted_at is not null, ' ', m.rsvp_at), ', '
      order by m.user_id) from public.plan_members as m where m.plan_id = '40000000-0000-4000-8000-000000000001'),
    (select string_agg(concat(right(a.user_id::text, 1), ' ', a.status), ', ' order by a.user_id) from public.arrivals as a where a.plan_id = '40000000-0000-4000-8000-000000000001'),
    (select string_agg(concat(right(n.user_id::text, 1), ' ', n.kind), ', ' order by n.user_id, n.kind) from public.notifications as n where n.plan_id = '40000000-0000-4000-8000-000000000001'),
    (select string_agg(concat(m.address, ' ', m.kind), ', ' order by m.address, m.kind) from private.outgoing_mail as m where m.plan_id = '40000000-0000-4000-8000-000000000001'),
    (select string_agg(concat(right(m.user_id::text, 1), ' ', m.kind), ', ' order by m.user_id, m.kind) from private.outgoing_push as m where m.plan_id = '40000000-0000-4000-8000-000000000001'))
$$;
create function pg_temp.told(kind text) returns integer language sql as
  $$ select count(*)::integer from public.notifications as n where n.kind::text = told.kind and n.plan_id = '40000000-0000-4000-8000-000000000001' $$;
-- What has happened so far happened an hour ago: a decision knows its own notices by their time.
create procedure pg_temp.hour_later() language sql as $$
  update public.notifications set created_at = created_at - interval '1 hour';
  update private.undos set decided_at = decided_at - interval '1 hour', until = until - interval '1 hour';
  update private.outgoing_mail set not_before = null;
  update private.outgoing_push set not_before = null;
$$;

select is(pg_temp.say(1, 'public.undo_decision(P1)'), 'PT409 too_late_to_undo', 'nothing was decided');
select is(pg_temp.say(2, 'public.cast_votes(P1, jsonb_build_object(T1, ''yes''))') || pg_temp.say(3, 'public.cast_votes(P1, jsonb_build_object(T1, ''yes''))'), '', 'two say yes');
create temporary table before as select pg_temp.all_of() as was;
select is(pg_temp.say(1, 'public.confirm_plan(P1, T1, O1)'), '', 'the host decides');
select is((select string_agg(rsvp::text, ' ' order by user_id) from public.plan_members where plan_id = '40000000-0000-4000-8000-000000000001'), 'pending pending waitlisted pending', 'who said yes second waits');
select is(pg_temp.told('plan_confirmed'), 3, 'the others see it');
select is((select count(*)::integer from private.outgoing_mail), 4, 'mails wait');
select is((select count(*)::integer from private.outgoing_push), 1, 'and a message');
select is(public.take_mail() || public.take_push(), '[]'::jsonb, 'and are not sent yet');
select ok(public.delivery_due_in('mail') between 1 and 10000 and public.delivery_due_in('push') between 1 and 10000,
  'who delivers knows how long to wait');
select is(pg_temp.say(2, 'public.undo_decision(P1)'), 'PT403 not_host', 'a guest undoes nothing');
select is(pg_temp.say(1, 'public.undo_decision(P1)'), '', 'the host undoes it');
select is(pg_temp.all_of(), (select was from before), 'all is as it was');
select ok((select p.revision from public.plans as p where p.id = '40000000-0000-4000-8000-000000000001') = 2, 'calendars see a later version');
select is(public.delivery_due_in('mail'), null, 'nothing waits');
select is(pg_temp.say(1, 'public.undo_decision(P1)'), 'PT409 too_late_to_undo', 'once');

-- Others go on meanwhile.
select is(pg_temp.say(1, 'public.confirm_plan(P1, T1, O1)') || pg_temp.say(4, 'public.set_rsvp(P1, ''declined'')')
  || pg_temp.say(1, 'public.undo_decision(P1)'), 'declined', 'somebody says no before it is undone');
select is((select string_agg(rsvp::text, ' ' order by user_id) from public.plan_members where plan_id = '40000000-0000-4000-8000-000000000001'), 'pending pending pending declined', 'which stays');

-- A change of the choice.
select is(pg_temp.say(1, 'public.confirm_plan(P1, T1, O1)'), '', 'decided');
call pg_temp.hour_later();
select is(pg_temp.say(2, 'public.mark_arrival(P1, ''on_the_way'')') || pg_temp.say(1, 'public.call_to_table(P1, ''In'')'), '', 'one is on the way, the table is ready');
select is(pg_temp.say(1, 'public.undo_decision(P1)'), 'PT409 too_late_to_undo', 'after ten seconds it is too late');
update public.plans set booked_seats = 2, booked_name = 'P1' where id = '40000000-0000-4000-8000-000000000001';
update before set was = pg_temp.all_of();
select is(pg_temp.say(1, 'public.change_choice(P1, T1, T2, O1, O1)'), '', 'the host takes another time');
select is((select count(*)::integer from public.arrivals where plan_id = '40000000-0000-4000-8000-000000000001'), 0, 'nobody is on the way');
select is((select string_agg(distinct m.kind::text, ' ') from private.outgoing_mail as m where m.plan_id = '40000000-0000-4000-8000-000000000001'), 'plan_moved', 'the newer mail takes the place of the one that waited');
select is(pg_temp.say(1, 'public.undo_decision(P1)'), '', 'and takes it back');
select is(pg_temp.all_of(), (select was from before), 'seats, arrivals, the ready table, the booking and the mails that waited are back');

-- A newer decision.
select is(pg_temp.say(1, 'public.change_choice(P1, T1, T2, O1, O1)') || pg_temp.say(1, 'public.reopen_plan(P1)'), '', 'changed, and reopened');
select is(pg_temp.say(1, 'public.undo_decision(P1)'), 'PT409 too_late_to_undo', 'a newer decision is not undone with it');
select is((select p.status::text from public.plans as p where p.id = '40000000-0000-4000-8000-000000000001'), 'polling', 'and stays');

select * from finish();
rollback;
