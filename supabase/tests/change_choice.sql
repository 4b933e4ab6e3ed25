-- Changing the time or place of a decided plan: its effects, what it refuses, and who is told.
begin;
create extension if not exists pgtap with schema extensions;
select plan(27);

insert into auth.users (id, email, raw_user_meta_data, aud, role)
select ('10000000-0000-4000-8000-00000000000' || at)::uuid, name || '@change.test',
  jsonb_build_object('display_name', name), 'authenticated', 'authenticated'
from unnest(array['Hedda', 'Cora', 'Mia', 'Noa', 'Stranger']) with ordinality as person (name, at);
update auth.users set email_confirmed_at = now() where email like '%@change.test';
insert into public.places (id, name, latitude, longitude, price, time_zone, everybody) values
  ('30000000-0000-4000-8000-000000000001', 'Hours unknown', 38.7, -9.1, 2, 'UTC', true),
  ('30000000-0000-4000-8000-000000000002', 'Other', 38.7, -9.1, 2, 'UTC', true),
  ('30000000-0000-4000-8000-000000000003', 'Open for a minute on Mondays', 38.7, -9.1, 2, 'UTC', true);
insert into public.place_hours (place_id, weekday, opens, closes) values
  ('30000000-0000-4000-8000-000000000003', 1, '12:00', '12:01');
-- 1 is confirmed, 2 is another plan.
insert into public.plans (id, title, time_zone)
  select ('40000000-0000-4000-8000-00000000000' || number)::uuid, 'Plan', 'UTC' from generate_series(1, 2) as number;
-- Hedda hosts with Cora, Mia comes with two more people, Noa does not come.
insert into public.plan_members (plan_id, user_id, role, rsvp, plus_ones)
select '40000000-0000-4000-8000-000000000001', ('10000000-0000-4000-8000-00000000000' || at)::uuid, role::public.plan_role,
  rsvp::public.rsvp_status, more
from (values (1, 'host', 'going', 1), (2, 'cohost', 'maybe', 0), (3, 'guest', 'going', 2), (4, 'guest', 'declined', 0))
  as seat (at, role, rsvp, more);
insert into public.time_options (id, plan_id, starts_at, ends_at)
select ('50000000-0000-4000-8000-00000000000' || at)::uuid, ('40000000-0000-4000-8000-00000000000' || plan)::uuid,
  now() + start, now() + start + interval '2 hours'
from (values (1, 1, interval '3 days'), (2, 1, interval '4 days'), (3, 1, interval '-1 day'), (4, 2, interval '4 days'))
  as option (at, plan, start);
insert into public.place_options (id, plan_id, place_id)
select ('60000000-0000-4000-8000-00000000000' || at)::uuid, ('40000000-0000-4000-8000-00000000000' || plan)::uuid,
  ('30000000-0000-4000-8000-00000000000' || place)::uuid
from (values (1, 1, 1), (2, 1, 2), (3, 1, 3), (4, 2, 1)) as option (at, plan, place);
update public.plans set status = 'confirmed', ready_at = now(), ready_by = '10000000-0000-4000-8000-000000000001',
    chosen_time_id = '50000000-0000-4000-8000-000000000001', chosen_place_id = '60000000-0000-4000-8000-000000000001'
  where id = '40000000-0000-4000-8000-000000000001';
update public.plans set booked_seats = 4, booked_name = 'Hedda' where id = '40000000-0000-4000-8000-000000000001';

-- Changes the plan's choice as a person, from one pair (time, place) to another: "done", or "status code" of the error.
create function pg_temp.change(person integer, was integer[], wanted integer[], unsafe_for uuid[] default '{}') returns text
  language plpgsql as $$
declare
  detail text;
  value text := 'done';
begin
  perform set_config('request.jwt.claims', json_build_object(
    'sub', '10000000-0000-4000-8000-00000000000' || person, 'role', 'authenticated')::text, true);
  perform set_config('role', 'authenticated', true);
  begin
    perform public.change_choice('40000000-0000-4000-8000-000000000001',
      ('50000000-0000-4000-8000-00000000000' || was[1])::uuid, ('50000000-0000-4000-8000-00000000000' || wanted[1])::uuid,
      ('60000000-0000-4000-8000-00000000000' || was[2])::uuid, ('60000000-0000-4000-8000-00000000000' || wanted[2])::uuid,
      unsafe_for);
  exception when others then
    get stacked diagnostics detail = pg_exception_detail;
    value := sqlstate || ' ' || detail;
  end;
  perform set_config('role', 'postgres', true);
  return value;
end $$;
create function pg_temp.revision() returns integer language sql as
  $$ select revision from public.plans where id = '40000000-0000-4000-8000-000000000001' $$;
create function pg_temp.told(kind text) returns text language sql as
  $$ select coalesce(string_agg(p.display_name, ' ' order by p.display_name), '') from public.notifications as n
     join public.profiles as p on p.id = n.user_id where n.kind::text = told.kind $$;
create temporary table before as select pg_temp.revision() as revision;

select is(pg_temp.change(3, '{1,1}', '{2,1}'), 'PT403 not_host', 'a guest changes nothing');
select is(pg_temp.change(5, '{1,1}', '{2,1}'), 'PT404 plan_not_found', 'a stranger does not learn that the plan exists');
select is(pg_temp.change(1, '{1,1}', '{3,1}'), 'PT400 time_in_past', 'a time that is over is refused');
select is(pg_temp.change(1, '{1,1}', '{4,1}'), 'PT404 option_not_found', 'a time of another plan is refused');
select is(pg_temp.change(1, '{1,1}', '{1,4}'), 'PT404 option_not_found', 'a place of another plan is refused');
select is(pg_temp.change(1, '{1,1}', '{2,3}'), 'PT409 place_closed', 'a place that is closed then is refused');
update public.profiles set diets = '{vegan}' where id = '10000000-0000-4000-8000-000000000003';
select is(pg_temp.change(1, '{1,1}', '{2,2}'), 'PT409 unsafe_for_some', 'a place that is not known to be safe is refused');
select is(pg_temp.revision(), (select revision from before), 'what is refused changes nothing');
select is(pg_temp.told('plan_moved'), '', 'and tells nobody');

select is(pg_temp.change(2, '{1,1}', '{2,2}', '{10000000-0000-4000-8000-000000000003}'), 'done', 'a cohost changes time and place, naming the people');
select is((select concat(right(chosen_time_id::text, 1), right(chosen_place_id::text, 1), ' ', status) from public.plans
  where id = '40000000-0000-4000-8000-000000000001'), '22 confirmed', 'in one step');
select is(pg_temp.revision(), (select revision + 1 from before), 'calendars see a later version');
select is((select ready_at from public.plans where id = '40000000-0000-4000-8000-000000000001'), null, 'the table is not ready any more');
select is((select booked_name from public.plans where id = '40000000-0000-4000-8000-000000000001'), null, 'and nothing is booked');
select is((select string_agg(p.display_name || ' ' || m.rsvp || ' ' || m.plus_ones, ', ' order by p.display_name)
  from public.plan_members as m join public.profiles as p on p.id = m.user_id
  where m.plan_id = '40000000-0000-4000-8000-000000000001'),
  'Cora going 0, Hedda pending 1, Mia pending 2, Noa declined 0', 'all but who changed it are asked again, a no stays a no');
select is(pg_temp.told('plan_moved'), 'Hedda Mia', 'everybody but the caller and who does not come is told');
select is((select string_agg(distinct kind::text, ' ') from private.outgoing_mail), 'plan_moved', 'by mail, too');

select is(pg_temp.change(2, '{1,1}', '{2,2}'), 'done', 'the same again, after a lost response, is accepted');
select is(pg_temp.revision(), (select revision + 1 from before), 'and changes nothing');
select is(pg_temp.change(1, '{1,1}', '{1,2}', '{10000000-0000-4000-8000-000000000003}'), 'PT409 choice_changed', 'a host who saw the earlier choice is refused');
select is(pg_temp.change(1, '{2,2}', '{2,1}', '{10000000-0000-4000-8000-000000000003}'), 'done', 'the place alone');
select is(pg_temp.told('plan_moved'), 'Cora Mia', 'two changes are one line in the activity');

update public.plans set status = 'cancelled' where id = '40000000-0000-4000-8000-000000000001';
select is(pg_temp.change(1, '{2,1}', '{1,1}'), 'PT409 plan_cancelled', 'a cancelled plan stays as it is');
update public.plans set status = 'polling', chosen_time_id = null, chosen_place_id = null
  where id = '40000000-0000-4000-8000-000000000001';
select is(pg_temp.change(1, '{2,1}', '{1,1}'), 'PT409 plan_not_confirmed', 'what is voted on is chosen, not changed');
update public.plans set status = 'confirmed', chosen_time_id = '50000000-0000-4000-8000-000000000003',
    chosen_place_id = '60000000-0000-4000-8000-000000000001' where id = '40000000-0000-4000-8000-000000000001';
select is(pg_temp.change(1, '{3,1}', '{1,1}'), 'PT409 plan_over', 'what is over stays as it was');

-- Of several decisions that wait for sending, the newest is sent.
update public.plans set status = 'cancelled' where id = '40000000-0000-4000-8000-000000000001';
select is(private.is_decision('plan_moved'), true, 'a change is a decision');
select is(private.is_decision('plan_changed'), false, 'new words are none');

select * from finish();
rollback;
