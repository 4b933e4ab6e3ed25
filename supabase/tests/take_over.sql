-- take_over_guest: what passes to the account, what the account keeps, and that every key to a person is handled.
begin;
create extension if not exists pgtap with schema extensions;
select no_plan();

-- ---------------------------------------------------------------------------------------------------------
-- Every foreign key to a person or a seat, and what take_over_guest does with it. A new one must be added here.
create temporary table keys (key text, fate text);
insert into keys values
  ('arrivals(plan_id,user_id)', 'follows the seat; the account''s own wins'),
  ('circle_places(put_by)', 'guests are in no circle'),
  ('circle_members(user_id)', 'guests are in no circle'),
  ('invites(created_by)', 'passes'),
  ('message_reads(plan_id,user_id)', 'follows the seat; the later one'),
  ('messages(author_id)', 'passes, with a new revision'),
  ('notifications(actor_id)', 'passes'),
  ('notifications(user_id)', 'passes, but what both were told once'),
  ('photos(author_id)', 'passes, with the file'),
  ('place_diet_claims(made_by)', 'passes; the account''s own wins'),
  ('place_homes(user_id)', 'passes'),
  ('place_options(proposed_by)', 'passes'),
  ('place_votes(plan_id,user_id)', 'follows the seat; the account''s own wins'),
  ('places(created_by)', 'passes'),
  ('plan_members(user_id)', 'passes, or merges with the account''s seat'),
  ('plans(ready_by)', 'passes'),
  ('plans(vetoed_by)', 'passes'),
  ('usual_times(user_id)', 'passes; the account''s own wins'),
  ('private.calendar_feeds(user_id)', 'passes, unless the account has one'),
  ('private.join_requests(seat_of)', 'goes with the guest: the account signs in'),
  ('private.join_requests(user_id)', 'passes, unless the account sits there or has asked'),
  ('private.left_addresses(plan_id,user_id)', 'follows the seat; an account has its own'),
  ('private.outgoing_mail(sender_id)', 'passes'),
  ('private.outgoing_push(plan_id,user_id)', 'follows the seat'),
  ('private.personal_links(user_id)', 'goes with the guest'),
  ('private.reminders(user_id)', 'passes'),
  ('private.removals(user_id)', 'passes, unless the account sits there'),
  ('private.sample_plans(person)', 'passes, unless the account has one'),
  ('private.usage(user_id)', 'goes with the guest'),
  ('private_profiles(id)', 'goes with the guest; fills a missing starting point'),
  ('profiles(id)', 'goes with the guest; fills missing diets and budget'),
  ('push_subscriptions(user_id)', 'passes'),
  ('ratings(plan_id,user_id)', 'follows the seat; the account''s own wins'),
  ('reactions(plan_id,user_id)', 'follows the seat'),
  ('saved_places(user_id)', 'passes'),
  ('time_options(proposed_by)', 'passes'),
  ('time_votes(plan_id,user_id)', 'follows the seat; the account''s own wins');

select set_config('search_path', 'public, extensions', true);
select set_eq(
  $$select c.conrelid::regclass || '(' || string_agg(a.attname, ',' order by k.at) || ')'
    from pg_constraint as c
    cross join unnest(c.conkey) with ordinality as k (attnum, at)
    join pg_attribute as a on a.attrelid = c.conrelid and a.attnum = k.attnum
    where c.contype = 'f' and c.connamespace in ('public'::regnamespace, 'private'::regnamespace)
      and c.confrelid in ('public.profiles'::regclass, 'auth.users'::regclass, 'public.plan_members'::regclass)
    group by c.oid, c.conrelid$$,
  'select key from keys', 'the list has every key to a person or a seat');
select is_empty(
  $$select c.conrelid::regclass from pg_constraint as c
    where c.contype = 'f' and c.confrelid = 'public.plan_members'::regclass and c.confupdtype <> 'c'$$,
  'every key to a seat follows it');

-- ---------------------------------------------------------------------------------------------------------
-- A: the account. B: the guest. C: a host. D: another person. E: a guest who is removed. F: an account with a factor.
create function pg_temp.id(letter text) returns uuid language sql as
  $$select (rpad(to_hex(ascii(letter)), 8, '0') || '-0000-4000-8000-000000000000')::uuid$$;
insert into auth.users (id, email, is_anonymous, raw_user_meta_data, aud, role)
select pg_temp.id(name), case when not guest then name || '@take.test' end, guest,
  jsonb_build_object('display_name', name), 'authenticated', 'authenticated'
from (values ('A', false), ('B', true), ('C', false), ('D', false), ('E', true), ('F', false)) as person (name, guest);
insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
  values (gen_random_uuid(), pg_temp.id('F'), 'totp', 'verified', now(), now());

create function pg_temp.say(person text, statement text) returns text language plpgsql as $$
declare
  result text;
begin
  perform set_config('request.jwt.claims',
    json_build_object('sub', pg_temp.id(person), 'role', 'authenticated', 'aal', 'aal1')::text, true);
  perform set_config('role', 'authenticated', true);
  begin
    execute 'select (' || statement || ')::text' into result;
  exception when others then
    get stacked diagnostics result = pg_exception_detail;
    if coalesce(result, '') = '' then result := sqlstate || ' ' || sqlerrm; end if;
  end;
  perform set_config('role', 'postgres', true);
  perform set_config('request.jwt.claims', '', true);
  return result;
end $$;
create function pg_temp.link(person text, token text) returns void language sql as $$
  insert into private.personal_links (user_id, token_hash, expires_at)
    values (pg_temp.id(person), private.token_hash(token), now() + interval '1 day')
    on conflict (user_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at, session_id = null;
$$;

insert into public.places (id, name, latitude, longitude, price, time_zone, everybody) values (pg_temp.id('k'), 'Kitchen', 38.7, -9.1, 2, 'UTC', true);
-- p: B alone sits. q: both sit. r: B hosts. s: A was removed. t: B was removed. u: both sit and B hosts. v: full, both sit.
insert into public.plans (id, title, time_zone, capacity)
select pg_temp.id(name), name, 'UTC', case name when 'v' then 2 end from unnest(array['p', 'q', 'r', 's', 't', 'u', 'v', 'w']) as name;
insert into public.plan_members (plan_id, user_id, role, rsvp, plus_ones, waitlisted_at)
select pg_temp.id(plan), pg_temp.id(person), role::public.plan_role, rsvp::public.rsvp_status, plus,
  case rsvp when 'waitlisted' then now() end
from (values
  ('p', 'C', 'host', 'going', 0), ('p', 'B', 'cohost', 'going', 2),
  ('q', 'C', 'host', 'going', 0), ('q', 'A', 'guest', 'pending', 0), ('q', 'B', 'cohost', 'maybe', 0),
  ('r', 'B', 'host', 'going', 0), ('r', 'C', 'guest', 'going', 0),
  ('s', 'C', 'host', 'going', 0), ('s', 'B', 'guest', 'going', 0),
  ('t', 'C', 'host', 'going', 0),
  ('u', 'B', 'host', 'going', 0), ('u', 'A', 'cohost', 'declined', 0), ('u', 'C', 'guest', 'going', 0),
  ('v', 'C', 'host', 'declined', 0), ('v', 'B', 'guest', 'going', 1), ('v', 'A', 'guest', 'waitlisted', 0), ('v', 'D', 'guest', 'waitlisted', 1),
  ('w', 'B', 'host', 'going', 0), ('w', 'C', 'cohost', 'going', 0)
) as seat (plan, person, role, rsvp, plus);
insert into private.removals (plan_id, user_id) values
  (pg_temp.id('s'), pg_temp.id('A')), (pg_temp.id('t'), pg_temp.id('B')), (pg_temp.id('w'), pg_temp.id('A'));
insert into public.time_options (id, plan_id, starts_at, ends_at, proposed_by)
select pg_temp.id(number), pg_temp.id(plan), date_trunc('day', now()) + (ascii(number) - 45 || ' days')::interval,
  date_trunc('day', now()) + (ascii(number) - 45 || ' days 1 hour')::interval, pg_temp.id('B')
from (values ('1', 'p'), ('2', 'q'), ('3', 'q')) as o (number, plan);
insert into public.place_options (id, plan_id, place_id, proposed_by) values (pg_temp.id('4'), pg_temp.id('q'), pg_temp.id('k'), pg_temp.id('B'));
insert into public.time_votes (option_id, plan_id, user_id, answer) values
  (pg_temp.id('1'), pg_temp.id('p'), pg_temp.id('B'), 'yes'),
  (pg_temp.id('2'), pg_temp.id('q'), pg_temp.id('B'), 'yes'), (pg_temp.id('2'), pg_temp.id('q'), pg_temp.id('A'), 'no'),
  (pg_temp.id('3'), pg_temp.id('q'), pg_temp.id('B'), 'if_need_be');
insert into public.place_votes (option_id, plan_id, user_id, answer) values (pg_temp.id('4'), pg_temp.id('q'), pg_temp.id('B'), 'yes');
insert into public.messages (id, plan_id, author_id, client_id, body) values
  (pg_temp.id('m'), pg_temp.id('p'), pg_temp.id('B'), gen_random_uuid(), 'From the guest'),
  (pg_temp.id('n'), pg_temp.id('q'), pg_temp.id('C'), gen_random_uuid(), 'From the host');
insert into public.reactions (message_id, plan_id, user_id, emoji) values
  (pg_temp.id('n'), pg_temp.id('q'), pg_temp.id('B'), '👍'), (pg_temp.id('n'), pg_temp.id('q'), pg_temp.id('B'), '🎉'),
  (pg_temp.id('n'), pg_temp.id('q'), pg_temp.id('A'), '👍');
insert into public.message_reads (plan_id, user_id, read_at) values
  (pg_temp.id('p'), pg_temp.id('B'), now()), (pg_temp.id('q'), pg_temp.id('B'), now()), (pg_temp.id('q'), pg_temp.id('A'), now() - interval '1 hour');
insert into public.ratings (plan_id, user_id, place_id, stars, ate, eaten_at) values
  (pg_temp.id('p'), pg_temp.id('B'), pg_temp.id('k'), 5, '{vegan}', now()), (pg_temp.id('q'), pg_temp.id('B'), pg_temp.id('k'), 2, '{}', null),
  (pg_temp.id('q'), pg_temp.id('A'), pg_temp.id('k'), 4, '{}', null);
insert into public.arrivals (plan_id, user_id, status) values
  (pg_temp.id('q'), pg_temp.id('B'), 'arrived'), (pg_temp.id('u'), pg_temp.id('B'), 'on_the_way'), (pg_temp.id('u'), pg_temp.id('A'), 'not_left');
insert into public.photos (id, plan_id, author_id, path, width, height) values
  (pg_temp.id('f'), pg_temp.id('p'), pg_temp.id('B'), pg_temp.id('p') || '/' || pg_temp.id('B') || '/a.webp', 10, 10);
insert into storage.buckets (id, name, public) values ('avatars', 'avatars', true), ('plan-photos', 'plan-photos', false)
  on conflict (id) do nothing;
insert into storage.objects (bucket_id, name, owner_id, owner) values
  ('plan-photos', pg_temp.id('p') || '/' || pg_temp.id('B') || '/a.webp', pg_temp.id('B')::text, pg_temp.id('B')),
  ('avatars', pg_temp.id('B') || '/face.webp', pg_temp.id('B')::text, pg_temp.id('B')),
  ('avatars', pg_temp.id('D') || '/face.webp', pg_temp.id('D')::text, pg_temp.id('D'));
insert into public.notifications (user_id, kind, plan_id, actor_id) values
  (pg_temp.id('B'), 'plan_invited', pg_temp.id('p'), pg_temp.id('C')),
  (pg_temp.id('B'), 'plan_reopened', pg_temp.id('q'), pg_temp.id('C')), (pg_temp.id('A'), 'plan_reopened', pg_temp.id('q'), pg_temp.id('C')),
  (pg_temp.id('A'), 'person_joined', pg_temp.id('u'), pg_temp.id('B')),
  (pg_temp.id('B'), 'plan_reopened', pg_temp.id('s'), pg_temp.id('C')),
  (pg_temp.id('C'), 'person_joined', pg_temp.id('p'), pg_temp.id('B'));
insert into public.saved_places (user_id, place_id) values (pg_temp.id('A'), pg_temp.id('k')), (pg_temp.id('B'), pg_temp.id('k'));
insert into public.place_diet_claims (place_id, diet, made_by, holds) values
  (pg_temp.id('k'), 'vegan', pg_temp.id('A'), true), (pg_temp.id('k'), 'vegan', pg_temp.id('B'), false), (pg_temp.id('k'), 'halal', pg_temp.id('B'), true);
insert into private.reminders (plan_id, user_id, kind, due_for) values
  (pg_temp.id('q'), pg_temp.id('A'), 'vote_reminder', now()), (pg_temp.id('q'), pg_temp.id('B'), 'vote_reminder', now()), (pg_temp.id('p'), pg_temp.id('B'), 'vote_reminder', now());
insert into public.push_subscriptions (id, user_id, endpoint, p256dh, auth) values
  (pg_temp.id('d'), pg_temp.id('B'), 'https://push.test/x', 'B' || repeat('A', 86), repeat('A', 22));
insert into private.outgoing_push (subscription_id, plan_id, user_id, kind)
  select pg_temp.id('d'), pg_temp.id(plan), pg_temp.id('B'), 'vote_nudge' from unnest(array['p', 'q']) as plan;
-- x: B has asked. y: A has too. q: A sits there.
insert into public.plans (id, title, time_zone) select pg_temp.id(name), name, 'UTC' from unnest(array['x', 'y']) as name;
insert into private.join_requests (plan_id, user_id, declined_at) values (pg_temp.id('x'), pg_temp.id('B'), null),
  (pg_temp.id('y'), pg_temp.id('B'), null), (pg_temp.id('y'), pg_temp.id('A'), now()), (pg_temp.id('q'), pg_temp.id('B'), null);
insert into private.calendar_feeds (user_id, token_hash) values (pg_temp.id('B'), '\x01');
insert into public.invites (plan_id, token_hash, created_by, expires_at, max_uses) values (pg_temp.id('r'), private.token_hash('to r'), pg_temp.id('B'), now() + interval '1 day', 5);
insert into public.invites (plan_id, token_hash, created_by, expires_at, max_uses, created_at) values (pg_temp.id('t'), private.token_hash('to t'), pg_temp.id('C'), now() + interval '1 day', 5, now() - interval '1 hour');
update public.plans set ready_by = pg_temp.id('B'), ready_at = now() where id = pg_temp.id('r');
update public.profiles set diets = '{vegan}', budget = 3 where id = pg_temp.id('B');
update public.private_profiles set start_latitude = 38.71, start_longitude = -9.14 where id = pg_temp.id('B');
create temporary table start_before as select start_latitude, start_longitude from public.private_profiles where id = pg_temp.id('B');
select pg_temp.say('B', $$public.start_sample_plan('Try', '', 'Hello')$$);
create temporary table seats_before as select count(*)::int as seats from public.plan_members where user_id = pg_temp.id('B');
create temporary table epochs as select plan_id, epoch from public.plan_channels;
create temporary table revisions as select id, revision from public.messages;

-- ---------------------------------------------------------------------------------------------------------
-- Refusals
select pg_temp.link('B', 'of B');
select pg_temp.link('E', 'expired');
update private.personal_links set expires_at = now() where user_id = pg_temp.id('E');
select pg_temp.link('D', 'of an account');
select is(pg_temp.say('E', $$public.take_over_guest('of B')$$), 'needs_account', 'a guest cannot take over a guest');
select is(pg_temp.say('F', $$public.take_over_guest('of B')$$), 'second_step_needed', 'nor can a session without its second factor');
select is(pg_temp.say('A', $$public.take_over_guest('nonsense')$$), 'personal_link_gone', 'an unknown link');
select is(pg_temp.say('A', $$public.take_over_guest('expired')$$), 'personal_link_gone', 'an expired link');
update private.personal_links set session_id = gen_random_uuid(), expires_at = now() + interval '1 day' where user_id = pg_temp.id('E');
select is(pg_temp.say('A', $$public.take_over_guest('expired')$$), 'personal_link_gone', 'a link that a device was opened with');
select is(pg_temp.say('A', $$public.take_over_guest('of an account')$$), 'no_longer_guest', 'the link of an account');
select is((select count(*)::int from auth.users where id = pg_temp.id('D')), 1, 'an account is never taken over');

-- ---------------------------------------------------------------------------------------------------------
-- With every limit reached
update private.limits set value = 0
  where name in ('plan_people', 'plans_per_day', 'guest_plans', 'push_devices', 'plan_photos', 'open_invites', 'messages_per_minute');
create function pg_temp.seat(plan text) returns text language sql as $$
  select string_agg(p.display_name || ' ' || m.role || ' ' || m.rsvp || ' ' || m.plus_ones, ', ' order by p.display_name)
  from public.plan_members as m join public.profiles as p on p.id = m.user_id where m.plan_id = pg_temp.id(plan);
$$;
select is(pg_temp.say('A', $$public.take_over_guest('of B')$$), '7', 'the plans that are the account''s now: p, q, r, u, v, w and the sample plan');
select is((select count(*)::int from auth.users where id = pg_temp.id('B')), 0, 'the guest is gone');
select is(pg_temp.say('A', $$public.take_over_guest('of B')$$), 'personal_link_gone', 'a link works once');

select is(pg_temp.seat('p'), 'A cohost going 2, C host going 0', 'a seat passes as it is');
select is(pg_temp.seat('q'), 'A cohost maybe 0, C host going 0', 'an open answer is filled, the higher role wins');
select is(pg_temp.seat('r'), 'A host going 0, C guest going 0', 'a host stays host');
select is(pg_temp.seat('s'), 'C host going 0', 'a removed account does not come back with a guest''s seat');
select is(pg_temp.seat('t'), 'C host going 0', 'nor does a removed guest through the account');
select is(pg_temp.say('A', $$(select target from public.accept_invite('to t'))$$), 'removed_before', 'the links before the removal are closed to the account');
select is(pg_temp.seat('u'), 'A host declined 0, C guest going 0', 'of two answers the account''s counts, and there is one host');
select is(pg_temp.seat('v'), 'A guest going 1, C host declined 0, D guest waitlisted 1', 'a seat at a full table is kept, and not given twice');
select is(pg_temp.seat('w'), 'A host going 0, C cohost going 0', 'no plan is without its host');
select is((select count(*)::int from private.removals where user_id = pg_temp.id('A') and plan_id = pg_temp.id('w')), 0, 'a host is not a removed person');

select results_eq(
  $$select option_id, answer::text from public.time_votes where user_id = pg_temp.id('A') order by option_id$$,
  $$values (pg_temp.id('1'), 'yes'), (pg_temp.id('2'), 'no'), (pg_temp.id('3'), 'if_need_be')$$,
  'the account''s votes count, missing ones are the guest''s');
select is((select answer::text from public.place_votes where user_id = pg_temp.id('A')), 'yes', 'places too');
select is((select count(*)::int from public.plan_members where user_id = pg_temp.id('A') and answered_at is not null), 2, 'the time of an answer is kept');
select is((select author_id from public.messages where id = pg_temp.id('m')), pg_temp.id('A'), 'messages are the account''s');
select is(
  (select count(*)::int from public.messages as m join revisions as r using (id) where m.revision > r.revision and m.id in (pg_temp.id('m'), pg_temp.id('n'))),
  2, 'devices catch up on messages of the guest and those with a reaction of theirs');
select results_eq(
  $$select emoji from public.reactions where user_id = pg_temp.id('A') order by emoji collate "C"$$, $$values ('🎉'), ('👍')$$, 'reactions, each once');
select is((select array_agg(read_at = now()) from public.message_reads where user_id = pg_temp.id('A')), '{t,t}', 'the later read');
select results_eq($$select stars::int, ate::text from public.ratings where user_id = pg_temp.id('A') order by stars$$, $$values (4, '{}'), (5, '{vegan}')$$, 'ratings with what was eaten, the account''s first');
select results_eq($$select status::text from public.arrivals where user_id = pg_temp.id('A') order by 1$$, $$values ('arrived'), ('not_left')$$, 'arrivals, the account''s first');
select is((select count(*)::int from public.time_options where proposed_by = pg_temp.id('A') and plan_id in (pg_temp.id('p'), pg_temp.id('q'))), 3, 'proposed times');
select is((select count(*)::int from public.place_options where proposed_by = pg_temp.id('A')), 1, 'proposed places');
select is((select created_by from public.invites where plan_id = pg_temp.id('r')), pg_temp.id('A'), 'links');
select results_eq(
  $$select p.title, r.declined_at is null from private.join_requests as r join public.plans as p on p.id = r.plan_id where r.user_id = pg_temp.id('A') order by 1$$,
  $$values ('x', true), ('y', false)$$, 'requests to join, the account''s first');
select is((select ready_by from public.plans where id = pg_temp.id('r')), pg_temp.id('A'), 'the person who called to the table');
select results_eq(
  $$select n.kind::text, p.title from public.notifications as n join public.plans as p on p.id = n.plan_id where n.user_id = pg_temp.id('A') order by 2$$,
  $$values ('plan_invited', 'p'), ('plan_reopened', 'q')$$, 'notifications: each once, none about the account''s own actions or a plan it was removed from');
select is((select actor_id from public.notifications where user_id = pg_temp.id('C')), pg_temp.id('A'), 'others read the account''s name');
select is((select count(*)::int from private.reminders where user_id = pg_temp.id('A')), 2, 'reminders, each once');
select is((select count(*)::int from private.outgoing_push as m join public.push_subscriptions as s on s.id = m.subscription_id
  where m.user_id = pg_temp.id('A') and s.user_id = pg_temp.id('A')), 2, 'devices and their pending messages');
select is((select token_hash from private.calendar_feeds where user_id = pg_temp.id('A')), '\x01'::bytea, 'the calendar feed');
select is((select count(*)::int from public.saved_places where user_id = pg_temp.id('A')), 1, 'saved places, each once');
select results_eq(
  $$select diet::text, holds from public.place_diet_claims where place_id = pg_temp.id('k') and made_by = pg_temp.id('A') order by 1$$,
  $$values ('halal', true), ('vegan', true)$$, 'one claim for each diet, the account''s first');
select is((select safe_diets::text from public.places where id = pg_temp.id('k')), '{vegan,halal}', 'and the place''s safe diets follow the claims');
select is((select diets::text || budget from public.profiles where id = pg_temp.id('A')), '{vegan}3', 'diets and budget, as the account had none');
select results_eq(
  $$select start_latitude, start_longitude from public.private_profiles where id = pg_temp.id('A')$$, 'select * from start_before', 'the starting point too');
select is((select s.person from private.sample_plans as s join public.plans as p on p.id = s.plan_id where p.title = 'Try'), pg_temp.id('A'), 'the sample plan');
select is((select author_id from public.photos where id = pg_temp.id('f')), pg_temp.id('A'), 'photos');
select is((select count(*)::int from storage.objects where owner_id = pg_temp.id('A')::text and owner = pg_temp.id('A')), 2, 'and the files');
select is(
  (select count(*)::int from public.plan_channels as c join epochs as e using (plan_id)
    where c.epoch > e.epoch and c.plan_id in (select pg_temp.id(name) from unnest(array['p', 'q', 'r', 's', 'u', 'v', 'w']) as name)),
  7, 'the guest''s channels are closed');

-- Files: the account can remove them, other people cannot.
select set_config('storage.allow_delete_query', 'true', true);
create function pg_temp.removes(person text) returns text language plpgsql as $$
declare
  files integer;
  guest text := pg_temp.id('B');
begin
  perform set_config('request.jwt.claims', json_build_object('sub', pg_temp.id(person), 'role', 'authenticated', 'aal', 'aal1')::text, true);
  perform set_config('role', 'authenticated', true);
  delete from storage.objects where name like '%/' || guest || '/%' or name like guest || '/%';
  get diagnostics files = row_count;
  perform set_config('role', 'postgres', true);
  return files;
end $$;
select is(pg_temp.removes('D'), '0', 'somebody else removes none of the files');
select is(pg_temp.removes('A'), '2', 'the account removes both');

-- A second guest of the same person: the account's sample plan stays.
select pg_temp.say('E', $$public.start_sample_plan('Second', '', 'Hello')$$);
select pg_temp.link('E', 'of E');
select is(pg_temp.say('A', $$public.take_over_guest('of E')$$), '0', 'a second sample plan is removed');
select is((select count(*)::int from public.plans where title in ('Try', 'Second')), 1, 'one sample plan stays');

select * from finish();
rollback;
