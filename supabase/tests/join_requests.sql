-- The plan's own address: what it shows to others, requests to join with their limits, and a plan that takes a name without
-- asking.
begin;
create extension if not exists pgtap with schema extensions;
select plan(53);

-- Host and Cohost; Lea and Finn are guests elsewhere, Noor has an account, Ex was removed.
insert into auth.users (id, email, is_anonymous, raw_user_meta_data, aud, role)
select ('10000000-0000-4000-8000-00000000000' || at)::uuid, case when at not in (3, 4) then at || '@ask.test' end, at in (3, 4),
  jsonb_build_object('display_name', name), 'authenticated', 'authenticated'
from unnest(array['Hana Host', 'Cohost', 'Lea Lang', 'Finn', 'Noor', 'Ex']) with ordinality as person (name, at);
insert into public.plans (id, title, time_zone)
  select ('40000000-0000-4000-8000-00000000000' || number)::uuid, 'Plan ' || number, 'UTC' from generate_series(1, 7) as number;
insert into public.plan_members (plan_id, user_id, role)
  select p.id, '10000000-0000-4000-8000-000000000001', 'host' from public.plans as p where p.id::text like '40000000%';
insert into public.plan_members (plan_id, user_id, role)
  values ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', 'cohost');
insert into private.removals (plan_id, user_id) values ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000006');

-- Runs a call as a person (0: signed out): its answer, or the code of the refusal.
create function pg_temp.say(person integer, call text) returns text language plpgsql as $$
declare
  answer text;
begin
  perform set_config('request.jwt.claims', case when person = 0 then '{"role":"anon"}' else json_build_object(
    'sub', '10000000-0000-4000-8000-00000000000' || person, 'role', 'authenticated', 'aal', 'aal1')::text end, true);
  perform set_config('role', case when person = 0 then 'anon' else 'authenticated' end, true);
  begin
    execute 'select (' || call || ')::text' into answer;
  exception
    when insufficient_privilege then answer := 'denied';
    when others then get stacked diagnostics answer = pg_exception_detail;
  end;
  perform set_config('role', 'postgres', true);
  return answer;
end $$;
create function pg_temp.plan(number integer) returns text language sql as
  $$select quote_literal('40000000-0000-4000-8000-00000000000' || number)$$;
create function pg_temp.ask(person integer, number integer default 1) returns text language sql as
  $$select pg_temp.say(person, format('public.ask_to_join(%s)', pg_temp.plan(number)))$$;
create function pg_temp.preview(person integer, number integer default 1) returns text language sql as
  $$select pg_temp.say(person, format('(select v from public.preview_plan(%s) as v)', pg_temp.plan(number)))$$;
create function pg_temp.waiting(person integer, number integer default 1) returns text language sql as
  $$select pg_temp.say(person, format('(select string_agg(r.display_name || case when r.declined_at is null then '''' else '' (declined)'' end, '','') from public.join_requests(%s) as r)', pg_temp.plan(number)))$$;
create function pg_temp.answer(person integer, whom integer, welcome boolean, number integer default 1) returns text language sql as
  $$select pg_temp.say(person, format('public.answer_join_request(%s, %L, %L)', pg_temp.plan(number), '10000000-0000-4000-8000-00000000000' || whom, welcome))$$;
create function pg_temp.from_network(address text) returns void language sql as
  $$select set_config('request.headers', json_build_object('x-forwarded-for', address)::text, true)$$;

-- What the address shows, and to whom.
select is(pg_temp.preview(0), '("Plan 1",Hana,1,polling,f,f,,en)', 'who was seated and has said nothing is not counted');
update public.plan_members set accepted_at = now() where user_id = '10000000-0000-4000-8000-000000000002';
select is(pg_temp.preview(0), '("Plan 1",Hana,2,polling,f,f,,en)', 'signed out: title, first name, number of people, state');
select is(pg_temp.preview(5), '("Plan 1",Hana,2,polling,f,f,,en)', 'signed in: the same');
select is(pg_temp.preview(2), '("Plan 1",Hana,2,polling,t,f,,en)', 'who sits there is told so');
select is(pg_temp.say(0, $$(select v from public.preview_plan(gen_random_uuid()) as v)$$), 'plan_not_found', 'no plan has that id');
select is(pg_temp.ask(0), 'denied', 'signed out, nobody asks');
select is(pg_temp.say(3, $$(select count(*) from public.plans)$$) || pg_temp.say(3, $$(select count(*) from public.plan_members)$$), '00',
  'the address opens no row');
insert into private.sample_plans (person, plan_id) values
  ('10000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000007');
select is(pg_temp.preview(0, 7) || ' ' || pg_temp.ask(3, 7), 'plan_not_found plan_not_found', 'a sample table has no address');

-- Asking and answering.
select is(pg_temp.ask(3), 'asked', 'a guest asks');
select is(pg_temp.ask(3), 'asked', 'twice is once');
select is((select string_agg(n.user_id::text || n.kind, ' ' order by n.user_id) from public.notifications as n where n.plan_id::text like '40000000%'),
  '10000000-0000-4000-8000-000000000001join_asked 10000000-0000-4000-8000-000000000002join_asked', 'each host is told once');
select is(pg_temp.preview(3), '("Plan 1",Hana,2,polling,f,f,asked,en)', 'the guest sees that it waits');
select is(pg_temp.waiting(1) || pg_temp.waiting(2), 'Lea LangLea Lang', 'both hosts see who asks');
select is(pg_temp.waiting(3), null, 'nobody else does');
select is(pg_temp.say(1, $$(select count(*) from public.profiles as p where p.display_name = 'Lea Lang')$$), '0', 'a request shows no profile');
select is(pg_temp.answer(3, 3, true), 'plan_not_found', 'nobody lets themselves in');
select is(pg_temp.answer(1, 5, true), 'person_not_found', 'a host lets in who has asked, and nobody else');
select is(pg_temp.answer(2, 3, true), '', 'a cohost lets in');
select is((select m.role || ' ' || m.rsvp || ' ' || (m.accepted_at is not null) from public.plan_members as m
  where m.plan_id = '40000000-0000-4000-8000-000000000001' and m.user_id = '10000000-0000-4000-8000-000000000003'),
  'guest pending true', 'with a seat');
select is((select n.actor_id::text from public.notifications as n where n.kind = 'plan_invited'
  and n.user_id = '10000000-0000-4000-8000-000000000003'), '10000000-0000-4000-8000-000000000002', 'and is told by whom');
select is((select count(*)::integer from private.join_requests), 0, 'the request is gone');
select is(pg_temp.ask(3), 'joined', 'who sits there need not ask');
select is(pg_temp.ask(5), 'asked', 'another asks');
select is(pg_temp.answer(1, 5, false), '', 'the host declines');
select is(pg_temp.preview(5), '("Plan 1",Hana,3,polling,f,f,declined,en)', 'which the asker sees');
select is(pg_temp.waiting(1), 'Noor (declined)', 'hosts see whom they declined');
select is(pg_temp.ask(5) || ' ' || pg_temp.preview(5), 'asked ("Plan 1",Hana,3,polling,f,f,asked,en)', 'the person asks again');
select is(pg_temp.waiting(1), 'Noor', 'and hosts see an open request');
select is((select count(*)::integer from public.notifications where kind = 'join_asked' and actor_id = '10000000-0000-4000-8000-000000000005'), 4,
  'of which each of both hosts was told twice');
select pg_temp.answer(1, 5, false), pg_temp.ask(5), pg_temp.answer(1, 5, false);
select is(pg_temp.ask(5) || ' ' || pg_temp.preview(5), 'refused ("Plan 1",Hana,3,polling,f,f,refused,en)', 'three times in all');
select is(pg_temp.answer(1, 5, true), '', 'a host may still let the person in');

-- By mail: who is told so, with the name of who asks and the days that are voted on.
insert into public.time_options (plan_id, starts_at, ends_at) select '40000000-0000-4000-8000-000000000001',
  ('2036-05-0' || day || 'T19:00Z')::timestamptz, ('2036-05-0' || day || 'T21:00Z')::timestamptz from unnest(array[1, 3]) as day;
update auth.users set email_confirmed_at = now() where id in ('10000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002');
update public.private_profiles set mail_reminders = false where id = '10000000-0000-4000-8000-000000000002';
delete from private.outgoing_mail;
select is(pg_temp.ask(4), 'asked', 'another guest asks');
select results_eq(
  $$select m ->> 'address', m ->> 'kind', m ->> 'sender', m ->> 'plan_id', m ->> 'first_starts_at', m ->> 'last_starts_at'
    from jsonb_array_elements(public.take_mail()) as m$$,
  $$values ('1@ask.test', 'join_asked', 'Finn', '40000000-0000-4000-8000-000000000001', '2036-05-01T19:00:00+00:00', '2036-05-03T19:00:00+00:00')$$,
  'the host who wants mail gets one');
delete from private.join_requests where user_id = '10000000-0000-4000-8000-000000000004';
select is(pg_temp.ask(6) || ' ' || pg_temp.preview(6), 'removed_before ("Plan 1",Hana,4,polling,f,f,removed,en)', 'who was removed needs a new invite, and is told so');
update public.plan_members set rsvp = 'declined' where user_id = '10000000-0000-4000-8000-000000000002';
select is(pg_temp.preview(6), '("Plan 1",Hana,3,polling,f,f,removed,en)', 'nor is who has declined');
update public.plan_members set rsvp = 'pending' where user_id = '10000000-0000-4000-8000-000000000002';

-- Limits: a person, a network whatever guests come from it, and a plan.
delete from private.daily_uses;
select is((select string_agg(pg_temp.ask(4, number), ' ' order by number) from generate_series(1, 6) as number),
  'asked asked asked asked asked too_many_join_requests', 'a person asks at five plans a day');
select pg_temp.from_network('203.0.113.7');
insert into private.daily_uses (subject, uses) values (private.token_hash('join network 203.0.113.7'), 20);
select is(pg_temp.ask(3, 2), 'too_many_join_requests', 'a network asks twenty times a day');
select pg_temp.from_network('203.0.113.8');
select is(pg_temp.ask(3, 2), 'asked', 'another network does not wait for it');
update private.limits set value = 1 where name = 'open_join_requests';
select is(pg_temp.ask(3, 3), 'join_requests_full', 'a plan holds so many open requests');
select is(pg_temp.answer(1, 4, false, 3), '', 'one is answered');
select is(pg_temp.ask(3, 3), 'asked', 'which makes room');
update private.limits set value = 1 where name = 'plan_people';
select is(pg_temp.ask(3, 4), 'plan_full', 'at a full table nobody asks');
select is(pg_temp.answer(1, 4, true, 4), 'plan_full', 'and nobody is let in');
update private.limits set value = 20 where name = 'plan_people';

-- A plan whose address is open: a name is enough, by a call of one's own.
select is(pg_temp.say(3, format('(select 1 from public.plans where id = %s)', pg_temp.plan(5))), null, 'a stranger');
update public.plans set joins_by_link = true where id = '40000000-0000-4000-8000-000000000005';
select is(pg_temp.preview(0, 5), '("Plan 5",Hana,1,polling,f,t,,en)', 'the address says that it is open');
select is((select count(*)::integer from public.plan_members where plan_id = '40000000-0000-4000-8000-000000000005'), 1, 'looking joins nobody');
select is(pg_temp.ask(4, 5), 'joined', 'who has asked before takes the seat now');
select is((select count(*)::integer from private.join_requests where plan_id = '40000000-0000-4000-8000-000000000005'), 0, 'and the request is gone');
select is((select n.actor_id::text from public.notifications as n where n.kind = 'person_joined'
  and n.user_id = '10000000-0000-4000-8000-000000000001'), '10000000-0000-4000-8000-000000000004', 'the host is told');
insert into private.removals (plan_id, user_id) values ('40000000-0000-4000-8000-000000000005', '10000000-0000-4000-8000-000000000006');
select is(pg_temp.ask(6, 5), 'removed_before', 'an open address is closed to who was removed');

-- Nobody asks at a plan that is cancelled.
select is(pg_temp.say(1, format('public.cancel_plan(%s)', pg_temp.plan(2))), '', 'cancelled');
select is(pg_temp.preview(0, 2) || pg_temp.ask(5, 2), '("Plan 2",Hana,1,cancelled,f,f,,en)plan_cancelled', 'the address says so');
select is(pg_temp.answer(1, 4, true, 2), 'plan_cancelled', 'nor is anybody let in');

select * from finish();
rollback;
