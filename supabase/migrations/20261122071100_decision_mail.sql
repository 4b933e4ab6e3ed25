-- Confirmed, reopened, cancelled, restored: who has an address hears it by mail at once, with the calendar's entry.
-- The same setting as for reminders. Of several decisions that wait unsent only the newest goes out.

create function private.mail_decisions() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- What the owner of the database writes (a seed) is told to nobody.
  if private.caller() is null or not exists (
    select 1 from told as n where n.kind in ('plan_confirmed', 'plan_reopened', 'plan_cancelled', 'plan_restored')
  ) then
    return null;
  end if;
  insert into private.mail_recipients (address)
    select distinct lower(u.email) from told as n
    join auth.users as u on u.id = n.user_id
    where n.kind in ('plan_confirmed', 'plan_reopened', 'plan_cancelled', 'plan_restored')
      and u.email is not null and u.email_confirmed_at is not null
    on conflict do nothing;
  delete from private.outgoing_mail as m using told as n, auth.users as u
    where u.id = n.user_id and m.address = lower(u.email) and m.plan_id = n.plan_id
      and m.kind in ('plan_confirmed', 'plan_reopened', 'plan_cancelled', 'plan_restored')
      and m.sent_at is null and m.taken_at is null;
  insert into private.outgoing_mail (address, kind, plan_id, language)
    select r.address, n.kind::text::public.mail_kind, n.plan_id, p.language
    from told as n
    join auth.users as u on u.id = n.user_id and u.email_confirmed_at is not null
    join public.private_profiles as p on p.id = u.id and p.mail_reminders
    join private.mail_recipients as r on r.address = lower(u.email) and r.no_reminders_since is null
    where n.kind in ('plan_confirmed', 'plan_reopened', 'plan_cancelled', 'plan_restored');
  if found then
    perform private.deliver_mail();
  end if;
  return null;
end $$;
revoke execute on function private.mail_decisions() from public, anon, authenticated;

create trigger mail_decisions after insert on public.notifications
  referencing new table as told for each statement execute function private.mail_decisions();

-- Besides what the words need, the calendar's entry of a plan that has a time and a place.
create or replace function public.take_mail(most integer default 20) returns jsonb
  language sql volatile security definer set search_path = ''
  begin atomic
    with taken as (
      update private.outgoing_mail as m set taken_at = now(), attempts = m.attempts + 1
      where m.id in (
        select w.id from private.outgoing_mail as w
        where w.sent_at is null and w.attempts < 5
          and (w.taken_at is null or w.taken_at < now() - interval '10 minutes')
        order by w.created_at limit least(most, 100) for update skip locked
      )
      returning m.*
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', m.id, 'address', m.address, 'kind', m.kind, 'language', m.language, 'secret', m.secret,
      'unsubscribe', r.token, 'plan_id', p.id, 'title', p.title, 'time_zone', p.time_zone,
      'vote_deadline', p.vote_deadline, 'starts_at', t.starts_at, 'place', k.name, 'address_of_place', k.address,
      'host', split_part(h.display_name, ' ', 1), 'sender', split_part(s.display_name, ' ', 1),
      'people', (select count(*) from public.plan_members as c where c.plan_id = p.id),
      'event', case when t.id is not null and k.id is not null then jsonb_build_object(
        'plan_id', p.id, 'title', p.title, 'note', p.note, 'revision', p.revision,
        'status', private.plan_state(p),
        'rsvp', coalesce((
          select m2.rsvp::text from public.plan_members as m2 join auth.users as u on u.id = m2.user_id
          where m2.plan_id = p.id and lower(u.email) = m.address), 'pending'),
        'starts_at', t.starts_at, 'ends_at', t.ends_at,
        'place', k.name, 'address', k.address, 'latitude', k.latitude, 'longitude', k.longitude,
        'people', (select count(*) from public.plan_members as c where c.plan_id = p.id and c.rsvp = 'going'),
        'created_at', p.created_at, 'updated_at', p.updated_at) end
    ) order by m.created_at), '[]')
    from taken as m
    join private.mail_recipients as r on r.address = m.address
    join public.plans as p on p.id = m.plan_id
    left join public.time_options as t on t.id = p.chosen_time_id
    left join public.place_options as o on o.id = p.chosen_place_id
    left join public.places as k on k.id = o.place_id
    left join public.plan_members as hm on hm.plan_id = p.id and hm.role = 'host'
    left join public.profiles as h on h.id = hm.user_id
    left join public.profiles as s on s.id = m.sender_id;
  end;
