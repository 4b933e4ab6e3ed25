-- What a person is told in the app.

create type public.notification_kind as enum (
  'plan_invited', 'plan_confirmed', 'plan_reopened', 'plan_cancelled', 'plan_restored', 'seat_freed',
  'person_joined', 'vote_reminder', 'plan_tomorrow', 'rate_reminder', 'plan_changed', 'vote_nudge',
  'plan_proposed', 'plan_vetoed', 'plan_undecided', 'standing_planned', 'plan_moved', 'plan_placed',
  'everybody_answered', 'join_asked', 'seat_asked', 'seat_moved', 'not_coming'
);

create table public.notifications (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.profiles (id) on delete cascade,
  kind public.notification_kind not null,
  plan_id uuid not null references public.plans (id) on delete cascade,
  actor_id uuid references public.profiles (id) on delete set null,
  read_at timestamptz,
  created_at timestamptz not null default now()
);

create index notifications_user_time_idx on public.notifications (user_id, created_at desc);
create index notifications_plan_idx on public.notifications (plan_id);
create index notifications_actor_idx on public.notifications (actor_id);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.notify_table(plan uuid, kind public.notification_kind) returns void
  language sql security definer set search_path = ''
  begin atomic
    insert into public.notifications (user_id, kind, plan_id, actor_id)
    select m.user_id, notify_table.kind, plan, (select private.caller()) from public.plan_members as m
    where m.plan_id = plan and m.user_id is distinct from (select private.caller()) and m.rsvp <> 'declined';
  end;

create function private.notify_hosts(plan uuid, kind public.notification_kind) returns void
  language sql security definer set search_path = ''
  begin atomic
    insert into public.notifications (user_id, kind, plan_id, actor_id)
    select m.user_id, notify_hosts.kind, plan, (select private.caller()) from public.plan_members as m
    where m.plan_id = plan and m.role in ('host', 'cohost') and m.user_id is distinct from (select private.caller());
  end;

-- Who comes again, or has joined again, is no longer told to the hosts as not coming.
create function private.take_back_not_coming() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  delete from public.notifications as n
    where n.plan_id = new.plan_id and n.kind = 'not_coming' and n.actor_id = new.user_id;
  return null;
end $$;

-- Tells the hosts once when no question is open for anybody: after the last answer, or when the last person with one
-- declines, leaves or is removed. A host whose own step it was is not told.
create function private.tell_everybody_answered() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  plan uuid := coalesce(new.plan_id, old.plan_id);
begin
  -- What the owner of the database writes (a seed) is told to nobody.
  if private.caller() is null or private.open_question(old) is null or not exists (
    select 1 from public.plans as p where p.id = plan and p.status = 'polling'
  ) or exists (
    select 1 from public.plan_members as m where m.plan_id = plan and private.open_question(m) is not null
  ) then
    return null;
  end if;
  with hosts as (
    insert into private.reminders (plan_id, user_id, kind, due_for)
      select m.plan_id, m.user_id, 'everybody_answered', p.created_at
      from public.plan_members as m join public.plans as p on p.id = m.plan_id
      where m.plan_id = plan and m.role in ('host', 'cohost') and m.user_id <> private.caller()
        and exists (
          select 1 from public.plan_members as other
          where other.plan_id = plan and other.user_id <> m.user_id and other.answered_at is not null
            and other.rsvp <> 'declined')
      on conflict do nothing returning user_id
  )
  insert into public.notifications (user_id, kind, plan_id)
    select h.user_id, 'everybody_answered', plan from hosts as h;
  return null;
end $$;

-- The kinds that tell what becomes of a plan: of several that wait unsent only the newest goes out.
create function private.is_decision(kind text) returns boolean
  language sql immutable parallel safe set search_path = ''
  return kind in ('plan_confirmed', 'plan_moved', 'plan_reopened', 'plan_cancelled', 'plan_restored',
    'plan_proposed', 'plan_vetoed', 'plan_undecided');

-- The kinds that add to a decision. A decision's mail that waits unsent tells them too, as its words are read from the
-- plan when it is sent.
create function private.is_addition(kind text) returns boolean
  language sql immutable parallel safe set search_path = ''
  return kind in ('plan_changed', 'plan_placed');

-- The kinds that ask one person to do something now: their mails go out at once.
create function private.is_hint(kind text) returns boolean
  language sql immutable parallel safe set search_path = ''
  return kind in ('vote_nudge', 'everybody_answered', 'join_asked');

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.notifications enable row level security;

create policy "notifications are read by their person" on public.notifications
  for select to authenticated using (user_id = (select private.caller()));
create policy "notifications are marked read by their person" on public.notifications
  for update to authenticated
  using (user_id = (select private.caller())) with check (user_id = (select private.caller()));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger tell_everybody_answered
  after update of times_answered, places_answered, rsvp or delete on public.plan_members
  for each row execute function private.tell_everybody_answered();
create trigger take_back_not_coming after insert or update of rsvp on public.plan_members
  for each row when (new.rsvp <> 'declined') execute function private.take_back_not_coming();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select, update (read_at) on public.notifications to authenticated;

-- ---------------------------------------------------------------------------------------------------------
-- Publication

alter publication supabase_realtime add table public.notifications;
