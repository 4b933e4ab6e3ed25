-- Hosting without an account, and the sample table.
begin;
create extension if not exists pgtap with schema extensions;
select plan(23);

insert into auth.users (id, email, is_anonymous, raw_user_meta_data, aud, role)
select ('10000000-0000-4000-8000-00000000000' || at)::uuid, case when at = 3 then 'ana@hosts.test' end, at <> 3,
  jsonb_build_object('display_name', name), 'authenticated', 'authenticated'
from (values (1, 'Guest'), (2, 'Other guest'), (3, 'Ana')) as person (at, name);

-- Runs a call as one of the three people: its result as text, or "status code" of the error.
create function pg_temp.say(person integer, statement text) returns text language plpgsql as $$
declare
  outcome text;
begin
  perform set_config('request.jwt.claims', json_build_object(
    'sub', '10000000-0000-4000-8000-00000000000' || person, 'role', 'authenticated', 'aal', 'aal1')::text, true);
  perform set_config('role', 'authenticated', true);
  begin
    execute 'select (' || statement || ')::text' into outcome;
  exception when others then
    get stacked diagnostics outcome = pg_exception_detail;
    outcome := sqlstate || ' ' || coalesce(outcome, '');
  end;
  perform set_config('role', 'postgres', true);
  return outcome;
end $$;
create temporary table made (name text primary key, id text);

insert into made values ('first', pg_temp.say(1, $$public.create_plan('Soup', 'UTC')$$));
select is((select role::text from public.plan_members where plan_id = (select id::uuid from made where name = 'first')), 'host', 'a guest hosts the plan that they start');
select ok(length(pg_temp.say(1, format($$select token from public.create_invite(%L)$$, (select id from made where name = 'first')))) > 10, 'and has a link to share');
select is(pg_temp.say(1, format($$select public.invite_by_mail(%L, '{a@b.test}')$$, (select id from made where name = 'first'))), 'PT403 needs_account', 'but sends no mail to strangers');
select pg_temp.say(1, $$public.create_plan('Two', 'UTC')$$), pg_temp.say(1, $$public.create_plan('Three', 'UTC')$$);
select is(pg_temp.say(1, $$public.create_plan('Four', 'UTC')$$), 'PT409 too_many_guest_plans', 'three plans at a time');
select is(pg_temp.say(1, format($$(select 'done' from public.cancel_plan(%L))$$, (select id from made where name = 'first'))), 'done', 'a cancelled plan');
select matches(pg_temp.say(1, $$public.create_plan('Four', 'UTC')$$), '^[0-9a-f-]{36}$', 'makes room for another');
select is(pg_temp.say(1, $$public.create_circle('x')$$), 'PT403 needs_account', 'a circle wants an account');

-- A guest who is a cohost of somebody else's plan.
insert into made values ('ana', pg_temp.say(3, $$public.create_plan('Stew', 'UTC')$$));
insert into public.plan_members (plan_id, user_id, role) select id::uuid, '10000000-0000-4000-8000-000000000002', 'cohost' from made where name = 'ana';
select ok(length(pg_temp.say(2, format($$select token from public.create_invite(%L)$$, (select id from made where name = 'ana')))) > 10, 'a guest who is a cohost has a link to share');
select is(pg_temp.say(2, format($$select public.invite_by_mail(%L, '{a@b.test}')$$, (select id from made where name = 'ana'))), 'PT403 needs_account', 'but sends no mail to strangers');

-- A new guest from the same network does not begin to count anew.
update private.limits set value = 4 where name = 'guest_plans_per_network';
select is(pg_temp.say(2, $$public.create_plan('Other', 'UTC')$$), 'PT429 too_many_plans', 'guests of one network have one limit of plans a day');
select set_config('request.headers', '{"cf-connecting-ip": "203.0.113.7"}', true);
select matches(pg_temp.say(2, $$public.create_plan('Other', 'UTC')$$), '^[0-9a-f-]{36}$', 'those of another network their own');
select set_config('request.headers', '', true);
update private.limits set value = 20 where name = 'guest_plans_per_network';

-- The sample table.
insert into made values ('sample', pg_temp.say(2, $$public.start_sample_plan('Try me', 'Made up.', 'Hello!', 'Europe/Lisbon')$$));
select matches((select id from made where name = 'sample'), '^[0-9a-f-]{36}$', 'a guest gets a table of their own');
select is(pg_temp.say(2, $$public.start_sample_plan('Again', '', 'Hello!')$$), (select id from made where name = 'sample'), 'asked again, the same one');
select isnt(pg_temp.say(1, $$public.start_sample_plan('Try me', '', 'Hello!')$$), (select id from made where name = 'sample'), 'and each visitor another one');
select is((select string_agg(role::text, ',' order by role, user_id) from public.plan_members where plan_id = (select id::uuid from made where name = 'sample')), 'host,guest,guest,guest,guest', 'the visitor hosts four made-up people');
select is((select count(*)::integer from public.time_votes where plan_id = (select id::uuid from made where name = 'sample')), 12, 'who have voted on each time');
select is((select count(*)::integer from public.messages where plan_id = (select id::uuid from made where name = 'sample')), 1, 'and said hello');
select is((select count(*)::integer from auth.users where id::text like '%5a3b1e%' and (email is not null or encrypted_password is not null)), 0, 'nobody can sign in as one of them');
select is((select count(*)::integer from public.notifications as n where n.user_id::text like '%5a3b1e%'), 0, 'they are told nothing');

-- The first guest deletes the account.
select pg_temp.say(1, $$(select 'gone' from public.delete_my_account())$$);
select is((select count(*)::integer from public.plans where title = 'Try me' and id not in (select id::uuid from made)), 0, 'a table to try goes with its visitor');
-- A real person joins the other sample table.
insert into public.plan_members (plan_id, user_id) select id::uuid, '10000000-0000-4000-8000-000000000003' from made where name = 'sample';

update private.sample_plans set made_at = now() - interval '15 days';
select private.clear_sample_plans();
select is((select count(*)::integer from private.sample_plans), 0, 'an old table is cleared');
select is((select count(*)::integer from public.plans where id = (select id::uuid from made where name = 'sample')), 1, 'one at which a real person sits stays as a plan');
select is((select count(*)::integer from public.plans where title = 'Stew'), 1, 'and so do all others');

select * from finish();
rollback;
