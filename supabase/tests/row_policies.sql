-- Who may do what to which rows: every table of `public`, every command, five kinds of people. Each cell is
-- the number of rows the statement reaches, or `denied` when the database refuses it outright.
begin;
create extension if not exists pgtap with schema extensions;

-- Host (and owner of the circle), Member (has an account), Guest (anonymous, on the plan), Stranger (account).
insert into auth.users (id, email, is_anonymous, raw_user_meta_data, aud, role)
select person.id::uuid, person.email, person.guest, jsonb_build_object('display_name', person.name), 'authenticated', 'authenticated'
from (values
  ('10000000-0000-4000-8000-000000000001', 'host@policies.test', false, 'Host'),
  ('10000000-0000-4000-8000-000000000002', 'member@policies.test', false, 'Member'),
  ('10000000-0000-4000-8000-000000000003', null, true, 'Guest'),
  ('10000000-0000-4000-8000-000000000004', 'stranger@policies.test', false, 'Stranger')
) as person (id, email, guest, name);

insert into public.circles (id, name) values ('20000000-0000-4000-8000-000000000001', 'Circle');
insert into public.circle_members (circle_id, user_id, role) values
  ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'owner'),
  ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', 'member');
insert into public.places (id, name, latitude, longitude, price, time_zone, created_by, everybody) values
  ('30000000-0000-4000-8000-000000000001', 'Kitchen', 38.7, -9.1, 2, 'Europe/Lisbon', '10000000-0000-4000-8000-000000000001', false),
  ('30000000-0000-4000-8000-000000000002', 'Other kitchen', 38.7, -9.1, 2, 'Europe/Lisbon', null, true),
  ('30000000-0000-4000-8000-000000000003', 'Somebody''s kitchen', 38.7, -9.1, 2, 'Europe/Lisbon', null, false);
-- An account's place, which became a guest's when that person signed in without one.
insert into public.places (id, name, latitude, longitude, price, time_zone, created_by, everybody) values
  ('30000000-0000-4000-8000-000000000004', 'Guest''s kitchen', 38.7, -9.1, 2, 'Europe/Lisbon', '10000000-0000-4000-8000-000000000003', false);
insert into public.place_homes (place_id, user_id, address)
  values ('30000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'Mill lane 3');
insert into public.place_hours (place_id, weekday, opens, closes) values
  ('30000000-0000-4000-8000-000000000001', 1, '12:00', '15:00'),
  ('30000000-0000-4000-8000-000000000004', 1, '12:00', '15:00');
insert into public.place_diet_claims (place_id, diet, holds) values ('30000000-0000-4000-8000-000000000001', 'vegan', true);
insert into public.saved_places (user_id, place_id) values
  ('10000000-0000-4000-8000-000000000002', '30000000-0000-4000-8000-000000000001');
insert into public.plans (id, circle_id, title, time_zone) values
  ('40000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'Plan', 'Europe/Lisbon');
insert into public.plan_members (plan_id, user_id, role) values
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'host'),
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', 'guest'),
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', 'guest');
insert into public.time_options (id, plan_id, starts_at, ends_at, proposed_by) values
  ('50000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', now() + interval '2 days', now() + interval '2 days 2 hours', '10000000-0000-4000-8000-000000000002');
insert into public.place_options (id, plan_id, place_id, proposed_by) values
  ('60000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', '30000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001');
insert into public.time_votes (option_id, plan_id, user_id, answer) values
  ('50000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', 'yes');
insert into public.circle_places (circle_id, place_id, put_by) values
  ('20000000-0000-4000-8000-000000000001', '30000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003');
insert into public.place_votes (option_id, plan_id, user_id, answer) values
  ('60000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', 'no');
insert into public.messages (id, plan_id, author_id, client_id, body) values
  ('70000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', gen_random_uuid(), 'Hello');
insert into public.reactions (message_id, plan_id, user_id, emoji) values
  ('70000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', '👍');
insert into public.message_reads (plan_id, user_id, read_at) values
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', now());
insert into public.photos (plan_id, author_id, path, width, height) values
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', '40000000-0000-4000-8000-000000000001/10000000-0000-4000-8000-000000000002/a.webp', 10, 10);
-- An earlier meal of the same people, with photos.
insert into public.plans (id, title, time_zone) values ('40000000-0000-4000-8000-000000000002', 'Earlier', 'UTC');
insert into public.plan_members (plan_id, user_id, role) values
  ('40000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000001', 'host'),
  ('40000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000002', 'guest'),
  ('40000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000003', 'guest');
insert into public.time_options (id, plan_id, starts_at, ends_at) values
  ('50000000-0000-4000-8000-000000000002', '40000000-0000-4000-8000-000000000002', now() - interval '2 days', now() - interval '46 hours');
insert into public.place_options (id, plan_id, place_id) values
  ('60000000-0000-4000-8000-000000000002', '40000000-0000-4000-8000-000000000002', '30000000-0000-4000-8000-000000000001');
insert into public.time_votes (option_id, plan_id, user_id, answer) values
  ('50000000-0000-4000-8000-000000000002', '40000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000002', 'yes');
update public.plans set status = 'confirmed', chosen_time_id = '50000000-0000-4000-8000-000000000002',
  chosen_place_id = '60000000-0000-4000-8000-000000000002', results_hidden = true where id = '40000000-0000-4000-8000-000000000002';
insert into public.photos (plan_id, author_id, path, width, height) values
  ('40000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000002', '40000000-0000-4000-8000-000000000002/10000000-0000-4000-8000-000000000002/b.webp', 10, 10);
-- A place that a member has proposed, a plan that a stranger has left, and one that hides its votes.
insert into public.place_options (id, plan_id, place_id, proposed_by) values
  ('60000000-0000-4000-8000-000000000003', '40000000-0000-4000-8000-000000000001', '30000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000002');
insert into public.plans (id, title, time_zone) values ('40000000-0000-4000-8000-000000000003', 'Left', 'UTC');
insert into public.photos (plan_id, author_id, path, width, height) values
  ('40000000-0000-4000-8000-000000000003', '10000000-0000-4000-8000-000000000004', '40000000-0000-4000-8000-000000000003/10000000-0000-4000-8000-000000000004/d.webp', 10, 10);
insert into public.plans (id, title, time_zone, results_hidden) values ('40000000-0000-4000-8000-000000000004', 'Hidden', 'UTC', true);
insert into public.plan_members (plan_id, user_id, role) values
  ('40000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000001', 'host'),
  ('40000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000002', 'guest'),
  ('40000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000003', 'guest');
insert into public.time_options (id, plan_id, starts_at, ends_at) values
  ('50000000-0000-4000-8000-000000000004', '40000000-0000-4000-8000-000000000004', now() + interval '2 days', now() + interval '2 days 2 hours');
insert into public.place_options (id, plan_id, place_id) values
  ('60000000-0000-4000-8000-000000000004', '40000000-0000-4000-8000-000000000004', '30000000-0000-4000-8000-000000000002');
insert into public.time_votes (option_id, plan_id, user_id, answer) values
  ('50000000-0000-4000-8000-000000000004', '40000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000002', 'yes');
insert into public.place_votes (option_id, plan_id, user_id, answer) values
  ('60000000-0000-4000-8000-000000000004', '40000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000001', 'yes');
-- A plan that the guest has proposed a time for and left, and a plan and a circle of the stranger alone.
insert into public.plans (id, title, time_zone) values
  ('40000000-0000-4000-8000-000000000005', 'Left, too', 'UTC'), ('40000000-0000-4000-8000-000000000006', 'Alone', 'UTC');
insert into public.plan_members (plan_id, user_id, role) values
  ('40000000-0000-4000-8000-000000000005', '10000000-0000-4000-8000-000000000001', 'host'),
  ('40000000-0000-4000-8000-000000000006', '10000000-0000-4000-8000-000000000004', 'host');
insert into public.time_options (plan_id, starts_at, ends_at, proposed_by) values
  ('40000000-0000-4000-8000-000000000005', now() + interval '2 days', now() + interval '2 days 2 hours', '10000000-0000-4000-8000-000000000003');
insert into public.circles (id, name) values ('20000000-0000-4000-8000-000000000002', 'Another circle');
insert into public.circle_members (circle_id, user_id, role) values
  ('20000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000004', 'owner');
insert into public.ratings (plan_id, user_id, place_id, stars) values
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', '30000000-0000-4000-8000-000000000001', 4);
insert into public.arrivals (plan_id, user_id) values
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002');
insert into public.notifications (user_id, kind, plan_id) values
  ('10000000-0000-4000-8000-000000000002', 'plan_invited', '40000000-0000-4000-8000-000000000001');
insert into public.push_subscriptions (user_id, endpoint, p256dh, auth) values
  ('10000000-0000-4000-8000-000000000002', 'https://push.test/x', 'B' || repeat('A', 86), repeat('A', 22));
insert into public.standing_dinners (circle_id, title, rhythm, first_on, starts_at, time_zone, next_on) values
  ('20000000-0000-4000-8000-000000000001', 'Thursdays', 'weekly', '2026-12-03', '19:30', 'UTC', '2026-12-03');
insert into public.usual_times (user_id, weekday, part, answer) values
  ('10000000-0000-4000-8000-000000000002', 5, 'dinner', 'yes');
insert into storage.buckets (id, name, public) values ('avatars', 'avatars', true), ('plan-photos', 'plan-photos', false),
  ('other', 'other', false) on conflict (id) do nothing;
insert into storage.objects (bucket_id, name, owner_id) values
  ('avatars', '10000000-0000-4000-8000-000000000002/face.webp', '10000000-0000-4000-8000-000000000002'),
  ('plan-photos', '40000000-0000-4000-8000-000000000001/10000000-0000-4000-8000-000000000002/a.webp', '10000000-0000-4000-8000-000000000002'),
  -- Without an owner, of an account that took a guest over, and in a bucket that no policy is for.
  ('avatars', '10000000-0000-4000-8000-000000000002/old.webp', null),
  ('avatars', '10000000-0000-4000-8000-000000000003/taken.webp', '10000000-0000-4000-8000-000000000002'),
  ('plan-photos', '40000000-0000-4000-8000-000000000003/10000000-0000-4000-8000-000000000002/old.webp', null),
  ('plan-photos', '40000000-0000-4000-8000-000000000003/10000000-0000-4000-8000-000000000003/taken.webp', '10000000-0000-4000-8000-000000000002'),
  ('other', '10000000-0000-4000-8000-000000000002/x.webp', '10000000-0000-4000-8000-000000000002'),
  ('other', '40000000-0000-4000-8000-000000000001/10000000-0000-4000-8000-000000000002/x.webp', '10000000-0000-4000-8000-000000000002');
-- PostgREST sends these two settings before each statement.
select set_config('storage.allow_delete_query', 'true', true),
  set_config('realtime.topic', 'plan:40000000-0000-4000-8000-000000000001:0', true);
select realtime.send('{}', 'x', 'plan:40000000-0000-4000-8000-000000000001:0', true);
insert into public.invites (plan_id, token_hash, expires_at, max_uses) values
  ('40000000-0000-4000-8000-000000000001', '\x01', now() + interval '1 day', 5);
insert into public.invites (circle_id, token_hash, expires_at, max_uses) values
  ('20000000-0000-4000-8000-000000000001', '\x03', now() + interval '1 day', 5);
insert into realtime.messages (topic, extension, payload, private) values
  ('plan:40000000-0000-4000-8000-000000000001:0', 'postgres_changes', '{}', true);

-- Runs a statement as a person and returns the number of affected rows, or `denied`. Its changes are rolled back.
create function pg_temp.attempt(person uuid, statement text) returns text
  language plpgsql as $$
declare
  reached integer;
begin
  perform set_config('request.jwt.claims', case when person is null then '{"role":"anon"}'
    else json_build_object('sub', person, 'role', 'authenticated')::text end, true);
  perform set_config('role', case when person is null then 'anon' else 'authenticated' end, true);
  begin
    execute statement;
    get diagnostics reached = row_count;
    raise exception using errcode = 'NOSH0', message = reached;
  exception
    when sqlstate 'NOSH0' then null;
    when insufficient_privilege then reached := -1;
  end;
  perform set_config('role', 'postgres', true);
  return case reached when -1 then 'denied' else reached::text end;
end $$;

create temporary table cells (name text, statement text, anon text, stranger text, guest text, member text, host text);
insert into cells values
  -- H, M, G stand for the host's, member's and guest's id; P for the plan's; C, K, T, O, X for circle, kitchen,
  -- time option, place option and message.
  ('profiles select', $$select 1 from public.profiles where id = 'M'$$, 'denied', '0', '1', '1', '1'),
  ('profiles insert', $$insert into public.profiles (id, display_name) values (gen_random_uuid(), 'x')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('profiles update', $$update public.profiles set display_name = 'x' where id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('profiles update of diets_known', $$update public.profiles set diets_known = true where id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('private_profiles update of start_city', $$update public.private_profiles set start_city = 'Kassel' where id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('private_profiles update of asked_at', $$update public.private_profiles set asked_at = now() where id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('profiles update of is_guest', $$update public.profiles set is_guest = false where id = auth.uid()$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('profiles delete', $$delete from public.profiles where id = 'M'$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('private_profiles select', $$select 1 from public.private_profiles where id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('private_profiles insert', $$insert into public.private_profiles (id) values ('M')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('private_profiles update', $$update public.private_profiles set mail_invites = false where id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('private_profiles delete', $$delete from public.private_profiles where id = 'M'$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('circles select', $$select 1 from public.circles where id = 'C'$$, 'denied', '0', '0', '1', '1'),
  ('circles insert', $$insert into public.circles (name) values ('x')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('circles update', $$update public.circles set name = 'x' where id = 'C'$$, 'denied', '0', '0', '0', '1'),
  ('circles delete', $$delete from public.circles where id = 'C'$$, 'denied', '0', '0', '0', '1'),
  ('circle_members select', $$select 1 from public.circle_members where circle_id = 'C'$$, 'denied', '0', '0', '2', '2'),
  ('circle_members insert', $$insert into public.circle_members (circle_id, user_id) values ('C', 'G')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('circle_members update', $$update public.circle_members set role = 'admin'$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('circle_members delete', $$delete from public.circle_members$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('circle_places select', $$select 1 from public.circle_places where circle_id = 'C'$$, 'denied', '0', '0', '1', '1'),
  ('circle_places insert', $$insert into public.circle_places (circle_id, place_id) values ('C', '30000000-0000-4000-8000-000000000002')$$, 'denied', 'denied', 'denied', '1', '1'),
  ('circle_places insert for another', $$insert into public.circle_places (circle_id, place_id, put_by) values ('C', '30000000-0000-4000-8000-000000000002', 'M')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('circle_places insert of somebody''s', $$insert into public.circle_places (circle_id, place_id) values ('C', '30000000-0000-4000-8000-000000000003')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('circle_places update', $$update public.circle_places set put_at = now()$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('circle_places delete', $$delete from public.circle_places where circle_id = 'C'$$, 'denied', '0', '0', '1', '1'),
  ('places select', $$select 1 from public.places where id = 'K'$$, 'denied', '0', '1', '1', '1'),
  ('places select of somebody''s', $$select 1 from public.places where id = '30000000-0000-4000-8000-000000000003'$$, 'denied', '0', '0', '0', '0'),
  ('places insert', $$insert into public.places (name, latitude, longitude, price, time_zone, created_by) values ('x', 1, 1, 1, 'UTC', auth.uid())$$, 'denied', '1', 'denied', '1', '1'),
  ('places insert for another', $$insert into public.places (name, latitude, longitude, price, time_zone, created_by) values ('x', 1, 1, 1, 'UTC', 'M')$$, 'denied', 'denied', 'denied', '1', 'denied'),
  ('places update', $$update public.places set about = 'x' where id = 'K'$$, 'denied', '0', '0', '0', '1'),
  ('places update of phone and booking page', $$update public.places set phone = '+351 21 347 0000', booking_url = 'https://book.test/momo' where id = 'K'$$, 'denied', '0', '0', '0', '1'),
  ('places delete', $$delete from public.places where id = 'K'$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('places changed with their hours', $$select public.save_place('{"name": "x", "latitude": 1, "longitude": 1, "price": 1, "time_zone": "UTC"}', '[]', 'K')$$, 'denied', 'denied', 'denied', 'denied', '1'),
  ('place_homes select', $$select 1 from public.place_homes$$, 'denied', '0', '0', '0', '1'),
  ('place_homes insert', $$insert into public.place_homes (place_id, user_id, address) values ('K', auth.uid(), 'x')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('place_homes update', $$update public.place_homes set address = 'x'$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('place_homes delete', $$delete from public.place_homes$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('place_hours select', $$select 1 from public.place_hours where place_id = 'K'$$, 'denied', '0', '1', '1', '1'),
  ('place_hours insert', $$insert into public.place_hours (place_id, weekday, opens, closes) values ('K', 2, '12:00', '13:00')$$, 'denied', 'denied', 'denied', 'denied', '1'),
  ('place_hours update', $$update public.place_hours set closes = '16:00' where place_id = 'K'$$, 'denied', '0', '0', '0', '1'),
  ('place_hours delete', $$delete from public.place_hours where place_id = 'K'$$, 'denied', '0', '0', '0', '1'),
  ('place_diet_claims select', $$select 1 from public.place_diet_claims where place_id = 'K'$$, 'denied', '0', '1', '1', '1'),
  ('place_diet_claims insert', $$insert into public.place_diet_claims (place_id, diet, made_by, holds) values ('K', 'halal', auth.uid(), true)$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('place_diet_claims update', $$update public.place_diet_claims set holds = false$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('place_diet_claims delete', $$delete from public.place_diet_claims$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('saved_places select', $$select 1 from public.saved_places where user_id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('saved_places insert', $$insert into public.saved_places (user_id, place_id) values (auth.uid(), '30000000-0000-4000-8000-000000000002')$$, 'denied', '1', '1', '1', '1'),
  ('saved_places insert of somebody''s', $$insert into public.saved_places (user_id, place_id) values (auth.uid(), '30000000-0000-4000-8000-000000000003')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('saved_places update', $$update public.saved_places set saved_at = now()$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('saved_places delete', $$delete from public.saved_places where user_id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('standing_dinners select', $$select 1 from public.standing_dinners where circle_id = 'C'$$, 'denied', '0', '0', '1', '1'),
  ('standing_dinners insert', $$insert into public.standing_dinners (circle_id, title, rhythm, first_on, starts_at, time_zone, next_on) values ('C', 'x', 'weekly', '2026-12-03', '19:30', 'UTC', '2026-12-03')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('standing_dinners update', $$update public.standing_dinners set paused = true$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('standing_dinners delete', $$delete from public.standing_dinners$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('usual_times select', $$select 1 from public.usual_times where user_id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('usual_times insert', $$insert into public.usual_times (weekday, part, answer) values (1, 'lunch', 'no')$$, 'denied', '1', '1', '1', '1'),
  ('usual_times insert for another', $$insert into public.usual_times (user_id, weekday, part, answer) values ('M', 1, 'lunch', 'no')$$, 'denied', 'denied', 'denied', '1', 'denied'),
  ('usual_times update', $$update public.usual_times set answer = 'no' where user_id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('usual_times update to another', $$update public.usual_times set user_id = '10000000-0000-4000-8000-000000000001' where user_id = 'M'$$, 'denied', '0', '0', 'denied', '0'),
  ('usual_times delete', $$delete from public.usual_times where user_id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('plans select', $$select 1 from public.plans where id = 'P'$$, 'denied', '0', '1', '1', '1'),
  ('plans insert', $$insert into public.plans (title, time_zone) values ('x', 'UTC')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('plans update', $$update public.plans set title = 'x' where id = 'P'$$, 'denied', '0', '0', '0', '1'),
  ('plans update of status', $$update public.plans set status = 'cancelled' where id = 'P'$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('plans update of note', $$update public.plans set note = 'x' where id = 'P'$$, 'denied', '0', '0', '0', '1'),
  ('plans update of vote_deadline', $$update public.plans set vote_deadline = null where id = 'P'$$, 'denied', '0', '0', '0', '1'),
  ('plans update of capacity', $$update public.plans set capacity = 8 where id = 'P'$$, 'denied', '0', '0', '0', '1'),
  ('plans update of guests_may_propose', $$update public.plans set guests_may_propose = false where id = 'P'$$, 'denied', '0', '0', '0', '1'),
  ('plans update of results_hidden', $$update public.plans set results_hidden = true where id = 'P'$$, 'denied', '0', '0', '0', '1'),
  ('plans update of decides_itself', $$update public.plans set decides_itself = true where id = 'P'$$, 'denied', '0', '0', '0', '1'),
  ('plans update of joins_by_link', $$update public.plans set joins_by_link = true where id = 'P'$$, 'denied', '0', '0', '0', '1'),
  ('plans update of a booking', $$update public.plans set booked_seats = null, booked_name = null where id = 'P'$$, 'denied', '0', '0', '0', '1'),
  ('plans update of a proposal', $$update public.plans set veto_until = now() where id = 'P'$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('plans delete', $$delete from public.plans where id = 'P'$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('plan_cards select', $$select 1 from public.plan_cards where id = 'P'$$, 'denied', '0', '1', '1', '1'),
  ('place_photos select', $$select 1 from public.place_photos$$, 'denied', '0', '1', '1', '1'),
  ('plan_members select', $$select 1 from public.plan_members where plan_id = 'P'$$, 'denied', '0', '3', '3', '3'),
  ('plan_members insert', $$insert into public.plan_members (plan_id, user_id) values ('P', auth.uid())$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('plan_members update', $$update public.plan_members set role = 'cohost'$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('plan_members delete', $$delete from public.plan_members$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('plan_channels select', $$select epoch, revision from public.plan_channels where plan_id = 'P'$$, 'denied', '0', '1', '1', '1'),
  ('plan_channels insert', $$insert into public.plan_channels (plan_id) values ('P')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('plan_channels update', $$update public.plan_channels set epoch = 0$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('plan_channels delete', $$delete from public.plan_channels$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('time_options select', $$select 1 from public.time_options where plan_id = 'P'$$, 'denied', '0', '1', '1', '1'),
  ('time_options insert', $$insert into public.time_options (plan_id, starts_at, ends_at) values ('P', now(), now() + interval '1 hour')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('time_options update', $$update public.time_options set proposed_by = null$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('time_options delete', $$delete from public.time_options where id = 'T'$$, 'denied', '0', '0', '1', '1'),
  ('place_options select', $$select 1 from public.place_options where plan_id = 'P'$$, 'denied', '0', '2', '2', '2'),
  ('place_options insert', $$insert into public.place_options (plan_id, place_id) values ('P', 'K')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('place_options update', $$update public.place_options set proposed_by = null$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('place_options delete', $$delete from public.place_options where id = 'O'$$, 'denied', '0', '0', '0', '1'),
  ('time_votes select', $$select 1 from public.time_votes where plan_id = 'P'$$, 'denied', '0', '1', '1', '1'),
  ('time_votes insert', $$insert into public.time_votes (option_id, plan_id, user_id, answer) values ('T', 'P', auth.uid(), 'yes')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('time_votes update', $$update public.time_votes set answer = 'no'$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('time_votes delete', $$delete from public.time_votes$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('place_votes select', $$select 1 from public.place_votes where plan_id = 'P'$$, 'denied', '0', '1', '1', '1'),
  ('place_votes insert', $$insert into public.place_votes (option_id, plan_id, user_id, answer) values ('O', 'P', auth.uid(), 'yes')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('place_votes update', $$update public.place_votes set answer = 'no'$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('place_votes delete', $$delete from public.place_votes$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('invites select', $$select id from public.invites where plan_id = 'P'$$, 'denied', '0', '0', '0', '1'),
  ('invites select of the hash', $$select token_hash from public.invites$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('invites insert', $$insert into public.invites (plan_id, token_hash, expires_at, max_uses) values ('P', '\x02', now(), 1)$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('invites update', $$update public.invites set uses = 0$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('invites delete', $$delete from public.invites$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('messages select', $$select 1 from public.messages where plan_id = 'P'$$, 'denied', '0', '1', '1', '1'),
  ('messages insert', $$insert into public.messages (plan_id, author_id, client_id, body) values ('P', auth.uid(), gen_random_uuid(), 'x')$$, 'denied', 'denied', '1', '1', '1'),
  ('messages insert for another', $$insert into public.messages (plan_id, author_id, client_id, body) values ('P', 'M', gen_random_uuid(), 'x')$$, 'denied', 'denied', 'denied', '1', 'denied'),
  ('messages update', $$update public.messages set body = 'x'$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('messages delete', $$delete from public.messages$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('reactions select', $$select 1 from public.reactions where plan_id = 'P'$$, 'denied', '0', '1', '1', '1'),
  ('reactions insert', $$insert into public.reactions (message_id, plan_id, user_id, emoji) values ('X', 'P', auth.uid(), '🎉')$$, 'denied', 'denied', '1', '1', '1'),
  ('reactions update', $$update public.reactions set emoji = '😂'$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('reactions delete', $$delete from public.reactions where user_id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('photos select', $$select 1 from public.photos where plan_id = 'P'$$, 'denied', '0', '1', '1', '1'),
  ('photos insert', $$insert into public.photos (plan_id, author_id, path, width, height) values ('P', auth.uid(), 'P/' || auth.uid() || '/b.webp', 1, 1)$$, 'denied', 'denied', '1', '1', '1'),
  ('photos insert of another''s file', $$insert into public.photos (plan_id, author_id, path, width, height) values ('P', auth.uid(), 'P/M/b.webp', 1, 1)$$, 'denied', 'denied', 'denied', '1', 'denied'),
  ('photos update', $$update public.photos set caption = 'x' where plan_id = 'P'$$, 'denied', '0', '0', '1', '0'),
  ('photos delete', $$delete from public.photos where plan_id = 'P'$$, 'denied', '0', '0', '1', '1'),
  ('ratings select', $$select 1 from public.ratings where plan_id = 'P'$$, 'denied', '0', '1', '1', '1'),
  ('ratings insert', $$insert into public.ratings (plan_id, user_id, place_id, stars) values ('P', auth.uid(), 'K', 5)$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('ratings update', $$update public.ratings set stars = 5$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('ratings update of what was eaten', $$update public.ratings set ate = '{vegan}', eaten_at = now()$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('ratings delete', $$delete from public.ratings$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('arrivals select', $$select 1 from public.arrivals where plan_id = 'P'$$, 'denied', '0', '1', '1', '1'),
  ('arrivals insert', $$insert into public.arrivals (plan_id, user_id) values ('P', auth.uid())$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('arrivals update', $$update public.arrivals set status = 'arrived'$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('arrivals delete', $$delete from public.arrivals$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('notifications select', $$select 1 from public.notifications where user_id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('notifications insert', $$insert into public.notifications (user_id, kind, plan_id) values (auth.uid(), 'plan_invited', 'P')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('notifications update', $$update public.notifications set read_at = now() where user_id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('notifications delete', $$delete from public.notifications$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('push_subscriptions select', $$select id from public.push_subscriptions where user_id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('push_subscriptions select of the endpoint', $$select endpoint from public.push_subscriptions$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('push_subscriptions insert', $$insert into public.push_subscriptions (user_id, endpoint, p256dh, auth) values (auth.uid(), 'https://push.test/y', 'B' || repeat('A', 86), repeat('A', 22))$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('push_subscriptions update', $$update public.push_subscriptions set endpoint = 'https://push.test/y'$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('push_subscriptions delete', $$delete from public.push_subscriptions where user_id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('pending push messages', $$select 1 from private.outgoing_push$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('taking push messages', $$select public.take_push(1)$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('message_reads select', $$select 1 from public.message_reads where user_id = 'M'$$, 'denied', '0', '0', '1', '0'),
  ('message_reads insert', $$insert into public.message_reads (plan_id, user_id, read_at) values ('P', auth.uid(), now())$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('message_reads update', $$update public.message_reads set read_at = now()$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('message_reads delete', $$delete from public.message_reads$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('the personal links', $$select 1 from private.personal_links$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('the calendar feeds', $$select 1 from private.calendar_feeds$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('the mails that wait', $$select 1 from private.outgoing_mail$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('who gets mail', $$select 1 from private.mail_recipients$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('the addresses that guests leave', $$select 1 from private.left_addresses$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('requests to join', $$select 1 from private.join_requests$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('which invitations went by mail', $$select mailed_to from public.invites$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('taking mail', $$select public.take_mail(1)$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('storage.objects select', $$select 1 from storage.objects where bucket_id = 'plan-photos' and name like '40000000-0000-4000-8000-000000000001/%'$$, '0', '0', '1', '1', '1'),
  ('storage.objects select of faces', $$select 1 from storage.objects where bucket_id = 'avatars' and name like 'M/%'$$, '0', '0', '0', '2', '0'),
  ('storage.objects insert', $$insert into storage.objects (bucket_id, name) values ('plan-photos', 'P/' || auth.uid() || '/n.webp')$$, 'denied', 'denied', '1', '1', '1'),
  ('storage.objects insert into another''s folder', $$insert into storage.objects (bucket_id, name) values ('plan-photos', 'P/M/n.webp')$$, 'denied', 'denied', 'denied', '1', 'denied'),
  ('storage.objects insert of a face', $$insert into storage.objects (bucket_id, name) values ('avatars', 'M/n.webp')$$, 'denied', 'denied', 'denied', '1', 'denied'),
  ('storage.objects update', $$update storage.objects set metadata = '{}' where bucket_id = 'avatars' and name like 'M/%'$$, '0', '0', '0', '2', '0'),
  ('storage.objects update of photos', $$update storage.objects set metadata = '{}' where bucket_id = 'plan-photos'$$, '0', '0', '0', '0', '0'),
  ('storage.objects delete', $$delete from storage.objects where bucket_id = 'plan-photos' and name like '40000000-0000-4000-8000-000000000001/%'$$, '0', '0', '0', '1', '1'),
  ('storage.objects delete of faces', $$delete from storage.objects where bucket_id = 'avatars' and name like 'M/%'$$, '0', '0', '0', '2', '0'),
  ('realtime.messages select', $$select 1 from realtime.messages where topic = 'plan:40000000-0000-4000-8000-000000000001:0' limit 1$$, '0', '0', '1', '1', '1'),
  ('realtime.messages insert', $$insert into realtime.messages (topic, extension, payload, private) values ('plan:40000000-0000-4000-8000-000000000001:0', 'broadcast', '{}', true)$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  -- Without a WHERE a statement meets the policies of its command alone; those of SELECT count only for what it reads.
  ('circle_places delete of all', $$delete from public.circle_places$$, 'denied', '0', '0', '1', '1'),
  ('notifications update of all', $$update public.notifications set read_at = now()$$, 'denied', '0', '0', '1', '0'),
  ('photos update of all', $$update public.photos set caption = 'x'$$, 'denied', '0', '0', '2', '0'),
  ('place_hours update of all', $$update public.place_hours set closes = '16:00'$$, 'denied', '0', '0', '0', '1'),
  ('place_hours delete of all', $$delete from public.place_hours$$, 'denied', '0', '0', '0', '1'),
  ('place_hours insert of a guest''s', $$insert into public.place_hours (place_id, weekday, opens, closes) values ('30000000-0000-4000-8000-000000000004', 2, '12:00', '13:00')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('places update of all', $$update public.places set about = 'x'$$, 'denied', '0', '0', '0', '1'),
  ('private_profiles update of all', $$update public.private_profiles set mail_invites = false$$, 'denied', '1', '1', '1', '1'),
  ('profiles select of oneself', $$select 1 from public.profiles where id = auth.uid()$$, 'denied', '1', '1', '1', '1'),
  ('push_subscriptions delete of all', $$delete from public.push_subscriptions$$, 'denied', '0', '0', '1', '0'),
  ('saved_places delete of all', $$delete from public.saved_places$$, 'denied', '0', '0', '1', '0'),
  ('saved_places insert for another', $$insert into public.saved_places (user_id, place_id) values ('M', '30000000-0000-4000-8000-000000000002')$$, 'denied', 'denied', 'denied', '1', 'denied'),
  ('usual_times update of all', $$update public.usual_times set answer = 'no'$$, 'denied', '0', '0', '1', '0'),
  ('usual_times update of all to another', $$update public.usual_times set user_id = '10000000-0000-4000-8000-000000000001'$$, 'denied', '0', '0', 'denied', '0'),
  ('usual_times delete of all', $$delete from public.usual_times$$, 'denied', '0', '0', '1', '0'),
  ('place_options delete of a member''s', $$delete from public.place_options where id = '60000000-0000-4000-8000-000000000003'$$, 'denied', '0', '0', '1', '1'),
  ('place_options delete after the decision', $$delete from public.place_options where id = '60000000-0000-4000-8000-000000000002'$$, 'denied', '0', '0', '0', '0'),
  ('time_options delete after the decision', $$delete from public.time_options where id = '50000000-0000-4000-8000-000000000002'$$, 'denied', '0', '0', '0', '0'),
  ('time_options delete of all', $$delete from public.time_options$$, 'denied', '0', '0', '1', '3'),
  -- The member has voted on times, the host on places, the guest on nothing.
  ('time_votes select of hidden ones', $$select 1 from public.time_votes where plan_id = '40000000-0000-4000-8000-000000000004'$$, 'denied', '0', '0', '1', '1'),
  ('time_votes select of those that were hidden until the decision', $$select 1 from public.time_votes where plan_id = '40000000-0000-4000-8000-000000000002'$$, 'denied', '0', '1', '1', '1'),
  ('place_votes select of hidden ones', $$select 1 from public.place_votes where plan_id = '40000000-0000-4000-8000-000000000004'$$, 'denied', '0', '0', '1', '1'),
  ('invites select of a circle''s', $$select id from public.invites where circle_id = 'C'$$, 'denied', '0', '0', '0', '1'),
  ('reactions insert for another', $$insert into public.reactions (message_id, plan_id, user_id, emoji) values ('X', 'P', 'M', '🎉')$$, 'denied', 'denied', 'denied', '1', 'denied'),
  ('photos insert for another', $$insert into public.photos (plan_id, author_id, path, width, height) values ('P', 'M', 'P/' || auth.uid() || '/b.webp', 1, 1)$$, 'denied', 'denied', 'denied', '1', 'denied'),
  ('storage.objects update of all', $$update storage.objects set metadata = '{}'$$, '0', '0', '1', '2', '0'),
  ('storage.objects update to another bucket', $$update storage.objects set bucket_id = 'other', name = 'x/' || id$$, '0', '0', 'denied', 'denied', '0'),
  ('storage.objects update to another folder', $$update storage.objects set name = 'x/1'$$, '0', '0', 'denied', 'denied', '0'),
  ('storage.objects update to another bucket alone', $$update storage.objects set bucket_id = 'plan-photos'$$, '0', '0', 'denied', 'denied', '0'),
  ('storage.objects delete of all', $$delete from storage.objects$$, '0', '0', '2', '6', '1'),
  ('storage.objects select of another bucket''s', $$select 1 from storage.objects where bucket_id = 'other'$$, '0', '0', '0', '0', '0'),
  ('storage.objects insert into another bucket', $$insert into storage.objects (bucket_id, name) values ('other', auth.uid() || '/n.webp')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('storage.objects insert of photos into another bucket', $$insert into storage.objects (bucket_id, name) values ('other', 'P/' || auth.uid() || '/n.webp')$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('realtime.messages select of another kind', $$select 1 from realtime.messages where topic = 'plan:40000000-0000-4000-8000-000000000001:0' and extension = 'postgres_changes'$$, '0', '0', '0', '0', '0'),
  ('realtime.messages insert into one''s own topic', $$insert into realtime.messages (topic, extension, payload, private) select topic, 'broadcast', '{}', true from (select set_config('realtime.topic', 'plan:40000000-0000-4000-8000-000000000001:0:' || auth.uid(), true) as topic) as own$$, 'denied', 'denied', '1', '1', '1'),
  ('realtime.messages insert into another''s topic', $$insert into realtime.messages (topic, extension, payload, private) select topic, 'broadcast', '{}', true from (select set_config('realtime.topic', 'plan:40000000-0000-4000-8000-000000000001:0:10000000-0000-4000-8000-000000000002', true) as topic) as own$$, 'denied', 'denied', 'denied', '1', 'denied'),
  ('realtime.messages insert of another kind', $$insert into realtime.messages (topic, extension, payload, private) select topic, 'postgres_changes', '{}', true from (select set_config('realtime.topic', 'plan:40000000-0000-4000-8000-000000000001:0:' || auth.uid(), true) as topic) as own$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('realtime.messages select in the topic of who is not of the plan', $$select set_config('realtime.topic', 'plan:40000000-0000-4000-8000-000000000001:0:10000000-0000-4000-8000-000000000004', true); select 1 from realtime.messages limit 1$$, '0', '0', '0', '0', '0'),
  ('realtime.messages select in one''s own topic', $$select set_config('realtime.topic', 'plan:40000000-0000-4000-8000-000000000001:0:' || auth.uid(), true); select 1 from realtime.messages limit 1$$, '0', '0', '1', '1', '1'),
  ('the limits', $$select 1 from private.limits$$, 'denied', 'denied', 'denied', 'denied', 'denied'),
  ('the errors', $$select 1 from private.errors$$, 'denied', 'denied', 'denied', 'denied', 'denied');

update cells set statement = replace(replace(replace(replace(replace(replace(replace(replace(replace(statement,
  '''P/M/', '''40000000-0000-4000-8000-000000000001/10000000-0000-4000-8000-000000000002/'),
  '''P/''', '''40000000-0000-4000-8000-000000000001/'''),
  '''P''', '''40000000-0000-4000-8000-000000000001'''),
  '''C''', '''20000000-0000-4000-8000-000000000001'''),
  '''K''', '''30000000-0000-4000-8000-000000000001'''),
  '''T''', '''50000000-0000-4000-8000-000000000001'''),
  '''O''', '''60000000-0000-4000-8000-000000000001'''),
  '''X''', '''70000000-0000-4000-8000-000000000001'''),
  '''G''', '''10000000-0000-4000-8000-000000000003''');
update cells set statement = replace(statement, '''M/', '''10000000-0000-4000-8000-000000000002/');
update cells set statement = replace(statement, '''M''', '''10000000-0000-4000-8000-000000000002''');

select plan((select count(*)::integer * 5 + 12 from cells));

select is(pg_temp.attempt(person.id, cells.statement), person.expected, cells.name || ' as ' || person.kind)
from cells
cross join lateral (values
  ('anon', null::uuid, cells.anon),
  ('stranger', '10000000-0000-4000-8000-000000000004', cells.stranger),
  ('guest', '10000000-0000-4000-8000-000000000003', cells.guest),
  ('member', '10000000-0000-4000-8000-000000000002', cells.member),
  ('host', '10000000-0000-4000-8000-000000000001', cells.host)
) as person (kind, id, expected);

-- A column of a plan that hosts may update has a row of its own.
select is(array(
  select p.column_name::text from information_schema.column_privileges as p
  where p.table_schema = 'public' and p.table_name = 'plans' and p.grantee = 'authenticated' and p.privilege_type = 'UPDATE'
    and not exists (
      select 1 from cells as c where c.statement ~ ('^update public\.plans set (.*, )?' || p.column_name || ' = '))
), '{}', 'every column of a plan that can be updated stands in the table above');

-- A vote at another plan opens no hidden results, and who shares nothing with anybody reads their own profile.
insert into public.time_votes (option_id, plan_id, user_id, answer) values
  ('50000000-0000-4000-8000-000000000002', '40000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000003', 'no');
select is(pg_temp.attempt('10000000-0000-4000-8000-000000000003',
  $$select 1 from public.time_votes where plan_id = '40000000-0000-4000-8000-000000000004'$$), '0',
  'a vote on times at another plan opens no results');
delete from public.time_votes where user_id = '10000000-0000-4000-8000-000000000003';
insert into public.place_votes (option_id, plan_id, user_id, answer) values
  ('60000000-0000-4000-8000-000000000002', '40000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000003', 'no');
select is(pg_temp.attempt('10000000-0000-4000-8000-000000000003',
  $$select 1 from public.place_votes where plan_id = '40000000-0000-4000-8000-000000000004'$$), '0',
  'nor does one on places');
insert into auth.users (id, email, raw_user_meta_data, aud, role) values
  ('10000000-0000-4000-8000-000000000005', 'alone@policies.test', '{"display_name": "Alone"}', 'authenticated', 'authenticated');
select is(pg_temp.attempt('10000000-0000-4000-8000-000000000005',
  $$select 1 from public.profiles where id = '10000000-0000-4000-8000-000000000005'$$), '1',
  'the own profile is read without a table or a circle');

-- Who has a second step reads after it only; one that was begun and not confirmed is none.
insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at) values
  (gen_random_uuid(), '10000000-0000-4000-8000-000000000002', 'totp', 'unverified', now(), now());
select is(pg_temp.attempt('10000000-0000-4000-8000-000000000002', $$select 1 from public.usual_times$$), '1',
  'a second step that is not confirmed is not asked for');
update auth.mfa_factors set status = 'verified' where user_id = '10000000-0000-4000-8000-000000000002';
select is(pg_temp.attempt('10000000-0000-4000-8000-000000000002', $$select 1 from public.usual_times$$), '0',
  'without the second step nothing is read');
select is(pg_temp.attempt('10000000-0000-4000-8000-000000000002', $$select 1 from public.places where everybody$$), '0',
  'nor is a place of everybody');
select is(pg_temp.attempt('10000000-0000-4000-8000-000000000002',
  $$insert into realtime.messages (topic, extension, payload, private)
    values ('plan:40000000-0000-4000-8000-000000000001:0', 'broadcast', '{}', true)$$), 'denied',
  'without the second step nothing is said');
select is(pg_temp.attempt('10000000-0000-4000-8000-000000000002',
  $$select 1 from public.usual_times, set_config('request.jwt.claims',
    '{"sub": "10000000-0000-4000-8000-000000000002", "role": "authenticated", "aal": "aal2"}', true)$$), '1',
  'after the second step it is read again');

-- The matrix covers every table, and every table has row level security.
select is_empty(
  $$select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and not relrowsecurity$$,
  'every table of public has row level security on');
select is_empty(
  $$select relname || ' ' || command from pg_class cross join unnest(array['select', 'insert', 'update', 'delete']) as command
    where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname || ' ' || command not in (select name from cells)$$,
  'every table and command is in the matrix');

select is_empty(
  $$select schemaname || '.' || tablename || ': ' || policyname from pg_policies
    where schemaname in ('public', 'storage', 'realtime')
      and case schemaname when 'public' then '' else schemaname || '.' end || tablename || ' ' || lower(cmd)
        not in (select name from cells)$$,
  'every policy is of a table and command in the matrix');

select * from finish();
rollback;
