-- Removed people come back by a new invite only.

-- People who were removed from a plan or a circle by another, and when. Invites made before that are closed to
-- them.
create table private.removals (
  plan_id uuid references public.plans (id) on delete cascade,
  circle_id uuid references public.circles (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade,
  removed_at timestamptz not null default clock_timestamp(),
  id uuid primary key default gen_random_uuid(),
  constraint removed_from_one check (num_nonnulls(plan_id, circle_id) = 1),
  unique (plan_id, user_id),
  unique (circle_id, user_id)
);

create index removals_user_idx on private.removals (user_id);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Refuses an invite to people who were removed after it was made.
create function private.refuse_removed(invite public.invites) returns void
  language plpgsql stable security definer set search_path = '' as $$
begin
  if exists (
    select 1 from private.removals as r
    where r.user_id = (select private.caller()) and r.removed_at >= invite.created_at
      and (r.plan_id = invite.plan_id or r.circle_id = invite.circle_id)
  ) then
    perform private.refuse('removed_before');
  end if;
end $$;

-- Taking a seat again needs a new invite, which ends the removal.
create function private.end_removal() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_table_name = 'plan_members' then
    delete from private.removals as r where r.plan_id = new.plan_id and r.user_id = new.user_id;
  else
    delete from private.removals as r where r.circle_id = new.circle_id and r.user_id = new.user_id;
  end if;
  return null;
end $$;

-- Before a person goes, all that they sit in is locked, so that nothing is handed to them any more. Its name puts it
-- before the trigger `hand_over`: triggers run in the order of their names.
create function private.hold_seats() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from public.circles as c
    where c.id in (select m.circle_id from public.circle_members as m where m.user_id = old.id)
    order by c.id for no key update;
  perform 1 from public.plans as p
    where p.id in (select m.plan_id from public.plan_members as m where m.user_id = old.id)
    order by p.id for no key update;
  return old;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger before_hand_over before delete on public.profiles
  for each row execute function private.hold_seats();
create trigger end_removal after insert on public.plan_members
  for each row execute function private.end_removal();
create trigger end_removal after insert on public.circle_members
  for each row execute function private.end_removal();
