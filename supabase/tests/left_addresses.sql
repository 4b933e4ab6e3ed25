-- Addresses that guests leave to be told by mail: confirmed once, limited, ended by one click; and who hears that everybody
-- has answered.
begin;
create extension if not exists pgtap with schema extensions;
select plan(35);

-- Host and Member have accounts; Gil, Gus and Gia are guests.
insert into auth.users (id, email, email_confirmed_at, is_anonymous, raw_user_meta_data, aud, role)
select ('10000000-0000-4000-8000-00000000000' || at)::uuid, case when at < 3 then name || '@left.test' end,
  case when at < 3 then now() end, at > 2, jsonb_build_object('display_name', name), 'authenticated', 'authenticated'
from unnest(array['host', 'member', 'Gil', 'Gus', 'Gia']) with ordinality as person (name, at);
insert into public.plans (id, title, time_zone)
  select ('40000000-0000-4000-8000-00000000000' || number)::uuid, 'Plan', 'UTC' from generate_series(1, 2) as number;
insert into public.plan_members (plan_id, user_id, role)
select ('40000000-0000-4000-8000-00000000000' || number)::uuid, ('10000000-0000-4000-8000-00000000000' || at)::uuid,
  (case at when 1 then 'host' else 'guest' end)::public.plan_role
from generate_series(1, 2) as number, generate_series(1, 4) as at;
insert into public.time_options (id, plan_id, starts_at, ends_at) values
  ('50000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', now() + interval '3 days', now() + interval '74 hours');

-- Runs a call as a person: its answer, or the code of the refusal.
create function pg_temp.say(person integer, call text) returns text language plpgsql as $$
declare
  answer text;
begin
  perform set_config('request.jwt.claims', json_build_object(
    'sub', '10000000-0000-4000-8000-00000000000' || person, 'role', 'authenticated', 'aal', 'aal1')::text, true);
  perform set_config('role', 'authenticated', true);
  begin
    execute 'select (' || call || ')::text' into answer;
  exception when others then
    get stacked diagnostics answer = pg_exception_detail;
  end;
  perform set_config('role', 'postgres', true);
  return answer;
end $$;
create function pg_temp.leave(person integer, address text, number integer default 1) returns text language sql as $$
  select pg_temp.say(person, format('public.leave_address(%L, %L)', '40000000-0000-4000-8000-00000000000' || number, address))
$$;
create function pg_temp.mails(kind text) returns text language sql as $$
  select string_agg(m.address, ' ' order by m.address) from private.outgoing_mail as m where m.kind::text = mails.kind
$$;
create function pg_temp.secret(address text) returns text language sql as $$
  select m.secret from private.outgoing_mail as m
  where m.address = secret.address and m.kind = 'confirm_address' order by m.created_at desc, m.id limit 1
$$;
create function pg_temp.from_network(address text) returns void language sql as $$
  select set_config('request.headers', json_build_object('x-forwarded-for', address)::text, true)
$$;

-- One mail asks; nothing else goes out before the answer.
select is(pg_temp.leave(3, ' Gil@Left.Test '), 'asked', 'a guest leaves an address');
select is(pg_temp.mails('confirm_address'), 'gil@left.test', 'one mail asks');
select is((select secret from private.outgoing_mail where kind = 'confirm_address') is not null
  and (select token_hash from private.left_addresses) = private.token_hash(pg_temp.secret('gil@left.test')), true,
  'the mail has the token, the table its hash');
select is(pg_temp.say(1, $$public.cancel_plan('40000000-0000-4000-8000-000000000001')$$), '', 'the host cancels');
select is(pg_temp.mails('plan_cancelled'), 'host@left.test member@left.test', 'an unconfirmed address hears nothing');
select is(pg_temp.say(3, $$(select m.confirmed from public.my_left_address('40000000-0000-4000-8000-000000000001') as m)$$),
  'false', 'the guest sees that it waits');
select is(pg_temp.say(4, $$public.confirm_address('guess')$$), 'confirmation_gone', 'a guessed token confirms nothing');
select is(pg_temp.say(4, format('public.confirm_address(%L)', pg_temp.secret('gil@left.test'))),
  '40000000-0000-4000-8000-000000000001', 'who has the mail confirms it');
select is(pg_temp.say(4, format('public.confirm_address(%L)', pg_temp.secret('gil@left.test'))),
  '40000000-0000-4000-8000-000000000001', 'twice is once');
select is(pg_temp.say(3, $$(select m from public.my_left_address('40000000-0000-4000-8000-000000000001') as m)$$),
  '(g…@left.test,t)', 'the guest sees most of it covered');
select is(pg_temp.say(1, $$public.restore_plan('40000000-0000-4000-8000-000000000001')$$), '', 'the host restores');
select is(pg_temp.mails('plan_restored'), 'gil@left.test host@left.test member@left.test', 'a confirmed address is told');
select is((select string_agg(u.id::text, ' ') from pg_temp.say(1, 'null') as nobody, lateral (
    select right(p.id::text, 1) as id from public.plan_members as m join public.profiles as p on p.id = m.user_id
    where m.plan_id = '40000000-0000-4000-8000-000000000001' and not exists (
      select 1 from private.plan_mail_addresses(m.plan_id) as a where a.user_id = m.user_id)) as u),
  '4', 'only the guest without an address is out of reach');

-- It holds for one plan; at another the same person need not confirm it again, another person must.
select is(pg_temp.leave(3, 'gil@left.test', 2), 'confirmed', 'the same address of the same guest at another plan');
select is(pg_temp.leave(4, 'gil@left.test', 2), 'asked', 'the same address of another guest');

-- One click ends it, and nobody can begin it anew from outside.
select is(pg_temp.say(4, format('public.choose_mail(%L, false, false)',
  (select r.token from private.mail_recipients as r where r.address = 'gil@left.test'))), '', 'unsubscribed');
delete from private.outgoing_mail;
select is(pg_temp.say(1, $$public.cancel_plan('40000000-0000-4000-8000-000000000001')$$), '', 'cancelled again');
select is(pg_temp.mails('plan_cancelled'), 'host@left.test member@left.test', 'who has unsubscribed hears nothing');
select is(pg_temp.leave(4, 'gil@left.test'), 'not_sent', 'and is not asked');
select is(pg_temp.mails('confirm_address'), null, 'there is no mail');

-- Limits: an address, a person, and a network, whatever guests come from it.
select is(pg_temp.leave(4, 'nonsense'), 'mail_bad_address', 'an address that is none');
select is((select string_agg(pg_temp.leave(4, number || '@left.test'), ' ' order by number) from generate_series(1, 5) as number),
  'asked asked asked too_many_confirmations too_many_confirmations', 'a person asks five times a day');
delete from private.daily_uses;
select pg_temp.leave(person, 'victim@left.test') from unnest(array[3, 4, 3]) as person;
select is(pg_temp.leave(3, 'victim@left.test'), 'too_many_confirmations', 'an address is asked three times a day');
delete from private.daily_uses;
select pg_temp.from_network('203.0.113.7');
insert into private.daily_uses (subject, uses) values (private.token_hash('confirm network 203.0.113.7'), 20);
select is(pg_temp.leave(3, 'new@left.test'), 'too_many_confirmations', 'a network asks twenty times a day');
select pg_temp.from_network('203.0.113.8');
select is(pg_temp.leave(3, 'new@left.test'), 'asked', 'another network does not wait for it');
select pg_temp.from_network('2001:db8:1:2:3::1, 10.0.0.1');
select is(private.network_of_caller(), '2001:db8:1:2::', 'a household is one network');
update private.daily_uses set since = now() - interval '25 hours';
select pg_temp.from_network('203.0.113.7');
select is(pg_temp.leave(3, 'new@left.test'), 'asked', 'a day later it may ask again');

-- Who was invited by mail and takes the seat as a guest is told at that address.
insert into public.invites (plan_id, token_hash, expires_at, max_uses, mailed_to) values
  ('40000000-0000-4000-8000-000000000002', private.token_hash('mailed'), now() + interval '1 day', 1, 'gia@left.test');
select is(pg_temp.say(5, $$(select a.kind from public.accept_invite('mailed') as a)$$), 'plan', 'a guest takes a seat by a mailed link');
select is((select count(*)::integer from private.plan_mail_addresses('40000000-0000-4000-8000-000000000002') as a
  where a.address = 'gia@left.test'), 1, 'and is told there');

-- The last answer is told to the host, once.
select is(pg_temp.say(1, $$public.restore_plan('40000000-0000-4000-8000-000000000001')$$), '', 'voting is open');
delete from private.outgoing_mail;
select pg_temp.say(person, $$public.cast_votes('40000000-0000-4000-8000-000000000001',
  '{"50000000-0000-4000-8000-000000000001": "yes"}')$$) from unnest(array[1, 2, 3]) as person;
create temporary table before_last as select pg_temp.mails('everybody_answered') as addresses;
select pg_temp.say(4, format($$public.cast_votes('40000000-0000-4000-8000-000000000001',
  '{"50000000-0000-4000-8000-000000000001": %s}')$$, answer)) from unnest(array['"no"', 'null', '"yes"']) as answer;
select is((select addresses from before_last) is null and pg_temp.mails('everybody_answered') = 'host@left.test'
  and (select count(*) = 1 from public.notifications where kind = 'everybody_answered'), true,
  'the host hears once that everybody has answered, after the last answer');

-- So the host does when the last person who was silent declines or leaves, but not when the host removed them.
create function pg_temp.heard(person integer, call text) returns bigint language plpgsql as $$
begin
  delete from public.time_votes where user_id = '10000000-0000-4000-8000-000000000004';
  insert into public.plan_members (plan_id, user_id)
    values ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000004') on conflict do nothing;
  update public.plan_members set answered_at = null, rsvp = 'pending'
    where user_id = '10000000-0000-4000-8000-000000000004';
  delete from private.removals;
  delete from private.reminders where kind = 'everybody_answered';
  delete from public.notifications where kind = 'everybody_answered';
  perform pg_temp.say(person, call);
  return (select count(*) from public.notifications where kind = 'everybody_answered'
    and user_id = '10000000-0000-4000-8000-000000000001');
end $$;
select is(pg_temp.heard(4, $$public.set_rsvp('40000000-0000-4000-8000-000000000001', 'declined')$$), 1::bigint, 'the last silent person declines');
select is(pg_temp.heard(4, $$public.remove_member('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000004')$$), 1::bigint, 'or leaves');
select is(pg_temp.heard(1, $$public.remove_member('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000004')$$), 0::bigint, 'a host who removes them knows it');
delete from public.plan_members where plan_id = '40000000-0000-4000-8000-000000000001' and user_id in (
  '10000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000003');
select is(pg_temp.heard(4, $$public.remove_member('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000004')$$), 0::bigint, 'and one who is left alone hears nothing');

select * from finish();
rollback;
