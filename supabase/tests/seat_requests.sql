-- A guest who lost their device asks for their seat: who may ask, who may answer, and what moves.
begin;
create extension if not exists pgtap with schema extensions;
select plan(59);

-- 1 Hana and 2 Cohost host; 3 Ben is a guest at the table, and 4 says that he is Ben. 5 Noor has an account, 6 is a guest of
-- that name; 7 and 8 are both Eva; 9 is Ben, and at no table.
insert into auth.users (id, email, is_anonymous, raw_user_meta_data, aud, role)
select ('10000000-0000-4000-8000-00000000000' || at)::uuid, case when at in (1, 2, 5) then at || '@seat.test' end,
  at not in (1, 2, 5), jsonb_build_object('display_name', name), 'authenticated', 'authenticated'
from unnest(array['Hana', 'Cohost', 'Ben', 'ben', 'Noor', 'Noor', 'Eva', 'Eva', 'Ben']) with ordinality as person (name, at);
create function pg_temp.person(number integer) returns uuid language sql as
  $$select ('10000000-0000-4000-8000-' || lpad(number::text, 12, '0'))::uuid$$;
create function pg_temp.plan(number integer) returns uuid language sql as
  $$select ('40000000-0000-4000-8000-00000000000' || number)::uuid$$;
insert into public.plans (id, title, time_zone) select pg_temp.plan(number), 'Plan ' || number, 'UTC' from generate_series(1, 3) as number;
-- Ben hosts the second plan, and is cohost of the third.
insert into public.plan_members (plan_id, user_id, role, rsvp, plus_ones)
select pg_temp.plan(plan), pg_temp.person(person), role::public.plan_role, rsvp::public.rsvp_status, plus
from (values
  (1, 1, 'host', 'going', 0), (1, 2, 'cohost', 'pending', 0), (1, 3, 'guest', 'maybe', 0), (1, 5, 'guest', 'pending', 0),
  (1, 7, 'guest', 'pending', 0), (1, 8, 'guest', 'pending', 0),
  (2, 3, 'host', 'going', 0), (2, 2, 'cohost', 'pending', 0), (3, 1, 'host', 'going', 0), (3, 2, 'cohost', 'pending', 0),
  (3, 3, 'cohost', 'pending', 0)) as seat (plan, person, role, rsvp, plus);
insert into public.invites (plan_id, created_by, token_hash, expires_at, max_uses)
select pg_temp.plan(number), pg_temp.person(2), private.token_hash('link ' || number), now() + interval '1 day', 9
from generate_series(1, 3) as number;
insert into public.invites (plan_id, created_by, token_hash, expires_at, max_uses)
  values (pg_temp.plan(1), pg_temp.person(2), private.token_hash('old'), now(), 9);
insert into public.time_options (id, plan_id, starts_at, ends_at, proposed_by)
  values ('50000000-0000-4000-8000-000000000001', pg_temp.plan(1), now() + interval '5 days', now() + interval '5 days 2 hours', pg_temp.person(1));
insert into public.time_votes (option_id, plan_id, user_id, answer)
  values ('50000000-0000-4000-8000-000000000001', pg_temp.plan(1), pg_temp.person(3), 'yes');
update public.private_profiles set start_latitude = 38.71, start_longitude = -9.14 where id = pg_temp.person(3);
insert into private.mail_recipients (address) values ('ben@seat.test');
insert into private.left_addresses (plan_id, user_id, address, confirmed_at) values (pg_temp.plan(1), pg_temp.person(3), 'ben@seat.test', now());

-- Runs a call as a person (0: signed out): its answer, or the code of the refusal.
create function pg_temp.say(person integer, call text) returns text language plpgsql as $$
declare
  answer text;
begin
  perform set_config('request.jwt.claims', case when person = 0 then '{"role":"anon"}' else json_build_object(
    'sub', pg_temp.person(person), 'role', 'authenticated', 'aal', 'aal1')::text end, true);
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
create function pg_temp.taken(name text, link text default 'link 1') returns text language sql as
  $$select pg_temp.say(0, format('(select t.kind from public.namesake(%L, %L) as t)', name, link))$$;
create function pg_temp.ask(person integer, link text default 'link 1') returns text language sql as
  $$select right(pg_temp.say(person, format('public.ask_for_seat(%L)', link)), 16)$$;
create function pg_temp.answer(person integer, asker integer, seat integer, allow boolean, plan integer default 1) returns text language sql as
  $$select pg_temp.say(person, format('public.answer_seat_request(%L, %L, %L, %L)', pg_temp.plan(plan), pg_temp.person(asker), pg_temp.person(seat), allow))$$;
create function pg_temp.sees(person integer, plan integer default 1) returns text language sql as
  $$select pg_temp.say(person, format('(select string_agg(r.display_name || ''/'' || coalesce(r.seat_name, ''-''), '','') from public.join_requests(%L) as r)', pg_temp.plan(plan)))$$;
create function pg_temp.request(person integer, plan integer default 1) returns text language sql as
  $$select pg_temp.say(person, format('(select v.request from public.preview_plan(%L) as v)', pg_temp.plan(plan)))$$;
create function pg_temp.told(person integer) returns text language sql as
  $$select string_agg(n.kind::text, ',' order by n.created_at, n.kind) from public.notifications as n where n.user_id = pg_temp.person(person)$$;

-- Whose name is taken, and who may hear it.
select is(pg_temp.taken('Ben'), 'guest', 'a guest has the name');
select is(pg_temp.taken('  bEN '), 'guest', 'in whatever case');
select is(pg_temp.say(0, $$(select t.called from public.namesake('  bEN ', 'link 1') as t)$$), 'Ben', 'and hears how it is written');
select is(pg_temp.taken('Noor'), 'account', 'an account has it');
select is(pg_temp.taken('Eva'), 'several', 'two people have it');
select is(pg_temp.taken('Zoe'), null, 'nobody has it');
select is(pg_temp.taken('Eva', 'link 2'), null, 'another plan''s people are not asked');
select is(pg_temp.taken('Ben', 'wrong') || ' ' || pg_temp.taken('Ben', 'old'), 'invite_not_found invite_expired', 'only by an invite that works');
update private.limits set value = 2 where name = 'names_per_network';
select is(concat_ws(' ', pg_temp.taken('Ben', 'link 3'), pg_temp.taken('Hana', 'link 3'), pg_temp.taken('Cohost', 'link 3')),
  'guest account too_many_names', 'a network asks for so many names of a plan in a day');
select is(pg_temp.taken('Ben', 'link 2'), 'guest', 'which does not count at another');
update private.limits set value = 60 where name = 'names_per_network';

-- Who may ask, and for what.
select is(pg_temp.say(0, $$public.ask_for_seat('link 1')$$), 'denied', 'signed out, nobody asks');
select is(pg_temp.say(5, $$public.ask_for_seat('link 2')$$), 'not_a_guest', 'an account signs in');
select is(pg_temp.say(6, $$public.ask_for_seat('link 1')$$), 'person_not_found', 'nobody asks for the seat of an account');
select is(pg_temp.say(6, $$public.ask_for_seat('link 2')$$), 'person_not_found', 'nor for that of nobody');
select is(pg_temp.say(4, $$public.ask_for_seat('old')$$), 'invite_expired', 'nor by a link that has ended');
select is(pg_temp.say(4, $$public.ask_for_seat('link 1')$$), pg_temp.plan(1)::text, 'a guest asks for the seat of their name');
select is(pg_temp.say(4, $$public.ask_for_seat('link 1')$$), pg_temp.plan(1)::text, 'twice is once');
select is(pg_temp.told(1) || ' ' || pg_temp.told(2) || ' ' || pg_temp.told(3), 'join_asked join_asked seat_asked', 'the hosts and the old device are told, once');
select is(pg_temp.request(4), 'asked', 'the page says that it waits');
select is(pg_temp.sees(1) || ' ' || pg_temp.sees(3), 'ben/Ben ben/Ben', 'a host sees it, and the old device');
select is(pg_temp.sees(5), null, 'others see nothing');
select is(pg_temp.sees(4), null, 'nor does who asks');

-- Who may answer.
select is(pg_temp.answer(4, 4, 3, true), 'plan_not_found', 'nobody moves a seat to themselves');
select is(pg_temp.answer(5, 4, 3, true), 'not_host', 'nor does another person at the table');
select is(pg_temp.answer(5, 4, 5, true), 'person_not_found', 'nor by calling the seat their own');
select is(pg_temp.answer(1, 4, 7, true), 'person_not_found', 'a host moves the seat that was asked for, and no other');
select is(pg_temp.answer(1, 9, 3, true), 'person_not_found', 'to who has asked, and nobody else');
select is(pg_temp.answer(2, 4, 3, true, 3), 'person_not_found', 'at that plan, and no other');
select is(pg_temp.say(1, format('public.answer_join_request(%L, %L, true)', pg_temp.plan(1), pg_temp.person(4))), 'person_not_found',
  'letting in gives no second seat');
select is(pg_temp.answer(1, 4, 3, false), '', 'a host declines');
select is(pg_temp.request(4), 'declined', 'the page says so');
select is(pg_temp.sees(3), null, 'the old device is asked no more');
select pg_temp.ask(4);
select is(pg_temp.answer(3, 4, 3, false), '', 'the old device declines');
select pg_temp.ask(4);
select is(pg_temp.answer(1, 4, 3, true), '', 'a host may say yes');

-- What moves.
select is((select m.user_id || ' ' || m.role || ' ' || m.rsvp from public.plan_members as m
  where m.plan_id = pg_temp.plan(1) and m.user_id in (pg_temp.person(3), pg_temp.person(4))), pg_temp.person(4) || ' guest maybe', 'the seat moves');
select is((select v.user_id from public.time_votes as v where v.plan_id = pg_temp.plan(1)), pg_temp.person(4), 'with its votes');
select is((select m.user_id from public.plan_members as m where m.plan_id = pg_temp.plan(2) and m.role = 'host'), pg_temp.person(3), 'no other plan does');
select is((select start_latitude from public.private_profiles where id = pg_temp.person(4)), null, 'nor the starting point');
select is((select count(*)::integer from private.left_addresses), 0, 'nor the address');
select is(pg_temp.request(3), 'moved', 'the old device says so');
select is(pg_temp.told(3), 'seat_asked,seat_asked,seat_asked,seat_moved', 'and its activity');
select is(pg_temp.say(3, format('(select count(*) from public.plan_members where plan_id = %L)', pg_temp.plan(1))), '0', 'which reads the plan no more');
select is((select count(*)::integer from private.join_requests), 0, 'the request is gone');

-- The seats of hosts.
select pg_temp.ask(9, 'link 2'), pg_temp.ask(9, 'link 3');
select is(pg_temp.answer(2, 9, 3, true, 2), 'not_main_host', 'a cohost does not give the host''s seat away');
select is(pg_temp.answer(2, 9, 3, true, 3), 'not_main_host', 'nor a cohost''s');
select is(pg_temp.answer(1, 9, 3, true, 3), '', 'the host does');
select is(pg_temp.answer(3, 9, 3, true, 2), '', 'the old device gives its own');

-- An account meanwhile, and too many requests.
insert into public.plan_members (plan_id, user_id) values (pg_temp.plan(3), pg_temp.person(7));
select pg_temp.ask(8, 'link 3');
update public.profiles set is_guest = false where id = pg_temp.person(7);
select is(pg_temp.answer(1, 8, 7, true, 3), 'person_not_found', 'the seat of an account does not move');
update private.limits set value = 0 where name = 'join_requests_per_person';
insert into public.plan_members (plan_id, user_id) values (pg_temp.plan(2), pg_temp.person(3));
update public.profiles set display_name = 'Ben L' where id = pg_temp.person(9);
select is(pg_temp.say(4, $$public.ask_for_seat('link 2')$$), 'too_many_join_requests', 'requests for seats count as others do');
update private.limits set value = 5 where name = 'join_requests_per_person';

-- By the plan's own address: 10 is Ben, 11 Zoe, and 12 Ben again, all guests without a seat.
insert into auth.users (id, is_anonymous, raw_user_meta_data, aud, role)
select pg_temp.person(at), true, jsonb_build_object('display_name', name), 'authenticated', 'authenticated'
from (values (10, 'ben'), (11, 'Zoe'), (12, 'Ben')) as person (at, name);
create function pg_temp.back(number integer, plan integer) returns text language sql as
  $$select pg_temp.say(number, format('public.ask_for_seat(plan => %L)', pg_temp.plan(plan)))$$;
create function pg_temp.at_address(name text) returns text language sql as
  $$select pg_temp.say(0, format('(select t.kind || '' '' || t.called from public.namesake(%L, plan => %L) as t)', name, pg_temp.plan(2)))$$;
insert into public.plans (id, title, time_zone) values (pg_temp.plan(4), 'Plan 4', 'UTC');
insert into public.plan_members (plan_id, user_id, role) values (pg_temp.plan(4), pg_temp.person(1), 'host'), (pg_temp.plan(4), pg_temp.person(3), 'guest');
select is(pg_temp.at_address('ben'), null, 'the address of a plan tells no name');
update public.plans set joins_by_link = true where id = pg_temp.plan(2);
select is(pg_temp.at_address('ben'), 'guest Ben', 'unless its hosts have opened it');
select is(pg_temp.at_address('Zoe'), null, 'of nobody it tells nothing');
select is(pg_temp.back(11, 2), 'person_not_found', 'there nobody asks for the seat of nobody');
delete from public.notifications;
select is(pg_temp.back(10, 4), pg_temp.plan(4)::text, 'a guest asks for their seat by the address of a plan');
select is(pg_temp.told(1) || ' ' || pg_temp.told(3), 'join_asked seat_asked', 'host and old device are told');
select is(pg_temp.back(11, 4), pg_temp.plan(4)::text, 'the name of nobody is answered in the same way');
select is(pg_temp.sees(1, 4), 'ben/Ben,Zoe/-', 'and is a request to join');
update private.limits set value = 2 where name = 'plan_people';
select is(pg_temp.back(12, 4) || ' ' || coalesce(pg_temp.told(1), ''), pg_temp.plan(4) || ' join_asked,join_asked,join_asked', 'a full table tells nothing either');
insert into private.removals (plan_id, user_id) values (pg_temp.plan(4), pg_temp.person(11));
select is(pg_temp.back(11, 4), 'removed_before', 'who was removed does not come back this way');

select * from finish();
rollback;
