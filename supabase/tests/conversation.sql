-- The order of a conversation, read positions, photos in messages, and who has answered.
begin;
create extension if not exists pgtap with schema extensions;
select plan(21);

insert into auth.users (id, email, is_anonymous, raw_user_meta_data, aud, role)
select person.id::uuid, person.email, false, jsonb_build_object('display_name', person.name), 'authenticated', 'authenticated'
from (values
  ('10000000-0000-4000-8000-000000000001', 'h@conversation.test', 'Hedda'),
  ('10000000-0000-4000-8000-000000000002', 'm@conversation.test', 'Mia'),
  ('10000000-0000-4000-8000-000000000004', 's@conversation.test', 'Stranger')
) as person (id, email, name);
insert into public.plans (id, title, time_zone) values ('40000000-0000-4000-8000-000000000001', 'Plan', 'UTC');
insert into public.plan_members (plan_id, user_id, role, joined_at) values
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'host', now() - interval '1 day'),
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', 'guest', now() - interval '1 day');
insert into public.time_options (id, plan_id, starts_at, ends_at) values
  ('50000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', now() + interval '2 days', now() + interval '2 days 2 hours');
insert into public.photos (id, plan_id, author_id, path, width, height) values
  ('80000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', '40000000-0000-4000-8000-000000000001/10000000-0000-4000-8000-000000000002/a.webp', 10, 10);
insert into public.messages (id, plan_id, author_id, client_id, body, created_at) values
  ('70000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', gen_random_uuid(), 'One', now() - interval '3 minutes'),
  ('70000000-0000-4000-8000-000000000002', '40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', gen_random_uuid(), 'Two', now() - interval '2 minutes');

-- Runs an expression as a person: its value, or the error's code.
create function pg_temp.say(person text, expression text) returns text language plpgsql as $$
declare
  value text;
  code text;
begin
  perform set_config('request.jwt.claims', json_build_object(
    'sub', '10000000-0000-4000-8000-00000000000' || person, 'role', 'authenticated')::text, true);
  perform set_config('role', 'authenticated', true);
  begin
    execute 'select (' || expression || ')::text' into value;
  exception when others then
    get stacked diagnostics code = pg_exception_detail;
    value := 'refused: ' || coalesce(nullif(code, ''), sqlerrm);
  end;
  perform set_config('role', 'postgres', true);
  return value;
end $$;
create function pg_temp.revision(message text) returns bigint language sql
  return (select m.revision from public.messages as m where m.id = ('70000000-0000-4000-8000-00000000000' || message)::uuid);

select is(pg_temp.revision('1'), 1::bigint, 'the first message is number one');
select is(pg_temp.revision('2'), 2::bigint, 'and the second number two');
select is(pg_temp.say('1', $$public.edit_message('70000000-0000-4000-8000-000000000001', 'One, better', 1)$$), '3', 'an edit takes the next number');
select is(pg_temp.say('1', $$public.edit_message('70000000-0000-4000-8000-000000000001', 'One, better', 1)$$), '3', 'the same edit again changes nothing');
select is(pg_temp.say('1', $$public.edit_message('70000000-0000-4000-8000-000000000001', 'One, otherwise', 1)$$), 'refused: message_changed', 'an edit of an older text is refused');
insert into public.reactions (message_id, plan_id, user_id, emoji) values
  ('70000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', '👍');
select is(pg_temp.revision('1'), 4::bigint, 'a reaction moves its message');
select is(pg_temp.say('1', $$public.edit_message('70000000-0000-4000-8000-000000000001', 'One, best', 3)$$), '5', 'but is no other text');
select is(pg_temp.say('2', $$public.edit_message('70000000-0000-4000-8000-000000000001', 'Mine now')$$), 'refused: message_not_found', 'nobody edits another''s message');
select is(pg_temp.say('4', $$public.edit_message('70000000-0000-4000-8000-000000000001', 'Mine now')$$), 'refused: message_not_found', 'least of all a stranger');

select is(pg_temp.say('2', $$select unread from public.unread_counts()$$), '2', 'two are new to who said none');
select is(pg_temp.say('1', $$select count(*) from public.unread_counts()$$), '0', 'one''s own are not new');
select lives_ok($$select pg_temp.say('2', 'public.mark_read(''40000000-0000-4000-8000-000000000001'', now() - interval ''150 seconds'')')$$);
select is(pg_temp.say('2', $$select unread from public.unread_counts()$$), '1', 'one is left after reading to the first');
select lives_ok($$select pg_temp.say('2', 'public.mark_read(''40000000-0000-4000-8000-000000000001'', now() - interval ''1 hour'')')$$);
select is(pg_temp.say('2', $$select unread from public.unread_counts()$$), '1', 'an older mark does not bring read ones back');
select is(pg_temp.say('4', $$public.mark_read('40000000-0000-4000-8000-000000000001', now())$$), 'refused: plan_not_found', 'a stranger marks nothing');

insert into public.messages (id, plan_id, author_id, client_id, body, photo_id) values
  ('70000000-0000-4000-8000-000000000003', '40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', gen_random_uuid(), '', '80000000-0000-4000-8000-000000000001');
delete from public.photos where id = '80000000-0000-4000-8000-000000000001';
select isnt((select deleted_at from public.messages where id = '70000000-0000-4000-8000-000000000003'), null, 'a message that was only a photo goes with it');

select is(pg_temp.say('2', $$public.cast_votes('40000000-0000-4000-8000-000000000001', '{"50000000-0000-4000-8000-000000000001": "no"}')$$), '', 'voting');
select isnt((select answered_at from public.plan_members where user_id = '10000000-0000-4000-8000-000000000002'), null, 'says that one has answered');
select pg_temp.say('2', $$public.cast_votes('40000000-0000-4000-8000-000000000001', '{"50000000-0000-4000-8000-000000000001": null}')$$);
select is((select answered_at from public.plan_members where user_id = '10000000-0000-4000-8000-000000000002'), null, 'taking it back says that one has not');

delete from public.plans where id = '40000000-0000-4000-8000-000000000001';
select is((select count(*)::integer from public.messages where plan_id = '40000000-0000-4000-8000-000000000001'), 0, 'a plan goes with all that was said and reacted');

select * from finish();
rollback;
