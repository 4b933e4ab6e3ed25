-- A new plan may decide itself, and its people hear by mail what is proposed, who objects, and that it could not decide.

drop function public.create_plan(text, text, text, uuid, jsonb, uuid[], uuid[], timestamptz, integer, boolean, boolean);
create function public.create_plan(
  title text,
  time_zone text,
  note text default '',
  circle uuid default null,
  times jsonb default '[]',
  places uuid[] default '{}',
  people uuid[] default '{}',
  vote_deadline timestamptz default null,
  capacity integer default null,
  guests_may_propose boolean default true,
  results_hidden boolean default false,
  decides_itself boolean default false
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  new_plan uuid;
  account_age interval;
  entry jsonb;
  place uuid;
begin
  if circle is not null and circle not in (select private.my_circle_ids()) then
    perform private.refuse('circle_not_found');
  end if;
  if create_plan.vote_deadline <= now() then
    perform private.refuse('deadline_in_past');
  end if;
  select now() - p.created_at into account_age from public.profiles as p
    where p.id = caller for update; -- two plans at once are counted one after the other
  if private.is_guest() and (
    select count(*) from public.plan_members as m
    join public.plans as p on p.id = m.plan_id
    where m.user_id = caller and m.role = 'host' and private.plan_state(p) in ('polling', 'confirmed')
      and not exists (select 1 from private.sample_plans as s where s.plan_id = p.id)
  ) >= private.limit_of('guest_plans') then
    perform private.refuse('too_many_guest_plans');
  end if;
  if account_age < make_interval(days => private.limit_of('new_account_days')) and (
    select count(*) from public.plan_members as m
    join public.plans as p on p.id = m.plan_id
    where m.user_id = caller and m.role = 'host' and p.created_at > now() - interval '1 day'
  ) >= private.limit_of('plans_per_day') then
    perform private.refuse('too_many_plans');
  end if;

  insert into public.plans
    (circle_id, title, note, time_zone, vote_deadline, capacity, guests_may_propose, results_hidden,
     decides_itself)
  values
    (circle, private.trimmed(create_plan.title), private.trimmed(create_plan.note), create_plan.time_zone,
     create_plan.vote_deadline, create_plan.capacity, create_plan.guests_may_propose, create_plan.results_hidden,
     create_plan.decides_itself)
  returning id into new_plan;
  insert into public.plan_members (plan_id, user_id, role) values (new_plan, caller, 'host');
  insert into public.plan_members (plan_id, user_id)
    select new_plan, person from (
      select distinct person from unnest(people) as person
      where person <> caller and person in (select private.invitable_people())
    ) as known;
  for entry in select * from jsonb_array_elements(times) loop
    perform private.add_time(new_plan, (entry ->> 'starts_at')::timestamptz, (entry ->> 'ends_at')::timestamptz);
  end loop;
  foreach place in array places loop
    perform private.add_place(new_plan, place);
  end loop;
  perform private.notify_table(new_plan, 'plan_invited');
  return new_plan;
end $$;
revoke execute on function public.create_plan(
  text, text, text, uuid, jsonb, uuid[], uuid[], timestamptz, integer, boolean, boolean, boolean) from public, anon;
grant execute on function public.create_plan(
  text, text, text, uuid, jsonb, uuid[], uuid[], timestamptz, integer, boolean, boolean, boolean) to authenticated;

-- The kinds that tell what becomes of a plan: of several that wait unsent only the newest goes out.
create function private.is_decision(kind text) returns boolean
  language sql immutable parallel safe set search_path = ''
  return kind in ('plan_confirmed', 'plan_reopened', 'plan_cancelled', 'plan_restored',
    'plan_proposed', 'plan_vetoed', 'plan_undecided');
revoke execute on function private.is_decision(text) from public, anon, authenticated;

create or replace function private.mail_decisions() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- What the owner of the database writes (a seed) is told to nobody, unless a plan decides itself.
  if (private.caller() is null and coalesce(current_setting('nosh.decides_itself', true), '') <> 'on')
    or not exists (select 1 from told as n where private.is_decision(n.kind::text)) then
    return null;
  end if;
  insert into private.mail_recipients (address)
    select distinct lower(u.email) from told as n
    join auth.users as u on u.id = n.user_id
    where private.is_decision(n.kind::text) and u.email is not null and u.email_confirmed_at is not null
    on conflict do nothing;
  delete from private.outgoing_mail as m using told as n, auth.users as u
    where u.id = n.user_id and m.address = lower(u.email) and m.plan_id = n.plan_id
      and private.is_decision(n.kind::text) and private.is_decision(m.kind::text)
      and m.sent_at is null and m.taken_at is null;
  insert into private.outgoing_mail (address, kind, plan_id, language)
    select r.address, n.kind::text::public.mail_kind, n.plan_id, p.language
    from told as n
    join auth.users as u on u.id = n.user_id and u.email_confirmed_at is not null
    join public.private_profiles as p on p.id = u.id and p.mail_reminders
    join private.mail_recipients as r on r.address = lower(u.email) and r.no_reminders_since is null
    where private.is_decision(n.kind::text);
  if found then
    perform private.deliver_mail();
  end if;
  return null;
end $$;

-- Besides what the words need, the calendar's entry of a plan that has a time and a place. A proposal's mail has the
-- proposed pair and until when one may object.
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
      'vote_deadline', p.vote_deadline, 'veto_until', p.veto_until, 'veto_reason', p.veto_reason,
      'vetoed_by', (select split_part(v.display_name, ' ', 1) from public.profiles as v where v.id = p.vetoed_by),
      'undecided', p.undecided, 'starts_at', t.starts_at, 'place', k.name, 'address_of_place', k.address,
      'host', split_part(h.display_name, ' ', 1), 'sender', split_part(s.display_name, ' ', 1),
      'people', (select count(*) from public.plan_members as c where c.plan_id = p.id),
      'event', case when m.kind <> 'plan_proposed' and t.id is not null and k.id is not null then jsonb_build_object(
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
    left join public.time_options as t
      on t.id = case m.kind when 'plan_proposed' then p.proposed_time_id else p.chosen_time_id end
    left join public.place_options as o
      on o.id = case m.kind when 'plan_proposed' then p.proposed_place_id else p.chosen_place_id end
    left join public.places as k on k.id = o.place_id
    left join public.plan_members as hm on hm.plan_id = p.id and hm.role = 'host'
    left join public.profiles as h on h.id = hm.user_id
    left join public.profiles as s on s.id = m.sender_id;
  end;
