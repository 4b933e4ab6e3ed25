-- Exporting data and deleting an account: the content of the export, who takes over, what stays.
begin;
create extension if not exists pgtap with schema extensions;
select plan(15);

insert into auth.users (id, email, is_anonymous, raw_user_meta_data, aud, role)
select person.id::uuid, person.email, person.guest, jsonb_build_object('display_name', person.name), 'authenticated', 'authenticated'
from (values
  ('10000000-0000-4000-8000-000000000001', 'hedda@account.test', false, 'Hedda'),
  ('10000000-0000-4000-8000-000000000002', 'mia@account.test', false, 'Mia'),
  ('10000000-0000-4000-8000-000000000003', null, true, 'Gast'),
  ('10000000-0000-4000-8000-000000000004', 'cora@account.test', false, 'Cora')
) as person (id, email, guest, name);
insert into public.circles (id, name) values
  ('20000000-0000-4000-8000-000000000001', 'With others'), ('20000000-0000-4000-8000-000000000002', 'Alone');
insert into public.circle_members (circle_id, user_id, role, joined_at) values
  ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'owner', now()),
  ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', 'member', now() - interval '2 days'),
  ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000004', 'admin', now() - interval '1 day'),
  ('20000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000001', 'owner', now());
insert into public.plans (id, title, time_zone) values
  ('40000000-0000-4000-8000-000000000001', 'With a cohost', 'UTC'),
  ('40000000-0000-4000-8000-000000000002', 'With a guest only', 'UTC'),
  ('40000000-0000-4000-8000-000000000003', 'With nobody', 'UTC');
insert into public.plan_members (plan_id, user_id, role, rsvp) values
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'host', 'going'),
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', 'guest', 'going'),
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', 'guest', 'going'),
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000004', 'cohost', 'pending'),
  ('40000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000001', 'host', 'going'),
  ('40000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000003', 'guest', 'going'),
  ('40000000-0000-4000-8000-000000000003', '10000000-0000-4000-8000-000000000001', 'host', 'going');
insert into public.messages (plan_id, author_id, client_id, body) values
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', gen_random_uuid(), 'Hello from Hedda'),
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', gen_random_uuid(), 'Hello from Mia');

-- Runs an expression as a person: its value, or the error's code. Its changes are kept.
create function pg_temp.say(person text, expression text) returns text language plpgsql as $$
declare
  value text;
begin
  perform set_config('request.jwt.claims', json_build_object('sub', person)::text, true);
  perform set_config('role', case when person is null then 'anon' else 'authenticated' end, true);
  begin
    execute 'select (' || expression || ')::text' into value;
  exception when others then
    value := sqlstate;
  end;
  perform set_config('role', 'postgres', true);
  return value;
end $$;

create temporary table export as
  select pg_temp.say('10000000-0000-4000-8000-000000000001', 'public.export_my_data()')::jsonb as data;
select is(data -> 'account' ->> 'email', 'hedda@account.test', 'the export names the account') from export;
select is(jsonb_array_length(data -> 'plans'), 3, 'the export has every plan one sits at') from export;
select is(data -> 'messages' -> 0 ->> 'body', 'Hello from Hedda', 'the export has one''s messages') from export;
select unalike(data::text, '%Hello from Mia%', 'the export has nobody else''s messages') from export;
select is(jsonb_array_length(data -> 'circles'), 2, 'the export has one''s circles') from export;

select is(pg_temp.say(null, 'public.delete_my_account()'), '42501', 'who is not signed in deletes nobody');
select is(pg_temp.say('10000000-0000-4000-8000-000000000001', 'public.delete_my_account()'), null, 'a person deletes their account');
select is((select count(*)::int from auth.users where id = '10000000-0000-4000-8000-000000000001'), 0, 'the user is gone');
select is((select count(*)::int from public.profiles where id = '10000000-0000-4000-8000-000000000001'), 0, 'the profile is gone');
select is(
  (select user_id::text from public.plan_members where plan_id = '40000000-0000-4000-8000-000000000001' and role = 'host'),
  '10000000-0000-4000-8000-000000000004', 'the cohost takes the plan over');
select is((select status::text from public.plans where id = '40000000-0000-4000-8000-000000000002'), 'cancelled', 'a plan with guests only is cancelled');
select is((select count(*)::int from public.plans where id = '40000000-0000-4000-8000-000000000003'), 0, 'a plan with nobody left goes');
select is(
  (select user_id::text from public.circle_members where circle_id = '20000000-0000-4000-8000-000000000001' and role = 'owner'),
  '10000000-0000-4000-8000-000000000004', 'the admin takes the circle over');
select is((select count(*)::int from public.circles where id = '20000000-0000-4000-8000-000000000002'), 0, 'a circle with nobody left goes');
select is((select author_id from public.messages where body = 'Hello from Hedda'), null, 'messages stay, without a name');

select * from finish();
rollback;
