-- Web push: the devices that a person wants to be told on, and the messages that wait for them. As with mail, a
-- message is a row, written in the transaction of the change that it reports; a function sends it afterwards.

-- One row for each device and person. The endpoint is a secret: knowing it is enough to write to the device.
create table public.push_subscriptions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.profiles (id) on delete cascade,
  endpoint text not null unique
    check (char_length(endpoint) <= 1000 and endpoint ~ '^https://[^\s/@?#]+/\S*$'),
  -- An uncompressed point of P-256 and 16 bytes, in base64url.
  p256dh text not null check (p256dh ~ '^B[A-Za-z0-9_-]{86}$'),
  auth text not null check (auth ~ '^[A-Za-z0-9_-]{22}$'),
  created_at timestamptz not null default now()
);

create index push_subscriptions_user_idx on public.push_subscriptions (user_id);

-- Messages that wait. A row goes when it was sent, and with the device, the seat or the plan.
create table private.outgoing_push (
  id uuid primary key default gen_random_uuid(),
  subscription_id uuid not null references public.push_subscriptions (id) on delete cascade,
  plan_id uuid not null,
  user_id uuid not null,
  kind public.notification_kind not null,
  created_at timestamptz not null default now(),
  taken_at timestamptz,
  attempts smallint not null default 0,
  failure text,
  not_before timestamptz, -- of a decision: until then it can be undone
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id)
    on update cascade on delete cascade
);

create index outgoing_push_created_idx on private.outgoing_push (created_at);
create index outgoing_push_subscription_idx on private.outgoing_push (subscription_id);
create index outgoing_push_seat_idx on private.outgoing_push (plan_id, user_id);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Tells the caller on this device from now on. A device tells one person: the last who asked for it on this device.
create function public.save_push_subscription(endpoint text, p256dh text, auth text) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  saved uuid;
begin
  -- Two devices at once are counted one after the other.
  perform 1 from public.profiles as p where p.id = caller for no key update;
  if not exists (
    select 1 from public.push_subscriptions as s
    where s.endpoint = save_push_subscription.endpoint and s.user_id = caller
  ) and (
    select count(*) from public.push_subscriptions as s where s.user_id = caller
  ) >= private.limit_of('push_devices') then
    perform private.refuse('too_many_push_devices');
  end if;
  -- Messages for the person before go with their row.
  delete from public.push_subscriptions as s
    where s.endpoint = save_push_subscription.endpoint and s.user_id <> caller;
  begin
    insert into public.push_subscriptions as s (user_id, endpoint, p256dh, auth)
      values (caller, save_push_subscription.endpoint, save_push_subscription.p256dh, save_push_subscription.auth)
      on conflict on constraint push_subscriptions_endpoint_key
        do update set user_id = excluded.user_id, p256dh = excluded.p256dh, auth = excluded.auth
      returning s.id into saved;
  exception when check_violation or not_null_violation then
    perform private.refuse('push_bad_subscription');
  end;
  return saved;
end $$;

create function private.push_notifications() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Of several decisions that wait for a device only the newest is sent.
  delete from private.outgoing_push as m using told as n
    where m.plan_id = n.plan_id and m.user_id = n.user_id and m.taken_at is null
      and (private.is_decision(m.kind::text) or private.is_addition(m.kind::text)) and private.is_decision(n.kind::text);
  insert into private.outgoing_push (subscription_id, plan_id, user_id, kind, not_before)
    select s.id, n.plan_id, n.user_id, n.kind, private.not_before(n.plan_id)
    from told as n
    join public.push_subscriptions as s on s.user_id = n.user_id
    join public.plan_members as seat on seat.plan_id = n.plan_id and seat.user_id = n.user_id
    where (private.is_decision(n.kind::text)
        or private.is_addition(n.kind::text) or n.kind in ('vote_nudge', 'vote_reminder', 'plan_tomorrow', 'seat_freed',
          'standing_planned', 'everybody_answered', 'join_asked', 'not_coming'))
      and not (private.is_addition(n.kind::text) and exists (
        select 1 from private.outgoing_push as m
        where m.subscription_id = s.id and m.plan_id = n.plan_id and m.taken_at is null
          and (private.is_decision(m.kind::text) or m.kind = n.kind)
      ));
  if found then
    perform private.deliver_push();
  end if;
  return null;
end $$;

-- By what a person hears of a plan: 'mail', else 'push', else null.
create function private.reach(plan uuid, person uuid) returns text
  language sql stable security definer set search_path = ''
  return case
    when exists (
      select 1 from private.plan_mail_addresses(plan) as a
      left join private.mail_recipients as r on r.address = a.address
      where a.user_id = person and a.wanted and r.no_reminders_since is null) then 'mail'
    when exists (select 1 from public.push_subscriptions as s where s.user_id = person) then 'push'
  end;

-- The people of a plan who get neither mail nor push about it.
create function private.unreached(plan uuid) returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select m.user_id from public.plan_members as m
    where m.plan_id = unreached.plan and m.rsvp <> 'declined'
      -- The made-up people of a sample table.
      and m.user_id::text not like '00000000-0000-4000-8000-5a3b1e%'
      and private.reach(m.plan_id, m.user_id) is null;
  end;

-- Calls the function that sends, once in a transaction.
create function private.deliver_push() returns void
  language plpgsql security definer set search_path = '' as $$
begin
  if current_setting('nosh.push_called_in', true) = pg_current_xact_id()::text
    or not exists (select 1 from private.outgoing_push as m where m.attempts < 5) then
    return;
  end if;
  perform set_config('nosh.push_called_in', pg_current_xact_id()::text, true);
  perform private.call_function('web-push');
end $$;

-- Takes up to `most` messages that wait, with all that their words need; those that are no longer so go. Of a proposal
-- with its pair, and until when one may object. A message that was taken and not settled within ten minutes is taken again, five times at
-- most.
create function public.take_push(most integer default 20) returns jsonb
  language sql volatile security definer set search_path = ''
  begin atomic
    delete from private.outgoing_push as m using public.plans as p
      where p.id = m.plan_id and m.attempts < 5 and (m.taken_at is null or m.taken_at < now() - interval '10 minutes')
        and private.is_still_so(m.kind::text, p, array[m.user_id], null) is not true;
    with taken as (
      update private.outgoing_push as m set taken_at = now(), attempts = m.attempts + 1
      where m.id in (
        select w.id from private.outgoing_push as w
        where w.attempts < 5 and (w.not_before is null or w.not_before <= now())
          and (w.taken_at is null or w.taken_at < now() - interval '10 minutes')
        order by w.created_at limit least(most, 100) for update skip locked
      )
      returning m.*
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', m.id, 'kind', m.kind, 'language', mine.language,
      'endpoint', s.endpoint, 'p256dh', s.p256dh, 'auth', s.auth,
      'plan_id', p.id, 'title', p.title, 'time_zone', p.time_zone, 'vote_deadline', p.vote_deadline,
      'starts_at', t.starts_at, 'place', k.name, 'veto_until', p.veto_until,
      'question', case when m.kind in ('vote_nudge', 'vote_reminder') then (
        select n.step from private.plan_next(p.id) as n where n.user_id = m.user_id and n.step in ('times', 'places')) end
    ) order by m.created_at), '[]')
    from taken as m
    join public.push_subscriptions as s on s.id = m.subscription_id
    join public.private_profiles as mine on mine.id = m.user_id
    join public.plans as p on p.id = m.plan_id
    left join public.time_options as t
      on t.id = case m.kind when 'plan_proposed' then p.proposed_time_id else p.chosen_time_id end
    left join public.place_options as o
      on o.id = case m.kind when 'plan_proposed' then p.proposed_place_id else p.chosen_place_id end
    left join public.places as k on k.id = o.place_id;
  end;

-- Says what became of a message that was taken: sent, or why not (it is tried again later). `gone`: the push service
-- knows the device no more, and it is forgotten.
create function public.settle_push(push uuid, failure text default null, gone boolean default false) returns void
  language plpgsql volatile security definer set search_path = '' as $$
begin
  if settle_push.gone then
    delete from public.push_subscriptions as s using private.outgoing_push as m
      where m.id = settle_push.push and s.id = m.subscription_id;
  elsif settle_push.failure is null then
    delete from private.outgoing_push as m where m.id = settle_push.push;
  else
    update private.outgoing_push as m set failure = left(settle_push.failure, 500) where m.id = settle_push.push;
  end if;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.push_subscriptions enable row level security;

create policy "devices are read by their person" on public.push_subscriptions
  for select to authenticated using (user_id = (select private.caller()));
create policy "devices are removed by their person" on public.push_subscriptions
  for delete to authenticated using (user_id = (select private.caller()));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger push_notifications after insert on public.notifications
  referencing new table as told for each statement when (coalesce(current_setting('nosh.undoes', true), '') <> 'on')
  execute function private.push_notifications();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select (id, user_id, created_at), delete on public.push_subscriptions to authenticated;
grant execute on function public.save_push_subscription(text, text, text) to authenticated;
grant execute on function public.take_push(integer), public.settle_push(uuid, text, boolean) to service_role;
