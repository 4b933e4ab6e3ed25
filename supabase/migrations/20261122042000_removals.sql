-- Removing people and handing over, with the circle or the plan locked from the first question on: someone looks
-- after each, roles belong to the host, and who was removed comes back by a new invite only.

insert into private.errors (code, status, message, hint) values
  ('not_main_host', 403, 'Only the host can do this.', 'Ask the host of this plan.'),
  ('removed_before', 403, 'You were removed, so this link does not work for you.', 'Ask for a new invite link.');

-- Who was removed by another from a plan or a circle, and when. Invites made before that are closed to them.
create table private.removals (
  plan_id uuid references public.plans (id) on delete cascade,
  circle_id uuid references public.circles (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade,
  removed_at timestamptz not null default clock_timestamp(),
  constraint removed_from_one check (num_nonnulls(plan_id, circle_id) = 1),
  unique (plan_id, user_id),
  unique (circle_id, user_id)
);
create index removals_user_idx on private.removals (user_id);

-- The plan, locked until the end of the transaction. Seat and role are read after the lock is held: they may have
-- changed while it was waited for.
create or replace function private.plan_of_caller(plan uuid, as_host boolean) returns public.plans
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans;
begin
  -- A stranger takes no lock.
  if private.is_plan_member(plan) then
    perform 1 from public.plans as p where p.id = plan for no key update;
  end if;
  select * into this from public.plans as p where p.id = plan and exists (
    select 1 from public.plan_members as m where m.plan_id = plan and m.user_id = caller
  );
  if not found then
    perform private.refuse('plan_not_found');
  end if;
  if as_host and not private.is_plan_host(plan) then
    perform private.refuse('not_host');
  end if;
  return this;
end $$;

create or replace function public.remove_member(plan uuid, person uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, person is distinct from caller);
  mine public.plan_role := (
    select m.role from public.plan_members as m where m.plan_id = this.id and m.user_id = caller);
  theirs public.plan_role := (
    select m.role from public.plan_members as m where m.plan_id = this.id and m.user_id = person);
begin
  if theirs is null then
    perform private.refuse('person_not_found');
  elsif theirs = 'host' then
    perform private.refuse('host_cannot_leave');
  elsif theirs = 'cohost' and person <> caller and mine <> 'host' then
    perform private.refuse('not_main_host');
  end if;
  delete from public.plan_members as m where m.plan_id = plan and m.user_id = person;
  if person <> caller then
    insert into private.removals (plan_id, user_id) values (plan, person)
      on conflict (plan_id, user_id) do update set removed_at = clock_timestamp();
  end if;
end $$;

-- Makes someone cohost or guest again; with `host` the caller hands the plan over. Only the host does, except that
-- a cohost may step down.
create or replace function public.set_member_role(plan uuid, person uuid, role public.plan_role) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
  mine public.plan_role := (
    select m.role from public.plan_members as m where m.plan_id = this.id and m.user_id = caller);
  theirs public.plan_role := (
    select m.role from public.plan_members as m where m.plan_id = this.id and m.user_id = person);
begin
  if theirs is null then
    perform private.refuse('person_not_found');
  elsif mine <> 'host' and not (person = caller and set_member_role.role = 'guest') then
    perform private.refuse('not_main_host');
  elsif theirs = 'host' and set_member_role.role <> 'host' then
    perform private.refuse('host_cannot_leave');
  elsif theirs = 'host' then
    return;
  elsif set_member_role.role = 'host' then
    if (select p.is_guest from public.profiles as p where p.id = person) then
      perform private.refuse('needs_account');
    end if;
    update public.plan_members as m set role = 'cohost' where m.plan_id = plan and m.user_id = caller;
  end if;
  update public.plan_members as m set role = set_member_role.role where m.plan_id = plan and m.user_id = person;
end $$;

create or replace function public.remove_circle_member(circle uuid, person uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  mine public.circle_role;
  theirs public.circle_role;
begin
  if circle in (select private.my_circle_ids()) then
    perform 1 from public.circles as c where c.id = circle for no key update;
  end if;
  select m.role into mine from public.circle_members as m where m.circle_id = circle and m.user_id = caller;
  select m.role into theirs from public.circle_members as m where m.circle_id = circle and m.user_id = person;
  if mine is null then
    perform private.refuse('circle_not_found');
  elsif theirs is null then
    perform private.refuse('person_not_found');
  elsif theirs = 'owner' then
    perform private.refuse('owner_cannot_leave');
  elsif person <> caller and mine = 'member' then
    perform private.refuse('not_circle_admin');
  elsif person <> caller and theirs = 'admin' and mine <> 'owner' then
    perform private.refuse('not_circle_owner');
  end if;
  delete from public.circle_members as m where m.circle_id = circle and m.user_id = person;
  if person <> caller then
    insert into private.removals (circle_id, user_id) values (circle, person)
      on conflict (circle_id, user_id) do update set removed_at = clock_timestamp();
  end if;
end $$;

create or replace function public.set_circle_role(circle uuid, person uuid, role public.circle_role) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  mine public.circle_role;
begin
  if circle in (select private.my_circle_ids()) then
    perform 1 from public.circles as c where c.id = circle for no key update;
  end if;
  select m.role into mine from public.circle_members as m where m.circle_id = circle and m.user_id = caller;
  if mine is null then
    perform private.refuse('circle_not_found');
  elsif mine <> 'owner' then
    perform private.refuse('not_circle_owner');
  elsif not exists (
    select 1 from public.circle_members as m where m.circle_id = circle and m.user_id = person
  ) then
    perform private.refuse('person_not_found');
  elsif person = caller then
    if set_circle_role.role <> 'owner' then
      perform private.refuse('owner_cannot_leave');
    end if;
    return;
  end if;
  if set_circle_role.role = 'owner' then
    update public.circle_members as m set role = 'admin' where m.circle_id = circle and m.user_id = caller;
  end if;
  update public.circle_members as m set role = set_circle_role.role
    where m.circle_id = circle and m.user_id = person;
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

create trigger before_hand_over before delete on public.profiles
  for each row execute function private.hold_seats();

-- Refuses an invite to those who were removed after it was made.
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

create or replace function private.usable_invite(token text) returns public.invites
  language plpgsql security definer set search_path = '' as $$
declare
  this public.invites;
begin
  select * into this from public.invites as i
    where i.token_hash = private.token_hash(usable_invite.token) for no key update;
  if not found then
    perform private.refuse('invite_not_found');
  elsif this.revoked_at is not null then
    perform private.refuse('invite_revoked');
  elsif this.expires_at <= now() then
    perform private.refuse('invite_expired');
  end if;
  perform private.refuse_removed(this);
  return this;
end $$;

-- Whoever takes a seat again was invited anew: what was before is over.
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

create trigger end_removal after insert on public.plan_members
  for each row execute function private.end_removal();
create trigger end_removal after insert on public.circle_members
  for each row execute function private.end_removal();
